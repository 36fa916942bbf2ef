// Whole steps: what they add up to, and what must not change them.

#include <algorithm>
#include <cmath>

#include "sim/plan/training/group_calls.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/plan/training/step_account.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/summarize_training.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/training/small.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario scenario_of(const std::vector<std::string>& set = {}) { return parse_scenario(small, "small.yaml", set); }

const TrainingWorkload& training_of(const Scenario& s) { return std::get<TrainingWorkload>(s.workload); }

StepRow step(const std::vector<std::string>& set = {}) { return simulate(scenario_of(set), catalogue()).steps.at(0); }

double seconds(const StepPlan& plan, const Fabric& fabric, const std::vector<LinkEvent>& events = {}) {
    return to_seconds(replay(Flow{}, fabric, plan.schedule, events).makespan - Time{});
}

LinkEvent slow(DeviceId gpu, double share, Time at = {}) { return {at, {}, share, gpu}; }

}  // namespace

TEST_CASE("the parts of a step add up to it") {
    for (const std::vector<std::string>& set : {std::vector<std::string>{},
                                                {"workload.parallelism.chunks=2"},
                                                {"workload.parallelism.context=2"},
                                                {"workload.parallelism.pipeline=1", "workload.sharding=zero-3"},
                                                {"workload.dimensions.experts=8", "workload.parallelism.expert=4"}}) {
        const StepRow r = step(set);
        const double sum = r.compute_s + r.exposed_s() + r.bubble_s + r.fixed_s;
        CHECK(sum == Approx(r.step_time_s).epsilon(1e-9));
        CHECK(r.compute_s > 0);
        CHECK(r.mfu < 1);
        CHECK(r.tokens_per_s == Approx(32 * 2048 / r.step_time_s));
    }
}

TEST_CASE("identical replicas simulated once give the step of all of them simulated each") {
    for (const std::vector<std::string>& set : {std::vector<std::string>{},
                                                {"workload.parallelism.chunks=2"},
                                                {"workload.overlap.tensor=true"},
                                                {"workload.parallelism.context=2"},
                                                {"workload.sharding=ddp"},
                                                {"workload.order=gpipe"}}) {
        const Scenario s = scenario_of(set);
        const Fabric fabric(build(s, catalogue()));
        const StepPlan once = plan_step(training_of(s), fabric, s.library, catalogue(), Replicas::folded);
        const StepPlan each = plan_step(training_of(s), fabric, s.library, catalogue(), Replicas::each);
        CHECK(each.schedule.size() > 2 * once.schedule.size());
        CHECK(seconds(each, fabric) == Approx(seconds(once, fabric)).epsilon(1e-6));
    }
}

TEST_CASE("one slow GPU of any replica costs what it does with every replica simulated") {
    const Scenario s = scenario_of();
    const Fabric fabric(build(s, catalogue()));
    const StepPlan once = plan_step(training_of(s), fabric, s.library, catalogue(), Replicas::folded);
    const StepPlan each = plan_step(training_of(s), fabric, s.library, catalogue(), Replicas::each);
    const double healthy = seconds(once, fabric);
    for (const std::uint32_t stage : {0U, 1U}) {
        const std::uint32_t rank = once.layout.device_rank(stage, 5);
        const Time middle{from_seconds(healthy / 2).ps};
        const std::vector<LinkEvent> oracle = {slow(fabric.gpu(rank), 0.7, middle)};
        // Its tensor neighbour, which no plan computes on, is as slow for the whole stage.
        for (const std::uint32_t which : {rank, rank + 1}) {
            const std::vector<LinkEvent> events =
                at_representatives({slow(fabric.gpu(which), 0.7, middle)}, once.layout, fabric);
            const double found = seconds(once, fabric, events);
            CHECK(found == Approx(seconds(each, fabric, oracle)).epsilon(1e-3));
            CHECK(found > 1.01 * healthy);
        }
    }
}

TEST_CASE("a run feels the slow GPU of its scenario, whichever it is") {
    // The second of a stage's two tensor ranks, on which no plan computes: all but its launches take twice as long.
    const StepRow healthy = step(),
                  slowed = simulate(parse_scenario(
                                        std::string(small) + "events: [{at: 0 us, device: node1.gpu3, share: 0.5}]\n",
                                        "small.yaml"),
                                    catalogue())
                               .steps.at(0);
    CHECK(slowed.step_time_s > healthy.step_time_s + 0.5 * healthy.compute_s);
}

