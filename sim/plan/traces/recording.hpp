#pragma once
// What a job did, rank by rank, according to a trace: the common form that every trace format is converted to. The
// records of one rank are sorted so that each waits only for earlier ones; records of one stream run in that order.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "sim/plan/collectives/collective.hpp"

namespace fabricast::inline traces {

enum class RecordKind : std::uint8_t {
    compute,     // a kernel or copy on the GPU: recorded `time`, or work in `flops` and `bytes`
    host,        // the CPU, or anything else that takes as long on another GPU
    collective,  // of a group; `bytes` is nccl-tests' size, the larger buffer of a rank
    send,        // to rank `other`
    receive,     // from rank `other`
};
std::string_view to_string(RecordKind);  // "compute", "host", "collective", "send", "receive"
inline bool communicates(RecordKind kind) { return kind >= RecordKind::collective; }

// What decides how fast a recorded kernel is on another GPU.
enum class Bound : std::uint8_t { memory, arithmetic, neither };
std::string_view to_string(Bound);

inline constexpr std::uint16_t no_stream = 0xffff;  // not in order with any other record

struct Record {
    RecordKind kind = RecordKind::compute;
    Bound bound = Bound::memory;
    Collective collective = Collective::all_reduce;
    DataType dtype = DataType::float32;
    Protocol protocol = Protocol::automatic;  // of the kernel that this record is a step of; automatic: a separate call
    std::uint16_t stream = no_stream;
    std::uint32_t name = 0;   // Recording::names
    std::uint32_t other = 0;  // group of a collective; peer of a send or receive
    std::uint32_t root = 0;   // a collective's root by its place in the group; tag of a send or receive
    Duration time;            // recorded; zero if only the work is known
    Duration idle;            // from the end of the stream's previous record to its own start
    Duration delay;           // from the end of everything that it waits for to its own start
    double flops = 0;         // work, if no time was recorded
    double bytes = 0;         // memory traffic of a compute record; payload of the others
};

// One rank's records, and for each the earlier ones that it waits for, in addition to its stream's previous one.
class RankRecording {
public:
    std::uint32_t rank = 0;
    std::string source;  // file or place in it, for messages
    Duration span;       // from the first start to the last end, if times were recorded
    std::vector<Record> records;

    RankRecording(std::uint32_t number, std::string from) : rank(number), source(std::move(from)) {}
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
    std::uint32_t size = 0;            // 0: not known; all ranks of the recording are assumed
    std::vector<std::uint32_t> ranks;  // empty: not known
    bool operator==(const CommGroup&) const = default;
};

// The index of the group in `groups`; adds it if it is new.
std::uint32_t group_number(std::vector<CommGroup>& groups, const CommGroup& group);

struct Recording {
    std::string format;       // "kineto", as users name it
    std::string recorded_on;  // the GPU as the trace names it ("NVIDIA H100 80GB HBM3"); empty: not known
    std::uint32_t world = 0;  // ranks of the job; 0: not known
    std::uint32_t steps = 1;  // number of training steps that a profiler marked
    bool unsized = false;     // the trace gives only the time of some communication
    std::vector<RankRecording> ranks;
    std::vector<CommGroup> groups;
    std::vector<std::string> names;
    std::vector<std::string> notes;  // what was missing, and what is assumed instead

    template <class Is> bool any_record(const Is& is) const {
        return std::ranges::any_of(ranks,
                                   [&](const RankRecording& rank) { return std::ranges::any_of(rank.records, is); });
    }
};

// Stores each text once, because names of kernels repeat thousands of times.
class Names {
public:
    explicit Names(std::vector<std::string>& texts) : texts_(texts) {}
    std::uint32_t operator()(std::string_view text);

private:
    std::vector<std::string>& texts_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// The highest rank that the recording mentions, plus one.
std::uint32_t ranks_named(const Recording& recording);

// "rank 3, record 17 (all_reduce 'c10d::allreduce_')": how messages name a record.
std::string place_of(const Recording& recording, const RankRecording& rank, std::size_t record);

// `size` ranks from `first` on, `stride` apart; none if these are no ranks of a job.
std::vector<std::uint32_t> strided_ranks(double first, double stride, std::uint32_t size);

// What bounds a kernel, by its name: arithmetic for matrix products, convolutions and attention, memory for others.
Bound bound_of_kernel(std::string_view name);
// The type of the kernel's arithmetic if its name shows it; else bfloat16, which is usual in training.
DataType dtype_of_kernel(std::string_view name);

}  // namespace fabricast::inline traces
