// The page as a text: what goes in, what must not come out. tests/html opens it in a browser.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "base/text.hpp"
#include "sim/report/html/page_html.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/packet_picture.hpp"
#include "sim/report/sequence_chart.hpp"
#include "sim/report/trace.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "sim/scenario/parse.hpp"
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
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) { ++count; }
    return count;
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

TEST_CASE("what is not a number is null in the model, not a broken page") {
    Page page;
    page.sections.emplace_back(
        Curves{"c", "", {"x"}, {"y"}, {{"line", {{1, std::numeric_limits<double>::quiet_NaN(), {}, 2.0}}}}});
    const Json model = Json::parse(page_json(page).dump());  // as the page's script reads it
    const Json& point = model.at("sections")[0].at("lines")[0].at("points")[0];
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
    for (const Box& box : drawing.boxes) { CHECK(names.insert(box.name).second); }
    CHECK(std::count_if(drawing.boxes.begin(), drawing.boxes.end(), [](const Box& b) { return b.kind == "gpu"; }) ==
          16);
    CHECK(std::count_if(drawing.wires.begin(), drawing.wires.end(),
                        [](const Wire& w) { return w.cls == "nic-port"; }) == 16);
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Wire& wire : drawing.wires) {
        CHECK(wire.a < wire.b);
        CHECK(pairs.insert({wire.a, wire.b}).second);
        const auto between = [&](std::uint32_t from, std::uint32_t to) {
            return drawing.boxes[from].name + " -> " + drawing.boxes[to].name;
        };
        CHECK(wire.there.name.starts_with(between(wire.a, wire.b)));
        CHECK(wire.back.name.starts_with(between(wire.b, wire.a)));
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
    for (const Box& box : drawing.boxes) { tiers.insert(box.tier); }
    CHECK(tiers.size() == fabric.tiers().size() + 1);  // a switch of each tier and the nodes
}

// A leaf of eight ports has four cables up: with two spines two to each, and a flow's hash picks one of them.
TEST_CASE("line 18: cables beside each other are drawn one by one, each with its own load") {
    for (const std::string engine : {"flow", "packet"}) {
        const Scenario scenario = parse_scenario(
            "name: hashed\ncluster: {node: gh200-1x, nodes: 16, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
            "tomahawk-4, radix: 8, routing: ecmp}}\n"
            "workload: {kind: collective, collective: all_to_all, sizes: [1 MiB]}\nengine: " +
                engine + "\n",
            "hashed.yaml");
        const Fabric fabric(build(scenario, catalogue()));
        const Report report = simulate(scenario, catalogue());
        const LinkTraffic& traffic = report.traffic.at(0);
        REQUIRE(traffic.busy.size() == fabric.link_count());
        const Drawing drawing = draw(fabric, report.traffic);
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> cables;
        std::map<std::string, double> busy;
        for (const Wire& wire : drawing.wires) {
            for (const WireDirection* direction : {&wire.there, &wire.back}) {
                if (wire.cls == "leaf-spine") {
                    CHECK(busy.emplace(direction->name, direction->loads.at(0).busy).second);
                }
            }
            cables[{wire.a, wire.b}] += wire.cls == "leaf-spine" ? 1 : 0;
        }
        CHECK(busy.size() == 2 * 16);  // four leaves with four cables, two directions
        const auto fullest = std::max_element(cables.begin(), cables.end(),
                                              [](const auto& a, const auto& b) { return a.second < b.second; });
        CHECK(fullest->second == 2);
        std::set<double> loads;
        for (const auto& [name, load] : busy) { loads.insert(load); }
        CHECK(loads.size() > 4);  // hashes are uneven: no mean of a class
        for (const LinkUse& use : traffic.busiest) {
            CHECK(traffic.busy[static_cast<std::uint32_t>(use.link)] == Approx(use.utilisation));
        }
    }
}

TEST_CASE("line 18: a box that stands for like switches leaves none of them undrawn") {
    const Fabric fabric = fabric_of(
        "name: rails\ncluster: {node: dgx-h100, nodes: 128, fabric: {kind: rail-optimized, link: infiniband-ndr}}\n"
        "workload: {kind: collective, sizes: [1 MiB]}\n");
    const Drawing drawing = draw(fabric, {});
    CHECK(std::count_if(drawing.boxes.begin(), drawing.boxes.end(),
                        [](const Box& b) { return b.name == "spine0-15"; }) == 1);
    CHECK_THAT(drawing.folded, !ContainsSubstring("spine"));
}

