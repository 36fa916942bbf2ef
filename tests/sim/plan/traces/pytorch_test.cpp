// What the importer makes of PyTorch's profiler traces and execution traces.

#include <map>

#include "base/unit_text.hpp"
#include "sim/plan/traces/comm_names.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("a PyTorch trace becomes kernels and calls that wait as they did") {
    const TempFolder folder;
    const Recording r = import_text(folder, "rank0.json", kineto_trace());
    CHECK(r.format == "kineto");
    CHECK(r.recorded_on == "NVIDIA A100-SXM4-40GB");
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 1);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 4);
    CHECK(rank.span == microseconds(233));
    const Record &gemm = rank.records[0], &elementwise = rank.records[1], &reduce = rank.records[2],
                 &adam = rank.records[3];
    CHECK(gemm.bound == Bound::arithmetic);
    CHECK(gemm.time == microseconds(100));
    // The kernel beside the call starts 1 us behind its predecessor; the call 5 us behind what it waits for.
    CHECK((elementwise.idle == microseconds(1) && after(rank, 1).empty()));
    CHECK(elementwise.bound == Bound::memory);
    CHECK((reduce.kind == RecordKind::collective && reduce.collective == Collective::all_reduce));
    CHECK(reduce.bytes == 4 * 1048576);
    CHECK((reduce.delay == microseconds(5) && after(rank, 2) == std::vector<std::uint32_t>{0}));
    // The last one stood idle until the call had ended, and began 3 us later.
    CHECK((adam.delay == microseconds(3) && after(rank, 3) == std::vector<std::uint32_t>{2}));
    REQUIRE(r.groups.size() == 1);
    CHECK((r.groups[0].name == "0" && r.groups[0].ranks == std::vector<std::uint32_t>{0, 1}));
}

TEST_CASE("an older trace tells a call by its operator and the dimensions of its input") {
    const TempFolder folder;
    const Recording r = import_text(folder, "old.json", older_kineto_trace());
    REQUIRE(r.ranks[0].records.size() == 2);
    const Record& reduce = r.ranks[0].records[0];
    CHECK(reduce.kind == RecordKind::collective);
    CHECK(reduce.bytes == 512 * 1024 * 2);
    CHECK(reduce.dtype == DataType::float16);
    CHECK(r.groups[0].size == 0);  // not known: all
}

TEST_CASE("recorded stream waits stand above what the times suggest") {
    const TempFolder folder;
    // Stream 9 stands idle while stream 7's first kernel ends, but waits only for its second.
    const Recording r = import_text(folder, "sync.json", R"([
  {"ph": "X", "cat": "kernel", "name": "a", "ts": 0, "dur": 10, "args": {"stream": 7, "correlation": 1}},
  {"ph": "X", "cat": "kernel", "name": "b", "ts": 10, "dur": 10, "args": {"stream": 7, "correlation": 2}},
  {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "ts": 1, "dur": 0,
   "args": {"stream": 9, "correlation": 4, "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 3}},
  {"ph": "X", "cat": "kernel", "name": "c", "ts": 25, "dur": 10, "args": {"stream": 9, "correlation": 5}},
  {"ph": "X", "cat": "kernel", "name": "d", "ts": 22, "dur": 10, "args": {"stream": 7, "correlation": 6}}])");
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 4);
    CHECK(r.names[rank.records[3].name] == "c");
    CHECK(after(rank, 3) == std::vector<std::uint32_t>{1});
    CHECK(rank.records[3].delay == microseconds(5));
    CHECK(after(rank, 2).empty());
}

TEST_CASE("an NCCL kernel of unknown size keeps its time, and the recording says so") {
    const TempFolder folder;
    const Recording r = import_text(folder, "t.json", R"([
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "ts": 0, "dur": 10, "args": {
        "stream" : 7}
}])");
    CHECK(r.ranks[0].records[0].kind == RecordKind::compute);
    CHECK(r.ranks[0].records[0].bound == Bound::neither);
    CHECK(notes_say(r, "1 communication kernels without a size"));
}

TEST_CASE("a trace with nothing to replay is refused") {
    const TempFolder folder;
    CHECK_THROWS_WITH(import_text(folder, "t.json", R"({"traceEvents": []})"), ContainsSubstring("nothing to replay"));
    CHECK_THROWS_WITH(import_text(folder, "t.json", R"({"traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "k", "ts": "soon", "dur": 1}]})"),
                      ContainsSubstring("t.json:2:"));
}

TEST_CASE("an execution trace computes by the shapes of its tensors") {
    const TempFolder folder;
    const Recording r = import_text(folder, "et.0.json", pytorch_et_trace);
    REQUIRE(r.ranks.size() == 1);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 3);
    CHECK(rank.records[0].flops == 2.0 * 64 * 32 * 16);
    CHECK(rank.records[0].bytes == 4 * (1024 + 512 + 2048));
    CHECK((rank.records[1].kind == RecordKind::collective && rank.records[1].bytes == 8192));
    CHECK(after(rank, 1) == std::vector<std::uint32_t>{0});
    CHECK(rank.records[2].bytes == 4 * (2048 + 1));
    CHECK(after(rank, 2) == std::vector<std::uint32_t>{1});
    CHECK(r.groups[0].size == 2);
}

