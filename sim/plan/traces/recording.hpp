#pragma once
// What a job did, rank by rank, as a trace tells it: the neutral form that every trace format becomes. Records of one
// rank stand in an order in which each waits only for earlier ones; what runs on one stream runs in that order.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "sim/plan/collectives/collective.hpp"

namespace fabricast {

enum class RecordKind : std::uint8_t {
    compute,     // a kernel or copy on the GPU: `time` as recorded, or work in `flops` and `bytes`
    host,        // the CPU, or anything that no other GPU makes faster
    collective,  // of a group; as many bytes as nccl-tests' size, the larger buffer of a rank
    send,        // to rank `other`
    receive,     // from rank `other`
};
std::string_view to_string(RecordKind);  // "compute", "host", "collective", "send", "receive"

// What decides how fast a recorded kernel is on another GPU.
enum class Bound : std::uint8_t { memory, arithmetic, neither };
std::string_view to_string(Bound);

inline constexpr std::uint16_t no_stream = 0xffff;  // in order with nothing

struct Record {
    RecordKind kind = RecordKind::compute;
    Bound bound = Bound::memory;
    Collective collective = Collective::all_reduce;
    DataType dtype = DataType::float32;
    Protocol protocol = Protocol::automatic;  // of the kernel that this is a step of; automatic: a call of its own
    std::uint16_t stream = no_stream;
    std::uint32_t name = 0;   // Recording::names
    std::uint32_t other = 0;  // group of a collective; peer of a send or receive
    std::uint32_t root = 0;   // place in the group of a collective's root; tag of a send or receive
    Duration time;            // recorded; zero where only the work is known
    Duration idle;            // from the end of the stream's record before it to its own start
    Duration delay;           // from the end of all that it waits for to its own start
    double flops = 0;         // work, where no time was recorded
    double bytes = 0;         // memory traffic of a compute record; payload of the others
};

// One rank's records, and for each the earlier ones that it waits for beside its stream's last.
class RankRecording {
public:
    std::uint32_t rank = 0;
    std::string source;  // file or place, for messages
    Duration span;       // from the first start to the last end, where times were recorded
    std::vector<Record> records;

    // Precondition: each of `after` is an earlier record.
    std::uint32_t add(const Record& record, std::span<const std::uint32_t> after = {});
    std::span<const std::uint32_t> after(std::size_t record) const {
        const std::size_t begin = record == 0 ? 0 : ends_[record - 1];
        return {waits_.data() + begin, ends_[record] - begin};
    }

private:
    std::vector<std::uint32_t> ends_, waits_;
};

// Who takes part in a collective, in the order of the communicator's ranks.
struct CommGroup {
    std::string name;
    std::uint32_t size = 0;            // 0: not known, then all ranks of the recording
    std::vector<std::uint32_t> ranks;  // empty: not known
};

struct Recording {
    std::string format;       // "kineto", as users name it
    std::string recorded_on;  // the GPU as the trace names it ("NVIDIA H100 80GB HBM3"); empty: not said
    std::uint32_t world = 0;  // ranks of the job; 0: not said
    std::uint32_t steps = 1;  // training steps in it, as a profiler marks them
    bool unsized = false;     // some communication is told by its time alone
    std::vector<RankRecording> ranks;
    std::vector<CommGroup> groups;
    std::vector<std::string> names;
    std::vector<std::string> notes;  // what was missing and what is assumed instead
};

// Keeps each text once: names of kernels repeat thousands of times.
class Names {
public:
    explicit Names(std::vector<std::string>& texts) : texts_(texts) {}
    std::uint32_t operator()(std::string_view text);

private:
    std::vector<std::string>& texts_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// The highest rank that the recording speaks of, plus one.
std::uint32_t ranks_named(const Recording& recording);

// "rank 3, record 17 (all_reduce 'c10d::allreduce_')": how messages name a record.
std::string place_of(const Recording& recording, const RankRecording& rank, std::size_t record);

// The part of a name that tells what bounds a kernel: matrix products, convolutions and attention by arithmetic, the
// rest by memory.
Bound bound_of_kernel(std::string_view name);
// The type that its arithmetic is in, as far as the name tells; else bfloat16, which training runs in.
DataType dtype_of_kernel(std::string_view name);

}  // namespace fabricast