TEST_CASE("each direction of a wire is as hot as the link that a row lists") {
    const Fabric fabric = fabric_of(
        "name: small\ncluster: {node: dgx-h100, nodes: 2, fabric: {kind: rail-optimized, link: infiniband-ndr}}\n"
        "workload: {kind: collective, sizes: [1 MiB]}\n");
    const DeviceId nic = fabric.nic(1, 3);
    LinkTraffic traffic{"1 MiB", 2, 1.0, {}, {}};
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        const bool out = ends.from == nic && fabric.kind(ends.to) == DeviceKind::fabric_switch;
        const bool in = ends.to == nic && fabric.kind(ends.from) == DeviceKind::fabric_switch;
        if (out || in) { traffic.busiest.push_back({LinkId{l}, 1e9, out ? 0.25 : 0.75}); }
    }
    REQUIRE(traffic.busiest.size() == 2);
    const Drawing drawing = draw(fabric, {traffic});
    REQUIRE(drawing.frames == std::vector<std::string>{"1 MiB"});
    for (const Wire& wire : drawing.wires) {
        const bool ours = drawing.boxes[wire.a].name == "node1.nic3" || drawing.boxes[wire.b].name == "node1.nic3";
        for (const WireDirection* direction : {&wire.there, &wire.back}) {
            const bool out = direction->name.starts_with("node1.nic3 ");
            CHECK(direction->loads.at(0).busy == (ours && wire.cls == "nic-port" ? (out ? 0.25 : 0.75) : 0));
        }
    }
}

// One node is one node with four GPUs or with eight, but its links are others.
TEST_CASE("a row of fewer GPUs, whose links are of another fabric, is not drawn") {
    const std::string text =
        "name: two\ncluster: {node: dgx-h100, nodes: 1, gpus_per_node: $}\nworkload: {kind: collective}\n";
    const auto with_gpus = [&](const char* gpus) {
        return fabric_of(std::string(text).replace(text.find('$'), 1, gpus));
    };
    const Fabric few = with_gpus("4"), all = with_gpus("8");
    REQUIRE(few.link_count() < all.link_count());
    const LinkTraffic of_few{"4 GPUs", 1, 1.0, {}, {}, std::vector<float>(few.link_count(), 0.5F)};
    const LinkTraffic of_all{"8 GPUs", 1, 1.0, {}, {}, std::vector<float>(all.link_count(), 0.25F)};
    const Drawing drawing = draw(all, {of_few, of_all});
    REQUIRE(drawing.frames == std::vector<std::string>{"8 GPUs"});
    for (const Wire& wire : drawing.wires) { CHECK(wire.there.loads.at(0).busy == 0.25); }
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
    const auto busy = [](const Json& wire) {
        const Json& both = wire.at("directions");
        return std::any_of(both.begin(), both.end(), [](const Json& one) { return one.contains("busy"); });
    };
    CHECK(std::any_of(scene->at("wires").begin(), scene->at("wires").end(), busy));
}

