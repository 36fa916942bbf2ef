// probe-cuda and probe-nccl whole, over a CUDA and an NCCL in memory: plans, queues, gates, offsets, checks and files.
// What they do on a GPU this cannot show; docs/probes.md says on which they were run.

#include <set>
#include <utility>

#include "tests/probes/probe_run.hpp"
#include "validate/import/formats.hpp"

using namespace fabricast;
using namespace fabricast::test;

#ifdef FAKE_PROBE_CUDA

namespace {

const std::string cuda = FAKE_PROBE_CUDA;
const std::string nccl = FAKE_PROBE_NCCL;
const std::string quick = "--rounds 2 --samples 3 --budget 1 ";

std::set<std::string> labels(const Measurement& m, const std::string& name) {
    std::set<std::string> seen;
    for (const auto& row : m.rows) { seen.insert(row[column(m, name)]); }
    return seen;
}

}  // namespace

TEST_CASE("probe-cuda measures every path of three GPUs and every copy arrives") {
    const ProbeFolder folder;
    const ProbeRan ran = run_probe(folder, cuda, quick + "--sizes 4,100,64KiB --chase-sizes 64KiB", "env FAKE_GPUS=3");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const Measurement m = read_measurement(folder.path / "probe-cuda.yaml");
    CHECK(text(m.system, "gpus_per_node") == "3");
    CHECK(text(m.system, "gpu") == "Fake GPU");
    const std::set<std::string> paths = labels(m, "path");
    for (const char* path : {"host->gpu0", "gpu2->host", "host<->gpu1", "host->all", "all->host", "gpu1->gpu1",
                             "gpu0->gpu2", "gpu2->gpu0", "gpu1<->gpu2", "all pairs"}) {
        CHECK(paths.count(path) == 1);
    }
    CHECK(labels(m, "method") == std::set<std::string>{"engine", "kernel_read", "kernel_write", "load", "launch_call",
                                                       "launch_wait", "launch_gap", "event_call", "event_pair"});
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        const std::string& test = m.rows[row][column(m, "test")];
        check_row(m, row, test == "copy" || test == "copy_and_wait");
    }
    // The fake's copy takes 1 us + 1 us each 10 kB, and paths one after the other.
    for (const Measurement& curve : split_series(m)) {
        if (text(curve.benchmark, "path") == "gpu0->gpu1" && text(curve.benchmark, "method") == "engine") {
            CHECK(number(curve, 2, "time_us") == Approx(1 + 65536 / 1e4).epsilon(1e-4));
        }
        if (text(curve.benchmark, "path") == "gpu0<->gpu1" && text(curve.benchmark, "method") == "engine") {
            CHECK(number(curve, 2, "time_us") == Approx(2 * (1 + 65536 / 1e4)).epsilon(1e-4));
        }
        if (text(curve.benchmark, "test") == "chase") {
            CHECK(number(curve, 0, "time_us") == Approx(0.5).epsilon(1e-4));
        }
        if (text(curve.benchmark, "method") == "launch_gap") {
            CHECK(number(curve, 0, "time_us") == Approx(1).epsilon(1e-4));
        }
    }
}

TEST_CASE("without peer access no thread touches a peer, and copies between GPUs are staged") {
    const ProbeFolder folder;
    const ProbeRan ran = run_probe(folder, cuda, quick + "--sizes 64 --tests peer,chase --chase-sizes 64KiB",
                                   "env FAKE_GPUS=2 FAKE_NO_P2P=1");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const Measurement m = read_measurement(folder.path / "probe-cuda.yaml");
    CHECK(labels(m, "method") == std::set<std::string>{"engine", "load"});
    CHECK(labels(m, "path") == std::set<std::string>{"gpu0->gpu1", "gpu1->gpu0", "gpu0<->gpu1", "host->gpu0",
                                                     "host->gpu1", "gpu0->gpu0", "gpu1->gpu1"});
}

TEST_CASE("a bit that a copy turned is found, whichever way it went, and rows before it are kept") {
    for (const char* tests : {"--tests host --shapes one", "--tests peer", "--tests local"}) {
        const ProbeFolder folder;
        const ProbeRan ran =
            run_probe(folder, cuda, quick + "--sizes 4KiB,64KiB " + tests, "env FAKE_GPUS=2 FAKE_WRONG_COPY=150");
        INFO(tests << ": " << ran.err);
        CHECK(ran.code == 1);
        CHECK_THAT(ran.err, ContainsSubstring("wrong data at byte"));
    }
}

