#include "sim/report/html/deadlock_page.hpp"

#include <algorithm>
#include <vector>

#include "sim/report/html/run_page.hpp"

namespace fabricast::html {

namespace {

// The names in quotes, each once, in their order.
std::vector<std::string> quoted(const std::string& message) {
    std::vector<std::string> names;
    for (std::size_t open = message.find('\''); open != std::string::npos; open = message.find('\'', open + 1)) {
        const std::size_t close = message.find('\'', open + 1);
        if (close == std::string::npos) {
            break;
        }
        std::string name = message.substr(open + 1, close - open - 1);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(std::move(name));
        }
        open = close;
    }
    return names;
}

}  // namespace

Page standstill_page(const Scenario& scenario, const Fabric& fabric, const std::string& message) {
    const std::vector<std::string> names = quoted(message);
    Film animation{{"the end"}, {}, {}};
    Table table{
        "Links that wait", "In the order of waiting; in a deadlock the last waits for the first.", {{"link"}}, {}};
    for (const std::string& name : names) {
        table.rows.push_back({name});
    }
    for (std::uint32_t l = 0; !names.empty() && l < fabric.link_count(); ++l) {
        if (std::find(names.begin(), names.end(), fabric.link_name(LinkId{l})) != names.end()) {
            animation.focus_links.push_back(LinkId{l});
        }
    }
    animation.load = [&](std::size_t, LinkId link) {
        const bool waits =
            std::find(animation.focus_links.begin(), animation.focus_links.end(), link) != animation.focus_links.end();
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

}  // namespace fabricast::html
