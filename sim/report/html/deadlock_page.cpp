#include "sim/report/html/deadlock_page.hpp"

#include <algorithm>
#include <vector>

#include "sim/report/html/provenance.hpp"
#include "sim/report/packet_picture.hpp"

namespace fabricast::inline report::html {

Page deadlock_page(const Scenario& scenario, const Fabric& fabric, const std::string& message) {
    std::vector<std::string> names;  // each once, in their order
    for (QuotedLink& link : quoted_links(message)) {
        if (std::ranges::find(names, link.name) == names.end()) { names.push_back(std::move(link.name)); }
    }
    Film animation{{"the end"}, {}, {}};
    Table table{
        "Links that wait", "In the order of waiting; in a deadlock the last waits for the first.", {{"link"}}, {}};
    for (const std::string& name : names) { table.rows.push_back({name}); }
    for (std::uint32_t l = 0; !names.empty() && l < fabric.link_count(); ++l) {
        if (std::ranges::find(names, fabric.link_name(LinkId{l})) != names.end()) {
            animation.focus_links.push_back(LinkId{l});
        }
    }
    animation.load = [&](std::size_t, LinkId link) {
        const bool waits = std::ranges::find(animation.focus_links, link) != animation.focus_links.end();
        return waits ? Load{-1, 0, 1} : Load{-1, 0, 0};  // nothing moves
    };
    Page page;
    page.title = scenario.name;
    page.answer = "This run cannot end: nothing moves any more.";
    page.sections.emplace_back(Words{"Why", {message}, false});
    page.sections.emplace_back(
        Scene{"Where it stands still",
              "Links that wait for their receiver are dashed and marked; in a deadlock they close a ring.",
              draw_film(fabric, animation)});
    page.sections.emplace_back(std::move(table));
    add_provenance(page, scenario);
    return page;
}

}  // namespace fabricast::inline report::html
