// The page as a text: what goes in, what must not come out. tests/html opens it in a browser.

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "sim/report/html/run_page.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/simulate.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace fabricast;
using namespace fabricast::html;

// Everything between the model's tags.
std::string model_of(const std::string& html) {
    const std::string begin = "id=\"model\">";
    const std::size_t from = html.find(begin) + begin.size();
    return html.substr(from, html.find("</script>", from) - from);
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

bool has_charts() {
    try {
        require_charts();
        return true;
    } catch (const MissingCharts&) {
        return false;
    }
}

Page evil_page() {
    Page page;
    page.title = "</title></script><script>evil()</script>";
    page.answer = "<!-- \" & ' \\u003c";
    page.sections.emplace_back(Table{"t", "", {{"a"}}, {{Cell("<img src=x>")}}});
    return page;
}

Fabric fabric_of(const std::string& text) {
    const Scenario scenario = parse_scenario(text, "test.yaml");
    return Fabric(build(scenario, catalogue()));
}

}  // namespace

TEST_CASE("no text of a page ends an element or begins one") {
    if (!has_charts()) {
        CHECK_THROWS_AS(page_html(evil_page()), MissingCharts);
        return;
    }
    Page plain = evil_page();
    plain.title = plain.answer = "plain";
    plain.sections = {Table{"t", "", {{"a"}}, {{Cell("plain")}}}};
    const std::string html = page_html(evil_page());
    CHECK(model_of(html).find('<') == std::string::npos);
    CHECK(count_of(html, "<script") == count_of(page_html(plain), "<script"));
    CHECK(count_of(html, "<img") == count_of(page_html(plain), "<img"));
    const Json model = Json::parse(model_of(html));
    CHECK(model.at("title") == evil_page().title);  // and yet nothing of it is lost
    CHECK(model.at("answer") == evil_page().answer);
}

TEST_CASE("a page asks for nothing from the network") {
    if (has_charts()) {
        const std::string html = page_html(evil_page());
        CHECK(html.find("default-src 'none'") != std::string::npos);
        CHECK(html.find("<script src") == std::string::npos);
        CHECK(html.find("<link rel=\"stylesheet") == std::string::npos);
        CHECK(html.size() < 5'000'000);
    }
}

TEST_CASE("what is no number is null in the model, not a broken page") {
    Page page;
    page.sections.emplace_back(
        Curves{"c", "", {"x"}, {"y"}, {{"line", {{1, std::numeric_limits<double>::quiet_NaN(), {}, 2.0}}}}});
    const Json point = page_json(page).at("sections")[0].at("lines")[0].at("points")[0];
    CHECK(point[0] == 1.0);
    CHECK(point[1].is_null());
    CHECK(point[2].is_null());
    CHECK(point[3] == 2.0);
}

TEST_CASE("every device of a small cluster is drawn, and every cable once") {
    const Fabric fabric = fabric_of(
        "name: small\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: rail-optimized, link: infiniband-ndr}}\n"
        "workload: {kind: collective, sizes: [1 MiB]}\n");
    const Drawing drawing = draw(fabric, {});
    CHECK(drawing.folded.empty());
    std::set<std::string> names;
    for (const Box& box : drawing.boxes) {
        CHECK(names.insert(box.name).second);
    }
    CHECK(std::count_if(drawing.boxes.begin(), drawing.boxes.end(), [](const Box& b) { return b.kind == "gpu"; }) ==
          16);
    CHECK(std::count_if(drawing.wires.begin(), drawing.wires.end(),
                        [](const Wire& w) { return w.cls == "nic-port"; }) == 16);
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Wire& wire : drawing.wires) {
        CHECK(wire.a < wire.b);
        CHECK(pairs.insert({wire.a, wire.b}).second);
    }
}

TEST_CASE("of a large cluster a few nodes are drawn and the others said") {
    const Fabric fabric = fabric_of(
        "name: large\ncluster: {node: dgx-h100, nodes: 512, fabric: {kind: rail-optimized, link: infiniband-ndr}}\n"
        "workload: {kind: collective, sizes: [1 MiB]}\n");
    const Drawing drawing = draw(fabric, {});
    CHECK(drawing.boxes.size() < 200);
    CHECK(drawing.wires.size() < 1000);
    CHECK_THAT(drawing.folded, ContainsSubstring("510 more nodes"));
    std::set<int> tiers;
    for (const Box& box : drawing.boxes) {
        tiers.insert(box.tier);
    }
    CHECK(tiers.size() == fabric.tiers().size() + 1);  // a switch of each tier and the nodes
}

TEST_CASE("a wire is as hot as the busier direction of the link that a row lists") {
    const Fabric fabric = fabric_of(
        "name: small\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: rail-optimized, link: infiniband-ndr}}\n"
        "workload: {kind: collective, sizes: [1 MiB]}\n");
    const DeviceId nic = fabric.nic(1, 3);
    LinkTraffic traffic{"1 MiB", 2, 1.0, {}, {}};
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        const bool out = ends.from == nic && fabric.kind(ends.to) == DeviceKind::fabric_switch;
        const bool in = ends.to == nic && fabric.kind(ends.from) == DeviceKind::fabric_switch;
        if (out || in) {
            traffic.busiest.push_back({LinkId{l}, 1e9, out ? 0.25 : 0.75});
        }
    }
    REQUIRE(traffic.busiest.size() == 2);
    const Drawing drawing = draw(fabric, {traffic});
    REQUIRE(drawing.frames == std::vector<std::string>{"1 MiB"});
    for (const Wire& wire : drawing.wires) {
        const bool ours = drawing.boxes[wire.a].name == "node1.nic3" || drawing.boxes[wire.b].name == "node1.nic3";
        CHECK(wire.loads.at(0).busy == (ours && wire.cls == "nic-port" ? 0.75 : 0));
    }
}

