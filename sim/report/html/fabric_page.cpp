#include "sim/report/html/fabric_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/hostlist.hpp"
#include "base/text.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/racks.hpp"
#include "topologies/bill.hpp"
#include "topologies/export.hpp"

namespace fabricast::inline report::html {

namespace {

// Of a row with too many boxes the last one stands for all that are not drawn.
Drawing drawing_of(const Racks& racks) {
    Drawing drawing;
    std::vector<std::size_t> all(racks.rows), drawn(racks.rows);
    std::vector<std::uint32_t> rest(racks.rows);
    for (const Group& group : racks.groups) { ++all[group.row]; }
    const auto box = [&](std::string name, std::string kind, std::size_t row) {
        drawing.boxes.push_back({std::move(name), std::move(kind), -1, static_cast<int>(row) + 1});
        return static_cast<std::uint32_t>(drawing.boxes.size() - 1);
    };
    std::vector<std::uint32_t> box_of;
    for (const Group& group : racks.groups) {
        const std::size_t row = group.row, most = all[row] > boxes_a_row ? boxes_a_row - 1 : all[row];
        if (drawn[row] < most) {
            box_of.push_back(box(box_name(group), hostlist_text(group.members), row));
        } else {
            const std::string name = plural(all[row] - most, row == 0 ? "more rack" : "more group");
            if (drawn[row] == most) { rest[row] = box(name, "folded", row); }
            box_of.push_back(rest[row]);
        }
        ++drawn[row];
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> wire_of;
    for (const auto& [ends, bundle] : racks.bundles) {
        const std::uint32_t a = box_of[ends.first], b = box_of[ends.second];
        const auto [place, fresh] = wire_of.try_emplace({a, b}, drawing.wires.size());
        if (fresh) {
            drawing.wires.push_back({a, b, std::string(to_string(bundle.cls)), 0, 0});
            drawing.wires.back().there.name = drawing.boxes[a].name + " - " + drawing.boxes[b].name;
        }
        Wire& wire = drawing.wires[place->second];
        wire.capacity += bundle.capacity;
        wire.cables += static_cast<std::uint32_t>(bundle.cables);
    }
    return drawing;
}

Table rack_table(const Racks& racks) {
    Table table{
        "Racks", "Nodes whose adapters end at the same switches.", {{"nodes", Unit::count}, {"which"}, {"leaves"}}, {}};
    for (std::size_t g = 0; g < racks.groups.size() && racks.groups[g].row == 0; ++g) {
        std::string leaves;
        for (const auto& [ends, bundle] : racks.bundles) {
            if (ends.first != g) { continue; }
            leaves += leaves.empty() ? "" : "; ";
            leaves += hostlist_text(racks.groups[ends.second].members);
        }
        table.rows.push_back(
            {static_cast<double>(racks.groups[g].members.size()), hostlist_text(racks.groups[g].members), leaves});
    }
    return table;
}

Table bundle_table(const Racks& racks) {
    Table table{"Cables between them",
                "Of all members of a box together, one direction.",
                {{"from"}, {"to"}, {"cables", Unit::count}, {"payload", Unit::rate}},
                {},
                true};
    for (const auto& [ends, bundle] : racks.bundles) {
        table.rows.push_back({box_name(racks.groups[ends.first]), box_name(racks.groups[ends.second]),
                              static_cast<double>(bundle.cables), bundle.capacity});
    }
    return table;
}

}  // namespace

Page fabric_page(const Fabric& fabric, const std::vector<std::string>& hosts) {
    const Racks racks = racks_of(fabric, hosts);
    const Bill bill = bill_of(fabric);
    Page page;
    page.title = fabric.cluster().name;
    page.answer = fmt::format(
        "{}, {} GPUs; {}, {}.",
        fabric.cluster().runs.empty() ? plural(bill.nodes, "node") + " of " + fabric.node().name : node_words(fabric),
        bill.gpus, plural(bill.switch_count(), "switch"), plural(bill.cable_count(), "cable"));
    if (fabric.cluster().nodes > 1) {
        page.sections.emplace_back(Scene{
            "Racks and tiers",
            "A rack is the nodes whose adapters end at the same switches; switches that join the same boxes below "
            "are one box, racks below the same spines too where there are many (32 x 4 nodes).",
            drawing_of(racks)});
        page.sections.emplace_back(rack_table(racks));
        page.sections.emplace_back(bundle_table(racks));
    }
    page.sections.emplace_back(Scene{"Inside", "The first nodes, device by device.", draw(fabric, {})});
    return page;
}

}  // namespace fabricast::inline report::html
