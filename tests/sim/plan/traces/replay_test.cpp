// Recordings replayed: closed forms first, then what must not change.

#include <algorithm>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/sim/plan/traces/replays.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

// One call alone, as a scenario of a collective would plan and replay its first iteration.
Duration call_alone(const Fabric& fabric, const LibrarySpec& library, Collective collective, std::int64_t bytes) {
    PlannedCalls calls(fabric, library, catalogue());
    std::vector<std::uint32_t> all;
    for (std::uint32_t r = 0; r < fabric.gpu_count(); ++r) { all.push_back(r); }
    Schedule schedule;
    calls.add(schedule, calls.group(all), {collective, DataType::float32, {bytes}, 0}, {});
    return replay(Flow{}, fabric, schedule).makespan;
}

}  // namespace

TEST_CASE("kernels of one stream follow each other, streams run side by side, and gaps stay") {
    const Run run = run_yaml(
        "recording: 1\nranks:\n  - rank: 5\n    records:\n"
        "      - {compute: a, stream: 1, time: 10 us}\n"
        "      - {compute: b, stream: 1, time: 20 us, idle: 3 us}\n"
        "      - {compute: c, stream: 2, time: 25 us}\n"
        "      - {compute: d, stream: 2, time: 7 us, after: [1], delay: 4 us}\n",
        system_of("dgx-h100"));
    // d waits for b (33 us) and starts 4 us later.
    CHECK(run.makespan() == microseconds(10 + 3 + 20 + 4 + 7));
    const ReplayReport report = run.report();
    REQUIRE(report.members.size() == 1);
    CHECK(report.members[0].compute_s == Approx(40e-6).epsilon(1e-9));  // 0..10, 13..33 and c within, 37..44
    CHECK(report.members[0].exposed_s == 0);
    CHECK(std::any_of(run.job.notes.begin(), run.job.notes.end(),
                      [](const std::string& n) { return n == "no communication in it: computation only"; }));
}

TEST_CASE("a call of all ranks takes as long as the planner says") {
    const TempFolder folder;
    const Run run(
        import_text(folder, "r.yaml",
                    yaml_of("  - rank: 0\n    records:\n      - {collective: all_reduce, group: g, size: 64 MiB}\n")),
        system_of("dgx-h100", 1, 2));
    CHECK(run.makespan() == call_alone(run.fabric, run.scenario.library, Collective::all_reduce, 64 * MiB));
    REQUIRE(run.replayed.calls.size() == 1);
    CHECK(run.report().uses.at(0).calls == 1);
    CHECK(run.report().members.at(0).exposed_s == Approx(to_seconds(run.makespan())).epsilon(1e-9));
}

TEST_CASE("broadcasts and reduces back to back overlap as those of a collective do, until something else follows") {
    const std::string eight = "[{name: g, size: 8}]";
    for (const std::string kind : {"broadcast", "reduce"}) {
        const auto replayed = [&](int calls, const std::string& more = "") {
            std::string records;
            for (int i = 0; i < calls; ++i) { records += "{collective: " + kind + ", group: g, size: 4 MiB}, "; }
            return to_seconds(run_yaml(yaml_of("  - rank: 0\n    records: [" + records + more + "]\n", eight, 8),
                                       system_of("dgx-h100"))
                                  .makespan());
        };
        const Scenario alone = parse_scenario(
            "name: alone\ncluster: {node: dgx-h100, nodes: 1}\nworkload: {kind: "
            "collective, collective: " +
                kind + ", sizes: [4 MiB]}\n",
            "alone.yaml");
        const double a_call = simulate(alone, catalogue()).rows.at(0).time_s;
        CHECK(replayed(20) == Approx(20 * a_call).epsilon(0.1));
        CHECK(replayed(20) - replayed(19) < 0.5 * replayed(1));
        const std::string other = "{collective: all_reduce, group: g, size: 4 MiB}";
        CHECK(replayed(1, other) == Approx(replayed(1) + replayed(0, other)).epsilon(1e-6));
    }
}