TEST_CASE("of several slow GPUs of a stage the slowest counts at each moment") {
    const Scenario s = scenario_of();
    const Fabric fabric(build(s, catalogue()));
    const Layout layout = plan_step(training_of(s), fabric, s.library, catalogue()).layout;
    const LinkEvent link{microseconds(3), LinkId{7}, 0.5};
    const std::vector<LinkEvent> found =
        at_representatives({slow(fabric.gpu(3), 1, microseconds(9)), slow(fabric.gpu(3), 0.5, microseconds(1)), link,
                            slow(fabric.gpu(1), 0.8), slow(fabric.gpu(30), 0.9)},
                           layout, fabric);
    REQUIRE(found.size() == 5);
    CHECK(found[0].link == link.link);
    const std::vector<std::pair<std::uint32_t, double>> expected = {{0, 0.8}, {16, 0.9}, {0, 0.5}, {0, 0.8}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(found[i + 1].device == fabric.gpu(expected[i].first));
        CHECK(found[i + 1].share == expected[i].second);
    }
}

TEST_CASE("channels of collectives that run beside computation slow it") {
    // Everything that runs beside computation, with 0, 8 and 24 of 132 SMs held and no memory traffic of its own.
    const Scenario s = scenario_of({"workload.overlap.tensor=true"});
    const Fabric fabric(build(s, catalogue()));
    const auto with = [&](std::uint16_t channels) {
        StepPlan plan = plan_step(training_of(s), fabric, s.library, catalogue());
        for (Occupancy& held : plan.schedule.occupancies) { held = {held.device, channels, 0}; }
        return seconds(plan, fabric);
    };
    const double none = with(0), some = with(8), many = with(24);
    CHECK(none < some);
    CHECK(some < many);
    // No more than if all computation ran at what is left of the SMs.
    CHECK(some < none * 132 / (132 - 8));
    CHECK(many < none * 132 / (132 - 24));
}

TEST_CASE("so many calls in one operation take as long as one after the other") {
    const Scenario s = scenario_of();
    const Fabric fabric(build(s, catalogue()));
    for (const Collective collective :
         {Collective::all_gather, Collective::all_reduce, Collective::all_to_all, Collective::sendrecv}) {
        const auto calls = [&](double times, int repeats) {
            GroupPlans plans(fabric, s.library, catalogue(), false);
            GroupCalls groups(fabric, plans);
            Schedule schedule;
            std::vector<Schedule::Dependency> after;
            for (int i = 0; i < repeats; ++i) {
                const std::vector<OpId> ends =
                    groups.add(schedule, {CommKind::data, collective, 64e6, times}, Groups{8, 2, 0, 32}, {}, after);
                after = {{ends.back(), DependsOn::finish}};
            }
            return to_seconds(replay(Flow{}, fabric, schedule).makespan - Time{});
        };
        INFO(to_string(collective));
        CHECK(calls(5, 1) == Approx(calls(1, 5)).epsilon(1e-6));
    }
}

TEST_CASE("1F1B waits for each of its sends, GPipe computes beside them") {
    // Two stages, four micro-batches. 1F1B: the first forward's send, then after each micro-batch's forward and
    // backward the exchange of the next activations for its gradients. GPipe: the first send and the last.
    const auto more = [](const std::vector<std::string>& set) {
        Scenario s = scenario_of(set);
        std::get<TrainingWorkload>(s.workload).sharding = Sharding::ddp;
        Catalog slow = catalogue();
        slow.parts.at("transport-ib-ndr").figures.at("p2p_start").value.front() += 0.5e-3;
        return simulate(s, slow).steps.at(0).step_time_s - simulate(s, catalogue()).steps.at(0).step_time_s;
    };
    CHECK(more({}) == Approx((4 + 1) * 0.5e-3).epsilon(1e-3));
    CHECK(more({"workload.order=gpipe"}) == Approx(2 * 0.5e-3).epsilon(1e-3));
}

TEST_CASE("one stage takes and holds the same in every order") {
    for (const std::string sharding : {"zero-1", "zero-3"}) {
        const auto of = [&](const std::string& order) {
            return step(
                {"workload.parallelism.pipeline=1", "workload.sharding=" + sharding, "workload.order=" + order});
        };
        const StepRow plain = of("1f1b");
        for (const char* order : {"gpipe", "zero-bubble", "dual-pipe"}) {
            CHECK(of(order).step_time_s == plain.step_time_s);
            CHECK(of(order).memory_bytes() == plain.memory_bytes());
        }
    }
}

