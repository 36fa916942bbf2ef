#pragma once
// Pages of small runs, and what their models say.

#include <string>

#include "sim/report/html/page_html.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::test {

using html::Cell;
using html::Page;
using html::Table;

// Everything between the model's tags.
inline std::string model_of(const std::string& html) {
    const std::string begin = "id=\"model\">";
    const std::size_t from = html.find(begin) + begin.size();
    return html.substr(from, html.find("</script>", from) - from);
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) { ++count; }
    return count;
}

inline Page evil_page() {
    Page page;
    page.title = "</title></script><script>evil()</script>";
    page.answer = "<!-- \" & ' \\u003c";
    page.sections.emplace_back(Table{"t", "", {{"a"}}, {{Cell("<img src=x>")}}});
    return page;
}

inline Fabric fabric_of(const std::string& text) {
    const Scenario scenario = parse_scenario(text, "test.yaml");
    return Fabric(build(scenario, catalogue()));
}

}  // namespace fabricast::test
