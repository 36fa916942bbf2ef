// Failures: what a scenario's events touch, that engines take them alike, and what they cost.

#include "sim/run/explain/outage.hpp"

#include <algorithm>
#include <string>

#include "sim/engines/common/devices.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace fabricast;

namespace {

Scenario with_events(const std::string& events, const std::string& engine = "flow") {
    return parse_scenario(
        "name: t\ncluster: {node: dgx-a100, nodes: 2}\nengine: " + engine +
            "\nworkload: {kind: transfer, from: node0.gpu0, to: node1.gpu0, sizes: [64 MiB]}\nevents: [" + events +
            "]\n",
        "t.yaml");
}

std::vector<LinkEvent> events_of(const std::string& events) {
    const Scenario s = with_events(events);
    return link_events(s, Fabric(build(s, catalogue())), catalogue());
}

double seconds(const Scenario& scenario) { return simulate(scenario, catalogue()).rows.back().time_s; }

const std::string step =
    "name: t\ncluster: {node: dgx-a100, nodes: 1}\nworkload: {kind: training, model: llama-2-7b, precision: bf16, "
    "global_batch: 8, micro_batch: 1, sharding: ddp, parallelism: {tensor: 8}}\n";

}  // namespace

TEST_CASE("a cable is both directions and what they share; a device is all its cables") {
    const auto cable = events_of("{cable: [node0.gpu0, node0.switch0], share: 0.5}");
    CHECK(cable.size() == 2);
    CHECK(std::ranges::all_of(cable, [](const LinkEvent& e) { return e.share == 0.5 && e.at == Time{}; }));
    // Of an adapter: its slot and its port, there and back.
    CHECK(events_of("{device: node0.nic0, share: 0}").size() == 4);
    CHECK(events_of("{link: 'node0.nic0 -> leaf0', share: 0}").size() == 1);
}

TEST_CASE("of a bundle one dead cable takes its part") {
    // Twelve NVLinks to the NVSwitch.
    for (const LinkEvent& event : events_of("{cable: [node0.gpu0, node0.nvswitch], share: 0}")) {
        CHECK(event.share == Approx(11.0 / 12));
    }
}

TEST_CASE("a slot trained down keeps the other link's rate") {
    for (const LinkEvent& event : events_of("{cable: [node0.gpu0, node0.switch0], becomes: pcie-gen4-x8}")) {
        CHECK(event.share == Approx(0.5));
    }
    for (const LinkEvent& event : events_of("{cable: [node0.gpu0, node0.switch0], becomes: pcie-gen3-x16}")) {
        CHECK(event.share == Approx(0.5));
    }
}

TEST_CASE("a flap goes down and up so often as it says") {
    const auto flaps =
        events_of("{link: 'node0.nic0 -> leaf0', share: 0, at: 1 ms, until: 2 ms, every: 10 ms, times: 3}");
    REQUIRE(flaps.size() == 6);
    CHECK(flaps[4].at == microseconds(21000));
    CHECK(flaps[4].share == 0);
    CHECK(flaps[5].at == microseconds(22000));
    CHECK(flaps[5].share == 1);
}

TEST_CASE("of parallel cables one is dead, of a dead spine all") {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: dgx-h100, nodes: 32, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4}}\nworkload: {kind: collective, collective: all_reduce, algorithm: ring, sizes: [64 MiB]}\n",
        "t.yaml");
    const Fabric fabric(build(scenario, catalogue()));
    const DeviceId leaf = fabric.device("leaf0");
    const auto from_spine = cables_of(scenario, fabric, without({"spine0"}));
    const auto parallel =
        std::ranges::count_if(from_spine, [&](const CablesOfLink& l) { return fabric.ends(l.link).to == leaf; });
    CHECK(parallel > 1);
    Scenario failed = scenario;
    failed.events = {without({"leaf0", "spine0"})};
    CHECK(link_events(failed, fabric, catalogue()).size() == 2);
    failed.events = {without({"spine0"})};
    CHECK(link_events(failed, fabric, catalogue()).size() == from_spine.size());
    const OutageCost found = outage(failed, catalogue());
    CHECK_FALSE(found.diverted.empty());
    CHECK(found.cut.empty());
    for (const Diverted& way : found.diverted) { CHECK(way.taken.find("spine0") == std::string::npos); }
}