TEST_CASE("a job has as many ranks as its groups name, and where a group's size is unknown all GPUs of the cluster") {
    const TempFolder folder;
    Recording r =
        import_text(folder, "r.yaml",
                    yaml_of("  - rank: 0\n    records:\n      - {collective: all_reduce, group: g, size: 64 MiB}\n"
                            "      - {collective: all_reduce, group: h, size: 64 MiB}\n",
                            "[{name: g, size: 2}, {name: h, size: 2}]"));
    r.world = 0;
    const RecordedJob named = recorded_job(r, 8, 0);
    CHECK(named.world == 2);
    CHECK(std::ranges::none_of(named.notes,
                               [](const std::string& note) { return note.find("how many ranks") < note.size(); }));
    r.groups[1].size = 0;
    CHECK(recorded_job(r, 8, 0).world == 8);
    Recording silent =
        import_text(folder, "s.yaml", "recording: 1\nranks:\n  - {rank: 0, records: [{compute: a, time: 1 us}]}\n");
    CHECK(recorded_job(silent, 8, 0).world == 1);  // it calls nobody
}

TEST_CASE("a call begins when the last of its ranks arrives, and the others wait") {
    const Run run = run_yaml(yaml_of("  - rank: 0\n    records:\n"
                                     "      - {compute: a, stream: 0, time: 100 us}\n"
                                     "      - {collective: all_reduce, group: g, size: 1 MiB, stream: 0}\n"
                                     "  - rank: 1\n    records:\n"
                                     "      - {compute: a, stream: 0, time: 30 us}\n"
                                     "      - {collective: all_reduce, group: g, size: 1 MiB, stream: 0}\n"),
                             system_of("dgx-h100", 1, 2));
    const Duration call = call_alone(run.fabric, run.scenario.library, Collective::all_reduce, MiB);
    CHECK(run.makespan() == microseconds(100) + call);
    const ReplayReport report = run.report();
    CHECK(report.members[0].waiting_s == 0);
    CHECK(report.members[1].waiting_s == Approx(70e-6).epsilon(1e-9));
    CHECK(report.members[1].exposed_s == Approx(70e-6 + to_seconds(call)).epsilon(1e-9));
}

