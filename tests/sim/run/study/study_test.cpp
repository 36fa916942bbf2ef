// Designs side by side: what designs share cancels out of their difference, and the Pareto set is what nothing beats.

#include "sim/run/study/study.hpp"

#include <algorithm>
#include <variant>

#include "sim/run/simulate.hpp"
#include "sim/run/study/ownership.hpp"
#include "sim/run/study/study_report.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

StudyInput design(const std::string& name, const std::string& fabric, const std::string& workload,
                  const std::string& nodes = "128") {
    Scenario s = parse_scenario("name: " + name + "\ncluster: {node: dgx-h100, nodes: " + nodes + ", fabric: {" +
                                    fabric + "}}\nworkload: {" + workload + "}\n",
                                name + ".yaml");
    return {name, s, catalogue()};
}

const std::string rails = "kind: rail-optimized, link: infiniband-ndr, switch: quantum-2, scalable_unit: 32";
const std::string all_to_all = "kind: collective, collective: all_to_all, sizes: [1 GiB]";
const std::string all_reduce = "kind: collective, collective: all_reduce, sizes: [1 GiB]";
const std::string step = "kind: training, model: gpt3-175b, global_batch: 128, parallelism: {tensor: 8, pipeline: 8}";
const StudyOptions quick{.draws = 40};

}  // namespace

TEST_CASE("a design does not differ from itself under another name, in any draw") {
    const Study s = study({design("a", rails, all_to_all, "64"), design("b", rails, all_to_all, "64")}, quick);
    const Difference& d = s.differences.at(0);
    CHECK(d.time.low80 == Approx(0).margin(1e-9));
    CHECK(d.time.high80 == Approx(0).margin(1e-9));
    CHECK(d.capital.low80 == 0);
    CHECK(d.capital.high80 == 0);
    CHECK(d.shared == Approx(1));
    CHECK(d.verdict == Verdict::same);
    CHECK(s.designs[0].best);
    CHECK(s.designs[1].best);
}

TEST_CASE("2:1 against 1:1 at 1,024 GPUs: real for an all-to-all between units, none for an all-reduce in its rails") {
    const std::string half = rails + ", oversubscription: 2";
    const Study exchanged = study({design("one", rails, all_to_all), design("two", half, all_to_all)}, quick);
    const Difference& d = exchanged.differences.at(0);
    CHECK(d.time.value > 0.2);
    CHECK(d.time.low80 > 0);
    CHECK(d.verdict == Verdict::real);
    CHECK(d.capital.high80 < 0);  // eight spines fewer, and half of the trunks, whatever they cost
    CHECK(exchanged.designs[0].parts.bill.switch_count() != exchanged.designs[1].parts.bill.switch_count());
    // One interval of a forecast alone is wider than that of the ratio of the two.
    const Range& alone = exchanged.designs[0].time_s;
    CHECK((alone.high80 - alone.low80) / alone.value > (d.time.high80 - d.time.low80) / (1 + d.time.value));

    const Study reduced = study({design("one", rails, all_reduce), design("two", half, all_reduce)}, quick);
    CHECK(reduced.differences.at(0).verdict == Verdict::same);
}

TEST_CASE("messages between two devices are designs too, and a slower cable is told") {
    const auto message = [](const std::string& name, const std::string& link) {
        return design(name, "kind: rail-optimized, link: " + link,
                      "kind: transfer, from: node0.gpu0, to: node1.gpu0, sizes: [64 MiB]", "2");
    };
    const Study s = study({message("ndr", "infiniband-ndr"), message("hdr", "infiniband-hdr")}, quick);
    CHECK(s.designs.at(0).what == "a message of 64 MiB, gpudirect-rdma at-once");
    CHECK(s.differences.at(0).time.value > 0.5);
    CHECK(s.differences.at(0).verdict == Verdict::real);
}