TEST_CASE("any switch, cable, port or plane of the bill can be named, failed and gone round, drawn alone or not") {
    // 32 nodes of eight NICs: eight leaves, 256 cables up, four spines that adaptive routing draws as one.
    const std::string head = "name: t\ncluster: {node: dgx-h100, nodes: 32, fabric: {kind: rail-optimized, link: ";
    const std::string tail =
        "}}\nworkload: {kind: collective, collective: all_reduce, algorithm: ring, sizes: [64 MiB]}\n";
    const Scenario scenario = parse_scenario(head + "infiniband-ndr, switch: quantum-2" + tail, "t.yaml");
    const Fabric fabric(build(scenario, catalogue()));
    const BoughtSwitches bought(fabric);
    REQUIRE(bought.count() == 8 + 4);
    CHECK(fabric.device_name(fabric.device("spine3")) == "spine0-3");
    const auto events = [&](const std::vector<std::vector<std::string>>& dead) {
        Scenario failed = scenario;
        for (const std::vector<std::string>& names : dead) { failed.events.push_back(without(names)); }
        return link_events(failed, fabric, catalogue());
    };
    for (std::uint32_t s = 0; s < bought.count(); ++s) {
        INFO(bought.name(SwitchId{s}));
        CHECK(bought.find(bought.name(SwitchId{s})) == SwitchId{s});
        CHECK_FALSE(events({{bought.name(SwitchId{s})}}).empty());
    }
    // A spine takes eight of each leaf's 32 cables, there and back; a cable or a port one.
    for (const LinkEvent& event : events({{"spine3"}})) { CHECK(event.share == Approx(24.0 / 32)); }
    CHECK(events({{"spine3"}}).size() == 2 * 8);
    for (const auto& names : {std::vector<std::string>{"leaf0", "spine3"}, std::vector<std::string>{"spine3.port5"}}) {
        const auto one = events({names});
        REQUIRE(one.size() == 2);
        CHECK(one.front().share == Approx(31.0 / 32));
    }
    // Two dead spines are twice as many cables, not the later of them; the same one twice is one.
    CHECK(events({{"spine3"}, {"spine0"}}).back().share == Approx(16.0 / 32));
    CHECK(events({{"spine3"}, {"leaf7", "spine3"}}).back().share == Approx(24.0 / 32));
    Scenario failed = scenario;
    failed.events = {without({"spine3"})};
    const OutageCost found = outage(failed, catalogue());
    CHECK(found.cut.empty());
    CHECK(found.rows.front().failed_s >= found.rows.front().healthy_s);
    CHECK_THROWS_WITH(events({{"spine4"}}), ContainsSubstring("no device 'spine4'"));

    // A plane: everything goes on over the other.
    const Scenario planes = parse_scenario(
        "name: t\ncluster: {node: dgx-h100, nodes: 4, fabric: {kind: dual-plane, link: ethernet-400g}}\n"
        "workload: {kind: collective, collective: all_reduce, algorithm: ring, sizes: [64 MiB]}\n"
        "events: [{device: plane1, share: 0}]\n",
        "t.yaml");
    const OutageCost lost = outage(planes, catalogue());
    CHECK_FALSE(lost.diverted.empty());
    CHECK(lost.cut.empty());
}