TEST_CASE("a kernel beside a call hides it") {
    const std::string records =
        "  - rank: 0\n    records:\n"
        "      - {compute: a, stream: 0, time: 1 us}\n"
        "      - {collective: all_reduce, group: g, size: 1 MiB, stream: 1, after: [0]}\n"
        "      - {compute: b, stream: 0, time: 10 ms}\n";
    const Run run = run_yaml(yaml_of(records), system_of("dgx-h100", 1, 2));
    CHECK(run.makespan() == microseconds(10'001));
    CHECK(run.report().members[0].exposed_s == 0);
    CHECK(run.report().members[0].comm_s > 0);
}

TEST_CASE("kernels are scaled by what bounds them") {
    const GpuSpec a100 = gpu_scaling(catalogue(), {}, "a100-sxm4-40", "").recorded;
    const auto time_on = [&](const std::string& bound, const std::string& dtype) {
        const std::string text =
            "recording: 1\nranks:\n  - rank: 0\n    records:\n      - {compute: k, time: 1 ms, bound: " + bound +
            ", dtype: " + dtype + "}\n";
        return to_seconds(run_yaml(text, system_of("dgx-h100"), "a100-sxm4-40").makespan());
    };
    const Fabric h100(build(system_of("dgx-h100"), catalogue()));
    const GpuSpec& now = h100.node().gpu;
    CHECK(time_on("memory", "bfloat16") == Approx(1e-3 * a100.memory_bandwidth / now.memory_bandwidth).epsilon(1e-6));
    CHECK(time_on("arithmetic", "bfloat16") == Approx(1e-3 * a100.bf16 / now.bf16).epsilon(1e-6));
    CHECK(time_on("arithmetic", "float32") == Approx(1e-3 * a100.fp32 / now.fp32).epsilon(1e-6));
    CHECK(time_on("neither", "bfloat16") == Approx(1e-3).epsilon(1e-9));
}

TEST_CASE("work without a time follows the roofline of the cluster's GPU") {
    const Run run = run_yaml(
        "recording: 1\nranks:\n  - rank: 0\n    records:\n"
        "      - {compute: copy, bytes: 1 GB}\n"
        "      - {compute: product, flops: 1e12, dtype: bfloat16}\n",
        system_of("dgx-h100"));
    const GpuSpec& gpu = run.fabric.node().gpu;
    CHECK(to_seconds(run.makespan()) == Approx(1e9 / gpu.memory_bandwidth + 1e12 / gpu.bf16).epsilon(1e-6));
}

TEST_CASE("a driver's name finds the catalogue's GPU") {
    CHECK(gpu_named(catalogue(), "NVIDIA A100-SXM4-40GB", "") == "a100-sxm4-40");
    CHECK(gpu_named(catalogue(), "NVIDIA A100-SXM4-80GB", "") == "a100-sxm4-80");
    CHECK(gpu_named(catalogue(), "NVIDIA A100 80GB PCIe", "") == "a100-pcie-80");
    CHECK(gpu_named(catalogue(), "NVIDIA H100 80GB HBM3", "") == "h100-sxm");
    CHECK(gpu_named(catalogue(), "NVIDIA H100 PCIe", "") == "h100-pcie");
    CHECK(gpu_named(catalogue(), "NVIDIA GH200 480GB", "") == "gh200");
    CHECK(gpu_named(catalogue(), "Tesla V100-SXM2-32GB", "") == "v100-sxm2");
    CHECK(gpu_named(catalogue(), "AMD Instinct MI250X", "").empty());
}

TEST_CASE("one rank's file stands for all, group by group") {
    // Rank 0 of 16 reduces over the GPUs of its node and over both nodes: so does every other.
    const std::string records =
        "  - rank: 0\n    records:\n"
        "      - {collective: all_reduce, group: tensor, size: 8 MiB, stream: 0}\n"
        "      - {collective: all_reduce, group: data, size: 8 MiB, stream: 0}\n";
    const std::string text =
        "recording: 1\nworld: 16\ngroups:\n  - {name: tensor, ranks: [0, 1, 2, 3, 4, 5, 6, 7]}\n"
        "  - {name: data, ranks: [0, 8]}\nranks:\n" +
        records;
    const Run run = run_yaml(text, system_of("dgx-h100", 2));
    CHECK(run.job.copies);
    CHECK(run.job.communicators.size() == 2 + 8);
    CHECK(run.replayed.calls.size() == 2 + 8);
    const ReplayReport report = run.report();
    REQUIRE(report.uses.size() == 2);
    CHECK((report.uses[0].group == "data" && report.uses[0].groups == 8 && report.uses[0].calls == 8));
    CHECK((report.uses[1].group == "tensor" && report.uses[1].groups == 2));
    // All ranks end together, as the fabric is the same for all.
    for (const ReplayRank& rank : report.members) { CHECK(rank.end_s == Approx(report.makespan_s).epsilon(1e-9)); }
}

TEST_CASE("sixteen files give what one that stands for them gives") {
    const std::string head = "recording: 1\nworld: 16\ngroups:\n  - {name: all, size: 16}\nranks:\n";
    const auto rank = [](int r) {
        return "  - rank: " + std::to_string(r) +
               "\n    records:\n"
               "      - {compute: a, stream: 0, time: 20 us}\n"
               "      - {collective: all_gather, group: all, size: 16 MiB, stream: 1, after: [0]}\n"
               "      - {compute: b, stream: 0, time: 5 us, after: [1]}\n";
    };
    std::string many = head;
    for (int r = 0; r < 16; ++r) { many += rank(r); }
    const Run one = run_yaml(head + rank(0), system_of("dgx-h100", 2));
    const Run all = run_yaml(many, system_of("dgx-h100", 2));
    CHECK(one.job.copies);
    CHECK_FALSE(all.job.copies);
    CHECK(one.makespan() == all.makespan());
}

TEST_CASE("ranks that wait for each other in a circle cannot end, and the message names one") {
    const TempFolder folder;
    const std::string text = yaml_of(
        "  - rank: 0\n    records:\n"
        "      - {receive: 1, size: 1 B, stream: 0}\n      - {send: 1, size: 1 B, stream: 0}\n"
        "  - rank: 1\n    records:\n"
        "      - {receive: 0, size: 1 B, stream: 0}\n      - {send: 0, size: 1 B, stream: 0}\n");
    CHECK_THROWS_AS(Run(import_text(folder, "r.yaml", text), system_of("dgx-h100")), CannotEnd);
    CHECK_THROWS_WITH(Run(import_text(folder, "r.yaml", text), system_of("dgx-h100")),
                      ContainsSubstring("rank 0, record 0 (receive) waits for a send of rank 1"));
}

TEST_CASE("calls that do not match are refused by rank and record") {
    const TempFolder folder;
    const auto refused = [&](const std::string& ranks, const char* message,
                             const std::string& groups = "[{name: g, size: 2}]", int world = 2) {
        CHECK_THROWS_WITH(Run(import_text(folder, "r.yaml", yaml_of(ranks, groups, world)), system_of("dgx-h100")),
                          ContainsSubstring(message));
    };
    refused(
        "  - rank: 0\n    records: [{collective: all_reduce, group: g, size: 1 KiB}]\n"
        "  - rank: 1\n    records: [{collective: all_reduce, group: g, size: 2 KiB}]\n",
        "rank 0, record 0 (all_reduce) of 1024 B and rank 1, record 0 (all_reduce) of 2048 B");
    refused(
        "  - rank: 0\n    records: [{collective: all_reduce, group: g, size: 1 KiB}]\n"
        "  - rank: 1\n    records: [{compute: a, time: 1 us}]\n"
        "  - rank: 2\n    records: [{compute: a, time: 1 us}]\n",
        "rank 3 takes part but is not recorded", "[{name: g, ranks: [0, 3]}]", 4);
    refused(
        "  - rank: 0\n    records: [{receive: 1, size: 1 KiB}]\n  - rank: 1\n    records: [{compute: a, time: 1 us}]\n",
        "rank 0, record 0 (receive): rank 1 sends nothing that fits");
    refused("  - rank: 0\n    records: [{collective: all_reduce, group: g, size: 1 KiB}]\n", "does not belong",
            "[{name: g, ranks: [4, 5]}]", 6);
}

TEST_CASE("a recording of more ranks than the cluster has is refused") {
    const TempFolder folder;
    const std::string text =
        "recording: 1\nworld: 16\nranks:\n  - rank: 0\n    records: [{collective: all_reduce, size: 1 KiB}]\n";
    CHECK_THROWS_WITH(Run(import_text(folder, "r.yaml", text), system_of("dgx-h100")),
                      ContainsSubstring("the recording is of 16 ranks, the cluster has 8 GPUs"));
}

TEST_CASE("calls that some ranks recorded and others did not are left out, and said") {
    const Run run = run_yaml(yaml_of("  - rank: 0\n    records: [{collective: all_reduce, group: g, size: 1 KiB}, "
                                     "{collective: all_reduce, group: g, size: 1 KiB}]\n"
                                     "  - rank: 1\n    records: [{collective: all_reduce, group: g, size: 1 KiB}]\n"),
                             system_of("dgx-h100"));
    CHECK(run.replayed.calls.size() == 1);
    REQUIRE(run.replayed.notes.size() == 1);
    CHECK_THAT(run.replayed.notes[0], ContainsSubstring("the last 1 are left out"));
}

TEST_CASE("a PyTorch trace without calls lasts as long as it was recorded") {
    const TempFolder folder;
    std::string text = kineto_trace();
    for (std::size_t at = text.find("nccl"); at != std::string::npos; at = text.find("nccl", at)) {
        text.replace(at, 4, "mycl");  // kernels of another library keep their times
    }
    const Run run(import_text(folder, "rank0.json", text), system_of("dgx-a100"), "a100-sxm4-40");
    CHECK(run.makespan() == microseconds(233));
}

TEST_CASE("two ranks' PyTorch traces meet in their calls") {
    const TempFolder folder;
    folder.write("rank0.json", kineto_trace(0));
    folder.write("rank1.json.gz", gzipped(kineto_trace(1)));
    Recording both = import_trace({folder.path(), nullptr, {}});
    REQUIRE(both.ranks.size() == 2);
    const Run run(std::move(both), system_of("dgx-a100", 1, 2), "a100-sxm4-40");
    const Duration call = call_alone(run.fabric, run.scenario.library, Collective::all_reduce, 4 * MiB);
    // 100 us of gemm, 5 us to launch, the call, 3 us until the optimizer, which takes 30 us.
    CHECK(to_seconds(run.makespan()) == Approx(138e-6 + to_seconds(call)).epsilon(0.02));
    const std::vector<TraceSpan> spans = run.spans();
    CHECK(spans.size() == 8);
    CHECK((spans[0].row == "rank 0" && spans[0].lane == "stream 7" && spans[0].name == "gemm_bf16"));
}

TEST_CASE("every format's fixture replays on every engine that there is") {
    const TempFolder folder;
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"rank0.json", kineto_trace()},
                                     {"old.json", older_kineto_trace()},
                                     {"t.goal", goal_trace},
                                     {"t.xml", msccl_trace},
                                     {"t.log", nccl_log},
                                     {"et.0.json", pytorch_et_trace},
                                     {"r.yaml", recording_trace}}) {
        INFO(name);
        const Run flow(import_text(folder, name, text), system_of("dgx-a100", 1, 2));
        const Run again(import_text(folder, name, text), system_of("dgx-a100", 1, 2));
        CHECK(flow.makespan().ps > 0);
        CHECK(flow.makespan() == again.makespan());
        const Run analytic(import_text(folder, name, text), system_of("dgx-a100", 1, 2), "", 0, Analytic{});
        CHECK(to_seconds(analytic.makespan()) == Approx(to_seconds(flow.makespan())).epsilon(0.1));
    }
}