TEST_CASE("a step's time grows with what it does") {
    const double base = step().step_time_s;
    CHECK(step({"workload.recompute=full"}).step_time_s > 1.1 * base);
    CHECK(step({"workload.overlap.gradients=false"}).step_time_s > base);
    CHECK(step({"workload.parallelism.chunks=2"}).bubble_s < step().bubble_s);
    CHECK(step({"workload.precision=fp8"}).step_time_s < base);
    CHECK(step({"cluster.fabric.link=ethernet-25g"}).step_time_s > base);
    CHECK(step({"workload.attention=flash-2"}).step_time_s > base);
}

TEST_CASE("one GPU communicates with nobody") {
    const StepRow r = step({"cluster.nodes=1", "cluster.gpus_per_node=1", "workload.parallelism.tensor=1",
                            "workload.parallelism.pipeline=1"});
    CHECK(r.exposed_s() == 0);
    CHECK(r.bubble_s == Approx(0).margin(1e-9));
}

TEST_CASE("what does not fit is refused at its key, with how much is missing") {
    const auto refused = [](const std::vector<std::string>& set) {
        try {
            simulate(scenario_of(set), catalogue());
        } catch (const InputError& error) { return std::string(error.what()); }
        return std::string();
    };
    CHECK_THAT(refused({"workload.dimensions.layers=400"}), ContainsSubstring("GB too little"));
    CHECK_THAT(refused({"workload.dimensions.layers=400"}), ContainsSubstring("check_memory: false"));
    CHECK(refused({"workload.dimensions.layers=400", "workload.check_memory=false"}).empty());
    CHECK_THAT(refused({"workload.parallelism.tensor=3"}), ContainsSubstring("does not divide the model's 32 heads"));
    CHECK_THAT(refused({"workload.parallelism.data=3"}),
               ContainsSubstring("takes 12 GPUs; the cluster has 32 (accepted: 8)"));
    CHECK_THAT(refused({"workload.global_batch=33"}), ContainsSubstring("not a multiple of micro_batch x data = 8"));
    CHECK_THAT(refused({"workload.parallelism.expert=2"}), ContainsSubstring("experts"));
}

TEST_CASE("a precision that a GPU does not have, or not as the catalogue knows, is refused by the GPU's name") {
    for (const std::string precision : {"fp4", "mxfp8"}) {
        CHECK_THROWS_WITH(simulate(scenario_of({"workload.precision=" + precision}), catalogue()),
                          ContainsSubstring("'h100-sxm' has no " + precision + " arithmetic"));
    }
}

TEST_CASE("keys of experts are refused on a dense model") {
    for (const std::string key :
         {"dispatch=once", "narrow_dispatch=true", "balanced_routing=true", "skew=3", "overlap.experts=true",
          "parallelism.expert_tensor=2", "dimensions.experts_per_token=2", "dimensions.expert_ffn=1024"}) {
        INFO(key);
        CHECK_THROWS_WITH(simulate(scenario_of({"workload." + key}), catalogue()),
                          ContainsSubstring("'" + key.substr(0, key.find('=')) + "' changes nothing"));
    }
}

TEST_CASE("keys that a layout gives nothing to do are noted, as are those of calls") {
    const auto notes = [](const std::vector<std::string>& set) {
        std::string all;
        for (const std::string& note : simulate(scenario_of(set), catalogue()).notes) { all += note + "\n"; }
        return all;
    };
    const std::string one = "workload.parallelism.tensor=1";
    CHECK_THAT(notes({"workload.overlap.tensor=true", one}), ContainsSubstring("`workload.overlap.tensor` changes"));
    CHECK_THAT(notes({"workload.context_by=ulysses"}), ContainsSubstring("`workload.context_by` changes nothing"));
    CHECK_THAT(notes({"workload.sharding=ddp", "workload.parallelism.shard=4"}),
               ContainsSubstring("`workload.parallelism.shard` changes nothing"));
    CHECK_THAT(notes({"workload.gather_bucket=1 GiB", "workload.sharding=zero-1"}),
               ContainsSubstring("`workload.gather_bucket` changes nothing"));
    CHECK_THAT(notes({"workload.order=gpipe", "workload.parallelism.pipeline=1"}),
               ContainsSubstring("`workload.order` changes nothing"));
    CHECK_THAT(notes({"launch.mode=thread"}), ContainsSubstring("keys of `launch:` change nothing"));
    CHECK_THAT(notes({"workload.overlap.tensor=true", "workload.parallelism.shard=4"}), !ContainsSubstring("change"));
}