TEST_CASE("a replay of packets is an animation whose links carried what the ports sent") {
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
    for (const ClassUse& cls : report.traffic.at(0).classes) { in_classes += cls.bytes; }
    CHECK(in_series == in_classes);  // fewer ports than a list holds: every byte of every port is in a frame

    const Json sections = page_json(run_page(scenario, report, fabric)).at("sections");
    const auto animation = std::find_if(sections.begin(), sections.end(), [](const Json& s) {
        return s.at("kind") == "scene" && s.at("frame_kind") == "time" && !s.at("circle").get<bool>();
    });
    REQUIRE(animation != sections.end());
    CHECK(animation->at("frames").size() == use.series.front().queued.size());
    CHECK(animation->at("frames").size() > 10);
    const std::vector<Time>& ends = report.packets.at(0).call_ends;
    REQUIRE(ends.size() == 3);  // the last two are in the steady state: a row's time is what lies between their ends
    CHECK(to_seconds(ends[2] - ends[1]) == Approx(report.rows.at(0).time_s));
    for (std::size_t f = 0; f < animation->at("frames").size(); ++f) {  // line 18: each frame says whose it is
        const Time begin = use.series.front().width * static_cast<std::int64_t>(f);
        const std::string frame = animation->at("frames")[f];
        const auto call = std::count_if(ends.begin(), ends.end(), [&](Time end) { return end <= begin; }) + 1;
        CHECK(frame.ends_with(", call " + std::to_string(call) + " of 3") == (call <= 3));
    }
    CHECK_THAT(animation->at("caption").get<std::string>(), ContainsSubstring("3 calls back to back"));
    const auto busy = [](const Json& wire) {
        const Json& both = wire.at("directions");
        return std::any_of(both.begin(), both.end(), [](const Json& one) { return one.contains("busy"); });
    };
    CHECK(std::any_of(animation->at("wires").begin(), animation->at("wires").end(), busy));

    const Json trace = parse_json(chrome_trace({}, report.packets), "trace");
    std::map<std::string, double> bytes, rate, since;  // of each link: what its counter says
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "C") { continue; }
        const std::string link = event.at("name");
        const double at = event.at("ts").get<double>() * 1e-6;
        bytes[link] += rate[link] / 8 * (at - since[link]);
        since[link] = at;
        rate[link] = event.at("args").at("Gb/s").get<double>() * 1e9;
    }
    CHECK(bytes.size() == static_cast<std::size_t>(use.ports_used));
    CHECK(trace.at("otherData").front() == fmt::format("the busiest {0} of {0}", use.ports_used));
    for (const LinkUse& link : report.traffic.at(0).busiest) {
        CHECK(bytes.at(fabric.link_name(link.link)) == Approx(link.bytes));
        CHECK(rate.at(fabric.link_name(link.link)) == 0);  // in the end
    }
}

TEST_CASE("a sender's rate is of the call in which it sends") {
    Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: gh200-1x, nodes: 4, fabric: {kind: single-switch, link: ethernet-400g}}\n"
        "workload: {kind: collective, collective: gather, sizes: [16 MiB]}\nengine: packet\npacket: {preset: "
        "dcqcn-paper, series: true}\n",
        "t.yaml");
    const Report report = simulate(scenario, catalogue());
    const std::vector<Time>& ends = report.packets.at(0).call_ends;
    const Json sections = page_json(run_page(scenario, report, Fabric(build(scenario, catalogue())))).at("sections");
    const auto rates = std::ranges::find_if(sections, [](const Json& s) { return s.at("title") == "Senders' rates"; });
    REQUIRE(rates != sections.end());
    int later = 0;
    for (const Json& line : rates->at("lines")) {
        const std::string label = line.at("label");
        const auto at = label.find("call ");
        REQUIRE(at != std::string::npos);
        const std::size_t call = static_cast<std::size_t>(label[at + 5] - '0');
        const double last = line.at("points").back().at(0);
        CHECK(last <= to_seconds(ends.at(call - 1)));
        if (call > 1) { CHECK(last > to_seconds(ends.at(call - 2))); }
        later += call > 1 ? 1 : 0;
    }
    CHECK(later > 0);
}

TEST_CASE("a message that is watched is drawn packet by packet") {
    Scenario scenario = parse_scenario(
        "name: incast\ncluster: {node: gh200-1x, nodes: 4, fabric: {kind: single-switch, link: ethernet-400g}}\n"
        "workload: {kind: collective, collective: gather, sizes: [1 MiB]}\nengine: packet\n"
        "packet: {preset: pfc-only, loss: 0.01, sequence: [node1.gpu0, node0.gpu0]}\n",
        "watched.yaml");
    const Catalog& catalog = catalogue();
    const Fabric fabric(build(scenario, catalog));
    const Report report = simulate(scenario, catalog);
    const PacketSequence& sequence = report.packets.at(0).use.sequence.value();
    REQUIRE_FALSE(sequence.flights.empty());
    CHECK_THAT(packet_picture(report), ContainsSubstring(markup_text(sequence_words(sequence))));
    const Json sections = page_json(run_page(scenario, report, fabric)).at("sections");
    const auto picture = std::ranges::find(sections, Json("picture"), [](const Json& s) { return s.at("kind"); });
    REQUIRE(picture != sections.end());
    const auto plain = std::ranges::count_if(sequence.flights, [](const PacketFlight& flight) {
        return flight.fate == PacketFlight::arrived && !flight.again && !flight.marked;
    });
    CHECK(plain > 0);
    CHECK_THAT(picture->at("svg").get<std::string>(), ContainsSubstring(fmt::format(">{} arrived<", plain)));
    CHECK((picture + 1)->at("rows").size() == sequence.flights.size());
}