TEST_CASE("a study's times and intervals are those of run") {
    const StudyInput input = design("a", rails, all_to_all, "16");
    const Study s = study({input}, quick);
    const Row row = simulate(input.scenario, input.catalog).rows.back();
    CHECK(s.designs.at(0).time_s.value == row.time_s);
    CHECK(s.designs[0].time_s.low80 == row.time_low80_s);
    CHECK(s.designs[0].time_s.high80 == row.time_high80_s);
    CHECK(s.designs[0].busbw->value == Approx(row.busbw));
    CHECK(s.differences.empty());
}

TEST_CASE("tokens cost what owning the cluster costs while they are made") {
    const Study s = study({design("a", rails, step, "16")}, quick);
    const DesignResult& r = s.designs.at(0);
    REQUIRE(r.usd_per_million_tokens);
    const Ownership own = ownership(catalogue(), 128);
    const double total = own.total_usd(r.capital_usd->value, r.it_watts->value);
    CHECK(r.usd_per_million_tokens->value == Approx(1e6 * total / (r.tokens_per_s->value * 4 * 365.25 * 86400)));
    CHECK(r.tokens_per_joule->value == Approx(r.tokens_per_s->value / (r.it_watts->value * 1.2)));
    CHECK(r.usd_per_million_tokens->low80 < r.usd_per_million_tokens->value);
    CHECK(r.usd_per_million_tokens->high80 > r.usd_per_million_tokens->value);
    REQUIRE(r.efficiency);
    CHECK(*r.efficiency > 0.5);
    CHECK(*r.efficiency <= 1.001);
    CHECK(r.efficiency_gpus == 64);  // tensor 8 x pipeline 8
}

TEST_CASE("designs are ranked as asked, and one that is slower, dearer and hungrier is in no Pareto set") {
    // Rails need no spine for one unit; a forced third tier only adds switches.
    const std::vector<StudyInput> inputs = {design("three-tiers", rails + ", tiers: 3", all_to_all, "64"),
                                            design("two-tiers", rails, all_to_all, "64")};
    const Study s = study(inputs, quick);
    CHECK(s.designs[0].name == "two-tiers");
    CHECK(s.designs[0].best);
    CHECK_FALSE(s.designs[1].best);
    CHECK(s.differences.at(0).against == "three-tiers");
    const std::string table = study_table(s);
    CHECK_THAT(table, ContainsSubstring("Pareto set") && ContainsSubstring("two-tiers against three-tiers"));
    CHECK(study_json(s).at("designs").size() == 2);
    const std::string csv = csv_text(study_records(s));
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
}

TEST_CASE("a design without a price is last by capital, and the Pareto set compares what is known of both") {
    StudyInput unknown = design("unknown", rails, all_to_all, "64");
    unknown.catalog.parts.at("quantum-2").figures.erase("price");
    const StudyInput priced = design("priced", rails + ", oversubscription: 2", all_to_all, "64");
    for (const StudyOrder order : {StudyOrder::capital, StudyOrder::value}) {
        const Study s = study({unknown, priced}, {.draws = 10, .order = order});
        CHECK(s.order == order);
        CHECK(s.designs[0].name == "priced");
        // The other is faster and takes more watts. Watts are no dollars.
        CHECK(s.designs[0].time_s.value > s.designs[1].time_s.value);
        CHECK(s.designs[0].it_watts->value < s.designs[1].it_watts->value);
        CHECK(s.designs[0].best);
        CHECK(s.designs[1].best);
        CHECK(s.differences.at(0).measure.empty());
        CHECK_THAT(study_table(s),
                   ContainsSubstring("# no capital of unknown is known: the Pareto set compares it by the rest, and in "
                                     "the order it is last"));
        CHECK_THAT(study_page(priced.scenario, s).answer, ContainsSubstring("priced comes first"));
        for (const html::Section& section : study_page(priced.scenario, s).sections) {
            if (const auto* bars = std::get_if<html::Tornado>(&section)) { CHECK(bars->title == "Time"); }
        }
    }
    StudyInput another = unknown;
    another.name = "another";
    const Study none = study({unknown, another}, {.draws = 10});
    CHECK(none.order == StudyOrder::time);
    CHECK_THAT(study_table(none),
               ContainsSubstring("best time first") && ContainsSubstring("the value of no design is known"));
}