TEST_CASE("a run's page says what its rows say") {
    const Scenario scenario = parse_scenario(
        "name: one\ncluster: {node: dgx-h100, nodes: 1}\nworkload: {kind: collective, sizes: [1 MiB, 64 MiB]}\n",
        "one.yaml");
    const Catalog& catalog = catalogue();
    const Report report = simulate(scenario, catalog);
    const Page page = run_page(scenario, report, Fabric(build(scenario, catalog)));
    CHECK_THAT(page.answer, ContainsSubstring("64 MiB"));
    const Json sections = page_json(page).at("sections");
    const Json& busbw = sections[0];
    CHECK(busbw.at("kind") == "curves");
    CHECK(busbw.at("lines")[0].at("points")[1][1] == report.rows[1].busbw);
    const Json& time = sections[1];
    CHECK(time.at("lines")[0].at("points")[0][2] == report.rows[0].time_low80_s);
    CHECK(report.traffic.size() == report.rows.size());
    CHECK(page.figures.size() == report.figures.size());
}

TEST_CASE("a transfer's page says what one message takes, and draws what its window loads") {
    const Scenario scenario = parse_scenario(
        "name: message\ncluster: {node: dgx-a100, nodes: 2}\nworkload: {kind: transfer, from: node0.gpu0, to: "
        "node1.gpu3, sizes: [8 B, 64 MiB]}\n",
        "message.yaml");
    const Report report = simulate(scenario, catalogue());
    const Page page = run_page(scenario, report, Fabric(build(scenario, catalogue())));
    CHECK(page.answer.starts_with("From node0.gpu0 to node1.gpu3 one message of 64 MiB takes "));
    const Json sections = page_json(page).at("sections");
    const auto scene =
        std::find_if(sections.begin(), sections.end(), [](const Json& s) { return s.at("kind") == "scene"; });
    REQUIRE(scene != sections.end());
    CHECK(scene->at("frames").size() == 2);
    const auto busy = [](const Json& wire) { return wire.contains("busy"); };
    CHECK(std::any_of(scene->at("wires").begin(), scene->at("wires").end(), busy));
}

TEST_CASE("a replay of packets is a film whose links carried what the ports sent") {
    Scenario scenario = parse_scenario(
        "name: incast\ncluster: {node: gh200-1x, nodes: 6, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4, radix: 4, routing: ecmp}}\n"
        "workload: {kind: collective, collective: gather, sizes: [1 MiB]}\nengine: packet\n"
        "packet: {preset: pfc-only, buffer: 256 KiB}\n",
        "incast.yaml");
    const Catalog& catalog = catalogue();
    const Fabric fabric(build(scenario, catalog));
    CHECK(simulate(scenario, catalog).packets.at(0).use.series.empty());  // nobody asked

    scenario.packet.series = true;
    const Report report = simulate(scenario, catalog);
    const PacketUse& use = report.packets.at(0).use;
    REQUIRE_FALSE(use.series.empty());
    double in_series = 0;
    for (const PortSeries& port : use.series) {
        CHECK(port.width == use.series.front().width);
        CHECK(port.sent.size() == use.series.front().queued.size());
        in_series += std::accumulate(port.sent.begin(), port.sent.end(), 0.0);
    }
    double in_classes = 0;
    for (const ClassUse& cls : report.traffic.at(0).classes) {
        in_classes += cls.bytes;
    }
    CHECK(in_series == in_classes);  // fewer ports than a list holds: every byte of every port is in a frame

    const Json sections = page_json(run_page(scenario, report, fabric)).at("sections");
    const auto film = std::find_if(sections.begin(), sections.end(), [](const Json& s) {
        return s.at("kind") == "scene" && s.at("frame_kind") == "time" && !s.at("circle").get<bool>();
    });
    REQUIRE(film != sections.end());
    CHECK(film->at("frames").size() == use.series.front().queued.size());
    CHECK(film->at("frames").size() > 10);
    const auto busy = [](const Json& wire) { return wire.contains("busy"); };
    CHECK(std::any_of(film->at("wires").begin(), film->at("wires").end(), busy));
}

TEST_CASE("the pieces of a flow come in the order of time, and each once") {
    Scenario scenario = parse_scenario(
        "name: ring\ncluster: {node: gh200-1x, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4}}\n"
        "workload: {kind: collective, collective: all_reduce, algorithm: ring, protocol: simple, sizes: [4 MiB]}\n"
        "engine: packet\npacket: {series: true}\n",
        "ring.yaml");
    const Report report = simulate(scenario, catalogue());
    const std::vector<PieceArrivals>& arrivals = report.packets.at(0).use.arrivals;
    REQUIRE_FALSE(arrivals.empty());
    for (const PieceArrivals& flow : arrivals) {
        CHECK(std::is_sorted(flow.at.begin(), flow.at.end()));
        CHECK(flow.at.size() == arrivals.front().at.size());  // a ring: every edge carries as many
    }
}