// Sixteen nodes send to all, and one cable is at a tenth of its rate: in the middle of the replay it is what is
// busiest, in the direction in which it is slow.
TEST_CASE("line 18: in the animation a slow cable is as busy as what is left of it, and the other direction is not") {
    Scenario scenario = parse_scenario(
        "name: storm\ncluster: {node: gh200-1x, nodes: 16, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4, radix: 8, routing: ecmp}}\n"
        "workload: {kind: collective, collective: all_to_all, sizes: [1 MiB]}\nengine: packet\n"
        "packet: {preset: pfc-only, buffer: 1 MiB, series: true}\n"
        "events: [{at: 0 us, link: leaf0 -> node2.nic0, share: 0.1}]\n",
        "storm.yaml");
    const Fabric fabric(build(scenario, catalogue()));
    const Report report = simulate(scenario, catalogue());
    const Page page = run_page(scenario, report, fabric, link_events(scenario, fabric, catalogue()));
    const auto animation = std::find_if(page.sections.begin(), page.sections.end(), [](const Section& section) {
        const auto* scene = std::get_if<Scene>(&section);
        return scene != nullptr && scene->title == "The animation";
    });
    REQUIRE(animation != page.sections.end());
    const Drawing& drawing = std::get<Scene>(*animation).drawing;
    std::map<std::string, double> mean;
    for (const Wire& wire : drawing.wires) {
        for (const WireDirection* direction : {&wire.there, &wire.back}) {
            for (const Load& load : direction->loads) {
                mean[direction->name] += std::max(load.busy, 0.0) / static_cast<double>(direction->loads.size());
            }
        }
    }
    const auto busiest =
        std::max_element(mean.begin(), mean.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    CHECK(busiest->first == "leaf0 -> node2.nic0");
    CHECK(busiest->second > 0.8);
    CHECK(mean.at("node2.nic0 -> leaf0") < 0.3);
}

TEST_CASE("the film of a training step says which communication is under way") {
    Scenario scenario = parse_scenario(
        "name: step\ncluster: {node: gh200-1x, nodes: 4, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4}}\n"
        "workload: {kind: training, model: resnet-50, precision: fp16, micro_batch: 64, global_batch: 256, optimizer: "
        "sgd, sharding: ddp, framework: pytorch-ddp, parallelism: {tensor: 1}}\n"
        "engine: packet\npacket: {preset: pfc-only, series: true}\n",
        "step.yaml");
    const Fabric fabric(build(scenario, catalogue()));
    const Report report = simulate(scenario, catalogue(), {}, {}, {.trace = true});
    const Page page = run_page(scenario, report, fabric, {});
    std::vector<std::string> frames;
    Activity phases;
    for (const Section& section : page.sections) {
        const auto* scene = std::get_if<Scene>(&section);
        const auto* activity = std::get_if<Activity>(&section);
        if (scene != nullptr && scene->title == "The animation") { frames = scene->drawing.frames; }
        if (activity != nullptr && activity->title == "What runs on the fabric") { phases = *activity; }
    }
    REQUIRE(phases.lanes == std::vector<std::string>{"data-parallel"});  // gradients are all that it sends
    const Duration width = report.packets.front().use.series.front().width;
    std::size_t named = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        const Duration begin = width * static_cast<std::int64_t>(f);
        const bool running = std::ranges::any_of(phases.spans, [&](const Span& span) {
            return span.from < to_seconds(begin + width) && span.to > to_seconds(begin);
        });
        CHECK(frames[f].ends_with(", data-parallel") == running);
        named += running ? 1 : 0;
    }
    CHECK(named > 0);
    CHECK(named < frames.size());
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