TEST_CASE("heads that do not divide what they share are refused at their key") {
    const auto refused = [](const std::vector<std::string>& set) {
        try {
            simulate(scenario_of(set), catalogue());
        } catch (const InputError& error) { return std::string(error.what()); }
        return std::string();
    };
    CHECK_THAT(refused({"workload.dimensions.heads=7", "workload.parallelism.tensor=1"}),
               ContainsSubstring("7 heads do not divide the hidden size of 4096"));
    CHECK_THAT(refused({"workload.dimensions.kv_heads=5"}),
               ContainsSubstring("5 heads of keys and values do not divide the model's 32 heads"));
    CHECK_THAT(refused({"workload.dimensions.kv_heads=64"}),
               ContainsSubstring("64 heads of keys and values do not divide the model's 32 heads"));
    CHECK(refused({"workload.dimensions.kv_heads=8"}).empty());
    CHECK(refused({"workload.dimensions.heads=7", "workload.dimensions.head_size=128", "workload.parallelism.tensor=1"})
              .empty());
}

TEST_CASE(
    "a training row carries an interval and the evidence of the tables that are like it, wider where none has its "
    "kind") {
    // Nobody has published a table of such a step: another network.
    const std::vector<std::string> strange = {"workload.dimensions.experts=32",  "workload.parallelism.tensor=1",
                                              "workload.parallelism.pipeline=1", "workload.parallelism.expert=32",
                                              "workload.framework=pytorch-ddp",  "workload.global_batch=32",
                                              "cluster.fabric.link=ethernet-10g"};
    const StepRow usual = step(), rare = step(strange);
    CHECK(rare.evidence > usual.evidence);
    CHECK(usual.time_low80_s < usual.step_time_s);
    CHECK(usual.time_high80_s > usual.step_time_s);
    CHECK(rare.time_high80_s / rare.step_time_s > usual.time_high80_s / usual.step_time_s);
    CHECK(rare.time_low80_s / rare.step_time_s < usual.time_low80_s / usual.step_time_s);
    const Report report = simulate(scenario_of(strange), catalogue());
    const auto said = [&](const char* note) {
        return std::count(report.evidence_notes.begin(), report.evidence_notes.end(), note) == 1;
    };
    CHECK(said("no training table has ethernet-10g"));
    // In the text and in JSON as for collectives.
    const std::string text = step_table(scenario_of(strange), report.steps);
    CHECK_THAT(text, ContainsSubstring("80 %"));
    CHECK_THAT(text, ContainsSubstring(std::string(to_string(rare.evidence))));
    CHECK_THAT(table_footer(scenario_of(strange), report), ContainsSubstring("# weakest evidence: "));
    const Json json = records_json(report.steps, step_columns());
    CHECK(json.at(0).at("time_low80_s").get<double>() == Approx(rare.time_low80_s));
    CHECK(json.at(0).at("time_high80_s").get<double>() == Approx(rare.time_high80_s));
    CHECK(json.at(0).at("evidence").get<std::string>() == to_string(rare.evidence));
}