TEST_CASE("capital per bus bandwidth is compared as it is printed, also between clusters of other sizes") {
    const Study s = study({design("half", rails, all_to_all, "32"), design("whole", rails, all_to_all, "64")}, quick);
    const auto value_of = [&](const std::string& name) {
        return std::ranges::find(s.designs, name, &DesignResult::name)->usd_per_busbw->value;
    };
    const Difference& d = s.differences.at(0);
    CHECK(d.measure == "capital per bus bandwidth");
    CHECK(d.value.value == Approx(value_of("whole") / value_of("half") - 1));
    CHECK(d.value.low80 <= d.value.value);
    CHECK(d.value.high80 >= d.value.value);
    CHECK(s.designs[0].usd_per_busbw->value < s.designs[1].usd_per_busbw->value);
    CHECK(s.designs[0].name == "half");
}

TEST_CASE("designs that do different work are not ranked by time or value") {
    const std::string small = "kind: collective, collective: all_to_all, sizes: [1 MiB]";
    const std::vector<StudyInput> inputs = {design("big", rails, all_to_all, "16"),
                                            design("small", rails, small, "16")};
    const Study s = study(inputs, quick);
    CHECK_FALSE(s.ranked);
    CHECK(s.designs[0].name == "big");  // as it was named
    CHECK(s.designs[0].best);           // equally dear, slower, but at something else
    CHECK(s.differences.at(0).value.value ==
          Approx(s.designs[1].usd_per_busbw->value / s.designs[0].usd_per_busbw->value - 1));
    CHECK(s.differences.at(0).value.value > 1);
    CHECK_THAT(study_table(s), ContainsSubstring("# 2 designs, as they were named: value does not rank them") &&
                                   ContainsSubstring("different work (all_to_all of 1 GiB; all_to_all of 1 MiB)"));
    CHECK(study_page(inputs[0].scenario, s).answer == "2 designs as they were named: value does not rank them.");
    CHECK(study_json(s).at("ranked") == false);
    CHECK(study(inputs, {.draws = 10, .order = StudyOrder::capital}).ranked);
}

TEST_CASE("steps of another batch or of other sequences are different work") {
    const auto stepping = [](const std::string& name, const std::string& batch_and_length) {
        return design(name, rails,
                      "kind: training, model: llama-3.1-8b, sharding: zero-3, recompute: full, " + batch_and_length,
                      "2");
    };
    const StudyOptions by_time{.draws = 10, .order = StudyOrder::time, .efficiency = false};
    const StudyInput usual = stepping("usual", "global_batch: 64, sequence_length: 2048");
    const Study batches = study({usual, stepping("few", "global_batch: 16, sequence_length: 2048")}, by_time);
    CHECK_FALSE(batches.ranked);
    CHECK_THAT(batches.notes.at(0),
               ContainsSubstring("a batch of 64 of 2048 tokens each; a step of llama-3.1-8b with") &&
                   ContainsSubstring("a batch of 16 of 2048 tokens each"));
    CHECK_FALSE(study({usual, stepping("long", "global_batch: 64, sequence_length: 4096")}, by_time).ranked);
    CHECK(study({usual, stepping("same", "global_batch: 64, sequence_length: 2048, micro_batch: 2")}, by_time).ranked);
}

TEST_CASE("a study says which prices no design uses, and which lines there are") {
    StudyInput stating = design("a", rails, all_reduce, "2");
    stating.scenario.prices = {{"h100-sxm", "1 USD"}, {"quantum-2", "1 USD"}, {"data-centre/electricity", "1 USD/kWh"}};
    const Study s = study({stating}, quick);
    REQUIRE(s.notes.size() == 2);
    CHECK_THAT(s.notes[0],
               ContainsSubstring("'prices.data-centre/electricity' changes nothing here: no design has a cost of"));
    CHECK_THAT(s.notes[1], ContainsSubstring("'prices.h100-sxm' changes nothing") &&
                               ContainsSubstring("but dgx-h100-system, quantum-2, optics-400g"));
    CHECK_THAT(study_table(s), ContainsSubstring("# 'prices.h100-sxm'"));
    // Another design of the study buys GPUs one by one.
    StudyInput other = design("b", rails, all_reduce, "2");
    other.scenario.cluster.node_options["nics"] = "4";
    CHECK(study({stating, other}, quick).notes.size() == 1);
}

