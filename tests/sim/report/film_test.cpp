// The animation of a packet replay: what its links carried, who sent, and what was under way.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
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

using namespace fabricast;
using namespace fabricast::html;

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