TEST_CASE("calls are known by every name that PyTorch and NCCL give them") {
    CHECK(comm_call("_allgather_base")->collective == Collective::all_gather);
    CHECK(comm_call("nccl:_reduce_scatter_base")->collective == Collective::reduce_scatter);
    CHECK(comm_call("all_to_allv")->collective == Collective::all_to_all_v);
    CHECK(comm_call("AlltoAll")->collective == Collective::all_to_all);
    CHECK(comm_call("reduce")->collective == Collective::reduce);
    CHECK(comm_call("recvAnySource")->kind == RecordKind::receive);
    CHECK(comm_call("barrier")->barrier);
    CHECK_FALSE(comm_call("wait"));
    CHECK_FALSE(comm_call("broadcastUniqueNCCLID"));
    CHECK(call_bytes(*comm_call("allgather"), 1024, 8192, DataType::bfloat16, 8) == 16384);
    CHECK(call_bytes(*comm_call("gather"), 1024, 0, DataType::float32, 8) == 8 * 4096);
    CHECK(call_bytes(*comm_call("barrier"), 0, 0, DataType::float32, 8) == 4);
}

TEST_CASE("two GPUs in one PyTorch trace keep their streams apart, whatever their numbers") {
    const TempFolder folder;
    const auto kernel = [](int gpu, int at, int id) {
        return R"({"ph": "X", "cat": "kernel", "name": "gemm", "ts": )" + std::to_string(at) +
               R"(, "dur": 1000, "args": {"device": )" + std::to_string(gpu) + R"(, "stream": 7, "correlation": )" +
               std::to_string(id) + "}}";
    };
    const Recording r = import_text(
        folder, "rank0.json",
        "[" + kernel(0, 0, 1) + "," + kernel(1, 0, 2) + "," + kernel(0, 1000, 3) + "," + kernel(1, 1000, 4) + "]");
    REQUIRE(r.ranks.size() == 1);
    std::map<std::uint16_t, int> of_stream;
    for (const Record& record : r.ranks[0].records) {
        ++of_stream[record.stream];
        CHECK(record.idle == Duration{});
    }
    CHECK(of_stream == std::map<std::uint16_t, int>{{7, 2}, {8, 2}});
    CHECK(notes_say(r, "one process drives 2 GPUs"));
}

TEST_CASE("the annotation around its launch tells an NCCL kernel's call") {
    const TempFolder folder;
    const Recording r = import_text(folder, "rank0.json", R"([
  {"ph": "X", "cat": "user_annotation", "name": "nccl:all_reduce", "pid": 9, "tid": 4, "ts": 10, "dur": 20,
   "args": {"External id": 71, "Input Dims": [[512, 1024]], "Input type": ["c10::BFloat16"]}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 4, "ts": 15, "dur": 2,
   "args": {"correlation": 3}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 5, "ts": 16, "dur": 2,
   "args": {"correlation": 4}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16", "ts": 40, "dur": 9,
   "args": {"device": 0, "stream": 20, "correlation": 3, "External id": 70}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16", "ts": 60, "dur": 9,
   "args": {"device": 0, "stream": 20, "correlation": 4, "External id": 70}}])");
    REQUIRE(r.ranks[0].records.size() == 2);
    CHECK(r.ranks[0].records[0].kind == RecordKind::collective);
    CHECK(r.ranks[0].records[0].bytes == 512 * 1024 * 2);
    CHECK(r.ranks[0].records[1].kind == RecordKind::compute);  // launched by another thread, beside the annotation
}

TEST_CASE("DeepEP's kernels are communication without a size, not computation") {
    const TempFolder folder;
    const auto kernel = [](const std::string& name, int at) {
        return R"json({"ph": "X", "cat": "kernel", "name": ")json" + name + R"json(", "dur": 10, "ts": )json" +
               std::to_string(at) + R"json(, "args": {"stream": 9}})json";
    };
    const Recording r =
        import_text(folder, "rank0.json",
                    "[" + kernel("void deep_ep::internode::dispatch<false, 8>(int4*)", 0) + "," +
                        kernel("void deep_ep::intranode::combine<__nv_bfloat16, 8>(__nv_bfloat16*)", 10) + "," +
                        kernel("deep_ep::internode::notify_dispatch(int const*)", 20) + "]");
    REQUIRE(r.ranks[0].records.size() == 3);
    for (const Record& record : r.ranks[0].records) {
        CHECK(record.bound == Bound::neither);  // another GPU makes none of them faster
    }
    CHECK(notes_say(r, "3 communication kernels without a size"));
}
