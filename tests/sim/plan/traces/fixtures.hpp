#pragma once
// One small trace of each format, written by hand: their times and sizes can be followed on paper. And short questions
// to what was made of one.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/traces/import.hpp"
#include "tests/support/trace_files.hpp"

namespace fabricast::test {

// Rank `rank` of 2: a kernel of 100 us, an all-reduce of 4 MiB of floats launched behind it, a kernel of 50 us beside
// it, one of 30 us that waits for the all-reduce. Clock in microseconds.
inline std::string kineto_trace(int rank = 0) {
    return R"json({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}],
 "distributedInfo": {"backend": "nccl", "rank": )json" +
           std::to_string(rank) + R"json(, "world_size": 2},
 "traceEvents": [
  {"ph": "M", "name": "process_name", "pid": 1, "ts": 0.0, "args": {"name": "python"}},
  {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 1, "tid": 1, "ts": 990.0, "dur": 500.0},
  {"ph": "X", "cat": "kernel", "name": "gemm_bf16", "pid": 0, "tid": 7, "ts": 1000.0, "dur": 100.0,
   "args": {"device": 0, "stream": 7, "correlation": 10, "est. achieved occupancy %": Infinity}},
  {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "pid": 0, "tid": 20,
   "ts": 1105.0, "dur": 95.0,
   "args": {"device": 0, "stream": 20, "correlation": 12, "Collective name": "allreduce", "In msg nelems": 1048576,
    "Out msg nelems": 1048576, "Group size": 2, "dtype": "Float", "Process Group Name": "0",
    "Process Group Ranks": "[0, 1]"}},
  {"ph": "X", "cat": "kernel", "name": "vectorized_elementwise_kernel", "pid": 0, "tid": 7, "ts": 1101.0, "dur": 50.0,
   "args": {"device": 0, "stream": 7, "correlation": 14}},
  {"ph": "X", "cat": "kernel", "name": "adam_kernel", "pid": 0, "tid": 7, "ts": 1203.0, "dur": 30.0,
   "args": {"device": 0, "stream": 7, "correlation": 16}}
 ], "traceName": "t.json"
}
)json";
}

// The same as before 2.0: no arguments at the kernel, `nccl:all_reduce` with its input beside the kernels.
inline std::string older_kineto_trace() {
    return R"json([
  {"ph": "X", "cat": "Operator", "name": "nccl:all_reduce", "pid": 1, "tid": 1, "ts": 90.0, "dur": 5.0,
   "args": {"External id": 55, "Input Dims": [[512, 1024]], "Input type": ["c10::Half"]}},
  {"ph": "X", "cat": "Kernel", "name": "ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)", "pid": 0, "tid": 20,
   "ts": 100.0, "dur": 40.0, "args": {"stream": 20, "correlation": 3, "external id": 55}},
  {"ph": "X", "cat": "Kernel", "name": "elementwise", "pid": 0, "tid": 7, "ts": 150.0, "dur": 10.0,
   "args": {"stream": 7, "correlation": 4}}
])json";
}

// --- Chakra, put together byte by byte --------------------------------------------------------------------------

inline std::string varint(std::uint64_t value) {
    std::string out;
    for (; value >= 128; value >>= 7U) { out.push_back(static_cast<char>((value & 127U) | 128U)); }
    out.push_back(static_cast<char>(value));
    return out;
}
inline std::string whole_field(std::uint32_t number, std::uint64_t value) {
    return varint(number << 3U) + varint(value);
}
inline std::string text_field(std::uint32_t number, std::string_view text) {
    return varint(number << 3U | 2U) + varint(text.size()) + std::string(text);
}
inline std::string attribute(std::string_view name, std::uint32_t value_field, std::uint64_t value) {
    return text_field(10, text_field(1, name) + whole_field(value_field, value));
}
inline std::string delimited(const std::string& message) { return varint(message.size()) + message; }