TEST_CASE("an event says one thing of one thing, at a time that can be, or is refused at its place") {
    const auto refuses = [](const std::string& event, const std::string& what) {
        INFO(event);
        CHECK_THROWS_WITH(with_events(event), ContainsSubstring("t.yaml:5:") && ContainsSubstring(what));
    };
    refuses("{share: 0}", "one of: link, cable, device");
    refuses("{device: leaf0, link: x, share: 0}", "one of: link, cable, device");
    refuses("{device: leaf0}", "one of: share, becomes");
    refuses("{device: leaf0, share: 0, becomes: pcie-gen5-x8}", "one of: share, becomes");
    refuses("{device: leaf0, becomes: pcie-gen5-x8}", "together with `link` or `cable`");
    refuses("{device: leaf0, share: 1.5}", "0, or from 1e-06 to 1");
    refuses("{device: leaf0, share: -0.5}", "0, or from 1e-06 to 1");
    refuses("{device: leaf0, share: 1e-15}", "0, or from 1e-06 to 1");
    refuses("{cable: [leaf0], share: 0}", "must name two devices");
    refuses("{cable: leaf0, share: 0}", "list");
    refuses("{device: leaf0, share: 0, at: -1 ms}", "-1 ms");
    refuses("{device: leaf0, share: 0, at: 2 ms, until: 1 ms}", "before the change itself");
    refuses("{device: leaf0, share: 0, at: 2 ms, until: 3 ms, every: -1 ms, times: 2}", "-1 ms");
    refuses("{device: leaf0, share: 0, at: 2 ms, until: 3 ms, every: 10 ms}", "both: every, times");
    refuses("{device: leaf0, share: 0, at: 2 ms, until: 3 ms, times: 2}", "both: every, times");
    refuses("{device: leaf0, share: 0, at: 2 ms, every: 3 ms, times: 2}", "together with `until`");
    refuses("{device: leaf0, share: 0, at: 2 ms, until: 9 ms, every: 3 ms, times: 2}", "more than 7 ms");
    refuses("{device: leaf0, share: 0, at: 2 ms, until: 3 ms, every: 1000000 s, times: 10000}", "end of time");
    refuses("{device: leaf0, share: 0, until: 3 ms, every: 10 ms, times: 0}", "1 to 10000");
    refuses("{device: leaf0, shar: 0}", "share");
}

TEST_CASE("what an event names has to be there") {
    const auto refuses = [](const std::string& event, const std::string& what) {
        INFO(event);
        CHECK_THROWS_WITH(events_of(event), ContainsSubstring("t.yaml:5:") && ContainsSubstring(what));
    };
    refuses("{cable: [node0.gpu0, node1.gpu0], share: 0}", "no cable joins node0.gpu0 and node1.gpu0");
    refuses("{cable: [node0.gpu0, node0.gpu1], share: 0}", "no cable joins");
    refuses("{cable: [node0.gpu0, node0.gpu0], share: 0}", "a cable joins two devices");
    refuses("{device: node9.gpu0, share: 0}", "node9");
    refuses("{device: leaf99, share: 0}", "leaf99");
    refuses("{link: leaf0 -> node0.nic99, share: 0}", "no such link");
    refuses("{device: node0.gpu0, share: 0}", "does not outlive its GPU");
    refuses("{cable: [node0.gpu0, node0.switch0], becomes: pcie-gen9}", "pcie-gen");
    refuses("{cable: [node0.gpu0, node0.switch0], becomes: pcie-gen5-x16}", "is faster than node0.gpu0");
    Scenario by_command = with_events("");
    by_command.events = {without({"node0.nik0"})};
    CHECK_THROWS_WITH(link_events(by_command, Fabric(build(by_command, catalogue())), catalogue()),
                      ContainsSubstring("t.yaml:2:"));
}

TEST_CASE("written out and read again an event is the same") {
    const std::string events =
        "{device: node0.nic0, share: 0.5, at: 1 ms, until: 2 ms, every: 10 ms, times: 3}, "
        "{cable: [node0.nic0, leaf0], becomes: infiniband-edr}, {link: leaf0 -> node0.nic0, share: 0}";
    const Json once = to_json(with_events(events));
    const Scenario again = parse_scenario(once.dump(), "again.yaml");
    CHECK(to_json(again) == once);
    REQUIRE(again.events.size() == 3);
    CHECK(again.events[0].every == microseconds(10000));
    CHECK(again.events[0].times == 3);
    CHECK(again.events[1].becomes == "infiniband-edr");
}

TEST_CASE("flow and packets take failures alike") {
    const char* cases[] = {"{cable: [node0.gpu0, node0.switch0], becomes: pcie-gen4-x8}",
                           "{device: node0.nic0, share: 0.3}", "{device: node0.nic0, share: 0, at: 500 us}",
                           "{device: node0.nic0, share: 0.5, at: 500 us, until: 1 ms, every: 1 ms, times: 3}",
                           "{cable: [node1.nic0, leaf0], share: 0.25, at: 1 ms}"};
    const double healthy = seconds(with_events(""));
    for (const char* events : std::span(cases).first(testing::thorough() ? std::size(cases) : 1)) {
        INFO(events);
        const double fluid = seconds(with_events(events));
        const double packets = seconds(with_events(events, "packet"));
        CHECK(packets == Approx(fluid).epsilon(0.05));
        CHECK(fluid > 0.999 * healthy);
    }
}