TEST_CASE("what does not fit is left out and said, the rest is measured") {
    const ProbeFolder folder;
    const ProbeRan ran = run_probe(folder, cuda, quick + "--sizes 64,16MiB --tests local", "env FAKE_MEMORY=10000000");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const Measurement m = read_measurement(folder.path / "probe-cuda.yaml");
    CHECK(labels(m, "size_bytes") == std::set<std::string>{"64"});
    CHECK_THAT(m.notes, ContainsSubstring("gpu0->gpu0 16MiB left out"));
}

TEST_CASE("probe-nccl checks every collective over any number of ranks, in place and out of place") {
    for (const std::string gpus : {"1", "2", "3", "8"}) {
        const ProbeFolder folder;
        const ProbeRan ran =
            run_probe(folder, nccl,
                      quick +
                          "--sizes 8:64KiB:32 --collectives "
                          "all_reduce,all_gather,reduce_scatter,broadcast,reduce,all_to_all,sendrecv,gather,scatter",
                      "env FAKE_GPUS=" + gpus);
        INFO(gpus << " GPUs: " << ran.err);
        REQUIRE(ran.code == 0);
        const Measurement m = read_measurement(folder.path / "probe-nccl.yaml");
        CHECK(text(m.benchmark, "ranks") == gpus);
        CHECK(text(m.system, "gpus_per_node") == gpus);
        CHECK(labels(m, "collective").size() == 9);
        const double n = std::stod(gpus);
        for (std::size_t row = 0; row < m.rows.size(); ++row) {
            const std::string& collective = m.rows[row][column(m, "collective")];
            check_row(m, row);
            const double factor = collective == "all_reduce" ? 2 * (n - 1) / n
                                  : collective == "broadcast" || collective == "reduce" || collective == "sendrecv"
                                      ? 1
                                      : (n - 1) / n;
            CHECK(number(m, row, "busbw_GBps") == Approx(factor * number(m, row, "rate_GBps")).epsilon(1e-3));
            const bool in_place = collective != "all_to_all" && collective != "sendrecv" && collective != "gather" &&
                                  collective != "scatter";
            CHECK(m.rows[row][column(m, "inplace_time_us")].empty() != in_place);
        }
    }
}

TEST_CASE("each algorithm and protocol has its own communicator, and what NCCL refuses becomes a note") {
    const ProbeFolder folder;
    const ProbeRan ran = run_probe(folder, nccl,
                                   quick +
                                       "--sizes 4KiB --algorithms auto,Ring,Tree --protocols auto,LL --collectives "
                                       "all_reduce,all_gather --rounds 1",
                                   "env FAKE_NCCL_REFUSES=Tree NCCL_DEBUG=WARN");
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    const std::vector<Measurement> curves = read_measurements((folder.path / "probe-nccl.yaml").string());
    std::set<std::pair<std::string, std::string>> seen;
    for (const Measurement& curve : curves) {
        seen.insert({std::string(text(curve.benchmark, "collective")), std::string(text(curve.software, "env"))});
    }
    using Seen = std::set<std::pair<std::string, std::string>>;
    CHECK(seen == Seen{{"all_reduce", "NCCL_DEBUG=WARN"},
                       {"all_reduce", "NCCL_DEBUG=WARN NCCL_PROTO=LL"},
                       {"all_reduce", "NCCL_DEBUG=WARN NCCL_ALGO=Ring"},
                       {"all_reduce", "NCCL_DEBUG=WARN NCCL_ALGO=Ring NCCL_PROTO=LL"},
                       {"all_reduce", "NCCL_DEBUG=WARN NCCL_ALGO=Tree"},
                       {"all_reduce", "NCCL_DEBUG=WARN NCCL_ALGO=Tree NCCL_PROTO=LL"},
                       {"all_gather", "NCCL_DEBUG=WARN"},
                       {"all_gather", "NCCL_DEBUG=WARN NCCL_PROTO=LL"},
                       {"all_gather", "NCCL_DEBUG=WARN NCCL_ALGO=Ring"},
                       {"all_gather", "NCCL_DEBUG=WARN NCCL_ALGO=Ring NCCL_PROTO=LL"}});
    CHECK_THAT(curves.front().notes, ContainsSubstring("all_gather NCCL_ALGO=Tree left out: ncclAllGather"));
}

TEST_CASE("more GPUs than there are is exit 4") {
    const ProbeFolder folder;
    CHECK(run_probe(folder, nccl, quick + "--gpus 3", "env FAKE_GPUS=2").code == 4);
}

#else

TEST_CASE("without CUDA's and NCCL's headers the probes' host logic is not run") {
    SKIP_TEST("no cuda_runtime.h or no nccl.h");
}

#endif