// Node 5 computes for 10 us, 6 is an all-gather of 1 MiB behind it, 7 sends 4 KiB to the other of two ranks and 8
// receives as much; 9 waits for 6 and 8. Stored out of order.
inline std::string chakra_trace(std::uint32_t rank) {
    const std::uint64_t other = 1 - rank;
    std::string file = delimited(text_field(1, "0.0.4"));
    file += delimited(whole_field(1, 9) + text_field(2, "optimizer") + whole_field(3, 4) + text_field(5, "\x06\x08") +
                      whole_field(7, 20) + attribute("is_cpu_op", 27, 0));
    file += delimited(whole_field(1, 5) + text_field(2, "matmul") + whole_field(3, 4) + whole_field(7, 10) +
                      attribute("is_cpu_op", 27, 0));
    file += delimited(whole_field(1, 6) + text_field(2, "gather") + whole_field(3, 7) + text_field(5, "\x05") +
                      attribute("comm_type", 9, 2) + attribute("comm_size", 13, 1 << 20));
    file += delimited(whole_field(1, 7) + text_field(2, "s") + whole_field(3, 5) + attribute("comm_size", 7, 4096) +
                      attribute("comm_dst", 7, other));
    file += delimited(whole_field(1, 8) + text_field(2, "r") + whole_field(3, 6) + attribute("comm_size", 9, 4096) +
                      attribute("comm_src", 11, other));
    return file;
}

inline const char* const goal_trace = R"json(// a comment
num_ranks 2
rank 0 { /* over
  lines */
l2: send 1024b to 1 tag 3
l1: calc 5000 cpu 0
l2 requires l1
}
rank 1 {
l1: recv 1024b from 0 tag 3
l2: calc 7000
l2 requires l1
}
)json";

inline const char* const msccl_trace =
    R"json(<algo name="ring2" proto="Simple" nchannels="1" ngpus="2" coll="allgather" inplace="0" maxBytes="2048">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)json";

inline const char* const nccl_log = R"json(training starts
n0:10:11 [0] NCCL INFO ncclCommInitRank comm 0xaa rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0xfeed - Init START
n0:12:13 [1] NCCL INFO ncclCommInitRank comm 0xbb rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 2000 commId 0xfeed - Init START
n0:10:10 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 root 0 comm 0xaa [nranks=2] stream 0x5
n0:12:12 [1] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 1024 datatype 7 op 0 root 0 comm 0xbb [nranks=2] stream 0x6
n0:10:10 [0] NCCL INFO AllGather: opCount 1 sendbuff 0x1 recvbuff 0x2 count 4096 datatype 9 op 0 root 0 comm 0xaa [nranks=2] stream 0x5
n0:12:12 [1] NCCL INFO AllGather: opCount 1 sendbuff 0x1 recvbuff 0x2 count 4096 datatype 9 op 0 root 0 comm 0xbb [nranks=2] stream 0x6
n0:10:10 [0] NCCL INFO Send: opCount 2 sendbuff (nil) recvbuff 0x2 count 100 datatype 0 op 0 root 1 comm 0xaa [nranks=2] stream 0x5
n0:10:10 [0] NCCL INFO Recv: opCount 2 sendbuff (nil) recvbuff 0x2 count 100 datatype 0 op 0 root 1 comm 0xaa [nranks=2] stream 0x5
n0:12:12 [1] NCCL INFO Recv: opCount 2 sendbuff (nil) recvbuff 0x2 count 100 datatype 0 op 0 root 0 comm 0xbb [nranks=2] stream 0x6
n0:12:12 [1] NCCL INFO Send: opCount 2 sendbuff (nil) recvbuff 0x2 count 100 datatype 0 op 0 root 0 comm 0xbb [nranks=2] stream 0x6
)json";