TEST_CASE("evidence of aspects counts what no table has, and how far beyond the largest a run is") {
    const AspectsMet met = {{"gpu.h100-sxm.bf16", 512},
                            {"framework.megatron", 512},
                            {"sequence.h100-sxm.bf16", 8192},
                            {"sharding.zero-1", 512}};
    std::vector<std::string> notes;
    const auto rated = [&](std::vector<std::string> aspects, double gpus, double sequence = 4096) {
        return evidence_of_aspects(aspects, {gpus, sequence}, met, catalogue(), notes);
    };
    CHECK(rated({"gpu.h100-sxm.bf16", "framework.megatron"}, 4096) == Evidence::same_gpu_era_fabric);
    CHECK(rated({"gpu.h100-sxm.bf16", "framework.megatron"}, 4104) == Evidence::same_family);
    CHECK(rated({"gpu.h100-sxm.fp8", "framework.megatron"}, 8) == Evidence::same_family);
    CHECK(rated({"gpu.h200-sxm.bf16", "framework.megatron"}, 8) == Evidence::same_family);
    CHECK(rated({"gpu.h100-sxm.bf16", "framework.jax", "experts.between"}, 8) == Evidence::formula_only);
    CHECK(rated({"gpu.p100-sxm.fp16", "framework.megatron"}, 8) == Evidence::formula_only);
    CHECK(rated({"gpu.h100-sxm.bf16", "framework.megatron"}, 8, 65536) == Evidence::same_gpu_era_fabric);
    CHECK(rated({"gpu.h100-sxm.bf16", "framework.megatron"}, 8, 65537) == Evidence::same_family);
    CHECK(notes.back() == "the longest sequences in training tables of this GPU and precision have 8192 tokens");
    CHECK(std::count(notes.begin(), notes.end(), "no training table has experts between nodes") == 1);
}

TEST_CASE("an MFU that is mostly attention says that it counts the masked half, and what it is without") {
    const std::vector<std::string> long_sequences = {"workload.sequence_length=4194304", "workload.check_memory=false"};
    const Report report = simulate(scenario_of(long_sequences), catalogue());
    const StepRow& row = report.steps.at(0);
    const auto counts = [](const std::string& n) { return n.starts_with("an MFU of "); };
    const auto note = std::ranges::find_if(report.notes, counts);
    REQUIRE(note != report.notes.end());
    // Of sequences of 4 M tokens nearly all work is attention, so that the rest of the MFU is little more than half.
    const double without = std::stod(note->substr(note->rfind(' ')));
    CHECK(without > 0.5 * row.mfu);
    CHECK(without < 0.55 * row.mfu);
    CHECK(without < 1);
    CHECK(row.evidence >= Evidence::same_family);
    CHECK(std::ranges::none_of(simulate(scenario_of(), catalogue()).notes, counts));
}

TEST_CASE("a batch of more micro-batches than a replay holds is refused at its key, with what is held") {
    // 400,000 pieces in two stages are 200,000 micro-batches, of one sequence on each of eight data ranks.
    const Scenario large = scenario_of({"workload.global_batch=1000000000"});
    CHECK_THROWS_WITH(simulate(large, catalogue()),
                      ContainsSubstring("more than a replay holds (accepted: up to 1600000)"));
}

TEST_CASE("a cluster of a scaling table that cannot run is named by its GPUs") {
    CHECK_THROWS_WITH(
        simulate(scenario_of({"scaling.gpus=[32, 64]", "scaling.mode=strong", "workload.global_batch=8"}), catalogue()),
        ContainsSubstring("at 64 GPUs: a batch of 8 is not a multiple"));
    CHECK_THROWS_WITH(simulate(scenario_of({"scaling.gpus=[32, 64]", "workload.dimensions.layers=400"}), catalogue()),
                      ContainsSubstring("at 32 GPUs: the step needs"));
}

TEST_CASE("weak scaling keeps the work of a GPU, strong scaling that of the step") {
    const auto points = [](const std::string& mode) {
        return simulate(scenario_of({"scaling.gpus=[32, 64, 128]", "scaling.mode=" + mode}), catalogue()).steps;
    };
    const std::vector<StepRow> weak = points("weak");
    REQUIRE(weak.size() == 3);
    CHECK(weak[2].global_batch == 128);
    CHECK(weak[2].efficiency <= 1);
    CHECK(weak[2].efficiency > 0.8);
    const std::vector<StepRow> strong = points("strong");
    CHECK(strong[2].global_batch == 32);
    CHECK(strong[2].efficiency < weak[2].efficiency);
    // Without a stated batch each cluster would fill its own, which is weak scaling under another name.
    CHECK_THROWS_WITH(
        simulate(scenario_of({"scaling.gpus=[32, 64]", "scaling.mode=strong", "workload.global_batch=null"}),
                 catalogue()),
        ContainsSubstring("keeps the batch, and none is stated"));
    // 8e9 sequences have no number of 32 bits: they are not taken for 3,705,032,704.
    const Scenario large = scenario_of({"scaling.gpus=[256]", "scaling.mode=weak", "workload.global_batch=1000000000"});
    CHECK_THROWS_WITH(simulate(large, catalogue()), ContainsSubstring("found 8000000000; accepted: up to 4294967295"));
}