TEST_CASE("a study says where designs' power rests on whole systems and on sums of parts") {
    const StudyInput whole = design("whole", rails, all_reduce, "2");
    StudyInput changed = design("changed", rails, all_reduce, "2");
    changed.scenario.cluster.node_options["nics"] = "7";
    StudyInput parts = design("parts", rails, all_reduce, "2");
    parts.scenario.cluster.node = "hgx-h100";
    CHECK(study({whole, changed}, quick).notes.empty());  // a NIC less is a NIC's power less
    CHECK_THAT(study_table(study({whole, changed, parts}, quick)),
               ContainsSubstring("IT power has two bases: of whole, changed that of a whole system (dgx-h100-system), "
                                 "of parts the sum"));
}

TEST_CASE("a study says what a run of the design says, once, after the designs' names") {
    const auto calls = [](const std::string& name, const std::string& events) {
        return StudyInput{
            name,
            parse_scenario("name: t\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {" + all_reduce + "}\n" + events,
                           "t.yaml"),
            catalogue()};
    };
    const std::string over = "events: [{device: leaf0, share: 0.5, until: 1 us}]\n";
    const std::string note = "events[0] is not timed";
    CHECK_THAT(study_table(study({calls("a", over), calls("b", ""), calls("c", over)}, quick)),
               ContainsSubstring("# a, c: " + note));
    CHECK_THAT(study_table(study({calls("a", over), calls("b", over)}, quick)), ContainsSubstring("# " + note));
}

TEST_CASE("a token costs more where failures and checkpoints take time, and its row says so") {
    StudyInput stopped = design("a", rails, step, "16");
    const DesignResult without = study({stopped}, quick).designs.at(0);
    stopped.scenario.goodput = GoodputSpec{microseconds(10'000'000), {}, microseconds(10'000'000)};
    const Study s = study({stopped}, quick);
    const DesignResult& with = s.designs.at(0);
    REQUIRE(with.goodput);
    CHECK(with.goodput->value < 0.51);  // ten seconds of writing after ten of computing
    CHECK(with.usd_per_million_tokens->value == Approx(without.usd_per_million_tokens->value / with.goodput->value));
    CHECK(with.tokens_per_joule->value == Approx(without.tokens_per_joule->value * with.goodput->value));
    CHECK_THAT(study_table(s), ContainsSubstring("1 M tokens at goodput") && !ContainsSubstring("cost of 1 M tokens"));
    CHECK_THAT(study_table(study({design("a", rails, step, "16")}, quick)), ContainsSubstring("cost of 1 M tokens"));
    const Study both = study({design("without", rails, step, "16"), stopped}, quick);
    CHECK_FALSE(both.ranked);
    CHECK(both.differences.at(0).measure.empty());
}

TEST_CASE("a study does not depend on its threads, and does on its seed") {
    const std::vector<StudyInput> inputs = {design("a", rails, all_to_all, "64"),
                                            design("b", rails + ", oversubscription: 2", all_to_all, "64")};
    const std::string one = study_json(study(inputs, {.draws = 20, .threads = 1})).dump();
    CHECK(study_json(study(inputs, {.draws = 20, .threads = 3})).dump() == one);
    CHECK(study_json(study(inputs, {.draws = 20, .seed = 2, .threads = 1})).dump() != one);
}

TEST_CASE("a study says that a key has an old name") {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: dgx-a100}\nworkload: {kind: transfer, from: node0.gpu0, to: node0.memory0, beside: "
        "[node0.gpu1 -> node0.memory0], sizes: [1 MiB]}\n",
        "t.yaml");
    const Study s = study({{"t", scenario, catalogue()}}, quick);
    CHECK_THAT(study_table(s), ContainsSubstring("# `workload.beside` is now called"));
}