// A matrix product of 2 * 64 * 32 * 16 operations, a view, an all-reduce, and a sum that waits for it.
inline const char* const pytorch_et_trace = R"json({"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": [
  {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "inputs": {"values": [], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []},
  {"id": 2, "name": "## process_group:init ##", "ctrl_deps": 1, "inputs": {"values": ["[{\"pg_name\": \"0\", \"ranks\": [], \"group_size\": 2, \"group_count\": 1}]"], "shapes": [[]], "types": ["String"]}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": []},
  {"id": 3, "name": "aten::linear", "ctrl_deps": 1, "inputs": {"values": [[1, 1, 0, 1024, 4, "cuda:0"]], "shapes": [[64, 16]], "types": ["Tensor(float)"]
}
, "outputs" : {"values" : [], "shapes" : [], "types" : []}, "attrs" : []
},
  {"id": 4, "name": "aten::mm", "ctrl_deps": 3, "inputs": {"values": [[1, 1, 0, 1024, 4, "cuda:0"], [2, 2, 0, 512, 4, "cuda:0"]], "shapes": [[64, 16], [16, 32]], "types": ["Tensor(float)", "Tensor(float)"]}, "outputs": {"values": [[3, 3, 0, 2048, 4, "cuda:0"]], "shapes": [[64, 32]], "types": ["Tensor(float)"]}, "attrs": []},
  {"id": 5, "name": "aten::view", "ctrl_deps": 1, "inputs": {"values": [[3, 3, 0, 2048, 4, "cuda:0"], [2048]], "shapes": [[64, 32], [[]]], "types": ["Tensor(float)", "GenericList[Int]"]}, "outputs": {"values": [[4, 3, 0, 2048, 4, "cuda:0"]], "shapes": [[2048]], "types": ["Tensor(float)"]}, "attrs": []},
  {"id": 6, "name": "record_param_comms", "ctrl_deps": 1, "inputs": {"values": [[[4, 3, 0, 2048, 4, "cuda:0"]], 41, ["0", "default_pg"], 1, "allreduce", [], [], 0, 1, 2], "shapes": [[[2048]]], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "collective_name", "type": "string", "value": "allreduce"}, {"name": "dtype", "type": "string", "value": "Float"}, {"name": "in_msg_nelems", "type": "uint64", "value": 2048}, {"name": "out_msg_nelems", "type": "uint64", "value": 2048}, {"name": "pg_name", "type": "string", "value": "0"}, {"name": "pg_size", "type": "uint64", "value": 2}]},
  {"id": 7, "name": "record_param_comms", "ctrl_deps": 1, "inputs": {"values": [41, ["", ""], 1, "wait", [], [], -1, -1, 1], "shapes": [], "types": []}, "outputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "collective_name", "type": "string", "value": "wait"}]},
  {"id": 8, "name": "aten::sum", "ctrl_deps": 1, "inputs": {"values": [[4, 3, 0, 2048, 4, "cuda:0"]], "shapes": [[2048]], "types": ["Tensor(float)"]}, "outputs": {"values": [[5, 5, 0, 1, 4, "cuda:0"]], "shapes": [[]], "types": ["Tensor(float)"]}, "attrs": []}
]
})json";

inline const char* const recording_trace = R"json(recording: 1
recorded_on: a100-sxm4-40
world: 2
steps: 2
groups:
  - {name: all, ranks: [0, 1]}
ranks:
  - rank: 0
    records:
      - {compute: gemm, stream: 7, time: 100 us}
      - {collective: all_reduce, group: all, size: 4 MiB, dtype: bfloat16, stream: 20, after: [0]}
      - {compute: elementwise, stream: 7, bytes: 155.5 MB, idle: 1 us}
      - {host: dataloader, stream: 3, time: 5 us}
      - {compute: adam, stream: 7, time: 10 us, bound: neither, delay: 2 us, after: [1]}
      - {send: 1, size: 1 MiB, tag: 4, stream: none, after: [2]}
  - rank: 1
    records:
      - {collective: all_reduce, group: all, size: 4 MiB, dtype: bfloat16, stream: 20}
      - {receive: 0, size: 1 MiB, tag: 4, stream: none}
)json";

inline Recording import_text(const TempFolder& folder, const std::string& name, std::string_view text,
                             const TraceFormat* format = nullptr) {
    return import_trace({folder.write(name, text), format, {}});
}

inline std::vector<std::uint32_t> after(const RankRecording& rank, std::size_t record) {
    const auto list = rank.after(record);
    return {list.begin(), list.end()};
}

inline bool notes_say(const Recording& recording, std::string_view words) {
    return std::ranges::any_of(recording.notes,
                               [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace fabricast::test