TEST_CASE("a straggler's kernels take longer by what it lacks, from when on it lacks it") {
    const double healthy = simulate(parse_scenario(step, "t.yaml"), catalogue()).steps.front().step_time_s;
    const auto slow = [&](const std::string& event) {
        return simulate(parse_scenario(step + "events: [" + event + "]\n", "t.yaml"), catalogue())
            .steps.front()
            .step_time_s;
    };
    const double half = slow("{device: node0.gpu0, share: 0.5}");
    CHECK(half > 1.5 * healthy);
    CHECK(half < 2.001 * healthy);
    const double later = slow("{device: node0.gpu0, share: 0.5, at: " + std::to_string(healthy * 500) + " ms}");
    CHECK(later > 1.2 * healthy);
    CHECK(later < 0.9 * half);
}

TEST_CASE("healthy time passes slowly on a slow device, and the two functions undo each other") {
    const std::vector<PaceChange> slow = {{microseconds(10), 0.5}, {microseconds(30), 1}, {microseconds(40), 0.1}};
    CHECK(healthy_time(slow, Time{}, microseconds(50)) == microseconds(10 + 10 + 10 + 1));
    CHECK(when_passed(slow, Time{}, 15e-6) == microseconds(20));
    for (const std::int64_t us : {1, 9, 10, 11, 20, 25, 30, 31, 100}) {
        const Duration passed = healthy_time(slow, microseconds(3), microseconds(3 + us));
        CHECK(to_seconds(when_passed(slow, microseconds(3), to_seconds(passed))) ==
              Approx(to_seconds(microseconds(3 + us))));
    }
    CHECK(when_passed({}, microseconds(3), 4e-6) == microseconds(7));
}

// Three calls are replayed, of which the last is timed.
TEST_CASE("an event that is over before the timed call begins costs nothing, and a note says when it would count") {
    const auto calls = [](const std::string& times) {
        return parse_scenario(
            "name: t\ncluster: {node: dgx-h100, nodes: 2}\n"
            "workload: {kind: collective, collective: all_reduce, sizes: [1 GiB]}\nevents: [{device: leaf0, share: "
            "0.5" +
                times + "}]\n",
            "t.yaml");
    };
    const OutageCost over = outage(calls(", until: 1 us"), catalogue());
    CHECK(over.rows.at(0).cost() == Approx(0).margin(1e-9));
    REQUIRE(over.notes.size() == 1);
    CHECK_THAT(over.notes[0], ContainsSubstring("events[0] is not timed: it is over before the call that is timed "
                                                "begins, the last of") &&
                                  ContainsSubstring("state `at` and `until` within that span, or no `until`"));
    CHECK_THAT(to_text(over), ContainsSubstring("# events[0] is not timed"));
    CHECK(to_json(over).at("notes").size() == 1);
    // So is each of its flaps.
    CHECK(outage(calls(", until: 1 us, every: 2 us, times: 3"), catalogue()).notes.size() == 1);
    for (const char* times : {"", ", until: 10 s"}) {
        const OutageCost timed = outage(calls(times), catalogue());
        CHECK(timed.notes.empty());
        CHECK(timed.rows.at(0).cost() > 0.1);
    }
}

TEST_CASE("what a dead optic costs: both runs side by side, and who goes round") {
    Scenario scenario = with_events("");
    scenario.events = {without({"node0.nic0", "leaf0"})};
    const OutageCost found = outage(scenario, catalogue());
    REQUIRE(found.rows.size() == 1);
    CHECK(found.rows[0].failed_s >= found.rows[0].healthy_s);
    CHECK(found.ways == 1);
    REQUIRE(found.diverted.size() == 1);
    CHECK(found.diverted[0].left.find("node0.nic0") != std::string::npos);
    CHECK(found.cut.empty());
    const std::string told = to_text(found);
    CHECK(told.find("1 of 1 ways between neighbours go round") != std::string::npos);
    CHECK(told.find("healthy") != std::string::npos);
    CHECK(to_json(found).at("rows").size() == 1);
    // A leaf that everything hangs on cannot be gone round.
    scenario.events = {without({"leaf0"})};
    CHECK_THROWS_AS(outage(scenario, catalogue()), CannotEnd);
}