TEST_CASE("a group that lists a rank twice is refused, whatever wrote it") {
    const TempFolder folder;
    std::string text = kineto_trace();
    text.replace(text.find("[0, 1]"), 6, "[0, 0]");
    CHECK_THROWS_WITH(Run(import_text(folder, "rank0.json", text), system_of("dgx-a100", 1, 2)),
                      ContainsSubstring("lists a rank twice"));
}

TEST_CASE("an MSCCL step costs its protocol's hop and wire, and its kernel starts once") {
    const TempFolder folder;
    const auto makespan = [&](const std::string& protocol, std::int64_t bytes) {
        std::string text = msccl_trace;
        text.replace(text.find("Simple"), 6, protocol);
        const Recording r = import_trace({folder.write("t.xml", text), format_named("msccl"), Bytes{bytes}});
        return to_seconds(Run(r, system_of("dgx-a100", 1, 2)).makespan());
    };
    // Small: LL's hops are shorter. Large: LL carries a flag beside every 4 bytes.
    CHECK(makespan("LL", 4096) < 0.8 * makespan("Simple", 4096));
    CHECK(makespan("LL", 256 * MiB) > 1.5 * makespan("Simple", 256 * MiB));
    // GPU 1 sends, then (in a second block that waits for it) receives: no more than a start, two hops and the copy.
    const double start =
        to_seconds(PlannedCalls(Fabric(build(system_of("dgx-a100", 1, 2), catalogue())), LibrarySpec{}, catalogue())
                       .kernel_start(Protocol::ll));
    CHECK(makespan("LL", 4096) > start);
    CHECK(makespan("LL", 4096) < 1.5 * start);
    // The rest of the one kernel's time, and with LL's short hops most of it, is its start: no CPU between kernels.
    std::string ll = msccl_trace;
    ll.replace(ll.find("Simple"), 6, "LL");
    const Recording small = import_trace({folder.write("t.xml", ll), format_named("msccl"), Bytes{4096}});
    CHECK_THAT(Run(small, system_of("dgx-a100", 1, 2)).report().bottleneck,
               ContainsSubstring("the kernel's start of rank 0: "));
}

TEST_CASE("communication that is told by its time alone is not called computation") {
    const TempFolder folder;
    const char* const text = R"json([{"ph": "X", "cat": "kernel", "ts": 0, "dur": 10,
  "name": "void deep_ep::intranode::dispatch<8>(int4*)", "args": {"stream": 9}}])json";
    const Run run(import_text(folder, "rank0.json", text), system_of("dgx-h100"));
    REQUIRE(run.job.notes.size() == 1);
    CHECK(run.job.notes[0] == "no call of a known size in it: its communication keeps its recorded time");
}
