// MSCCL's XML algorithms: one call whose chunks are sent step by step. A thread block is a stream; its steps follow
// each other. Source of the names: microsoft/msccl, src/collectives/device/msccl_interpreter; docs of MSCCL tools.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::int64_t most_gpus = 65536, most_chunks = 1 << 24;

// What a step does, in this order: it receives, works on its chunks in memory, and sends.
struct StepKind {
    std::string_view type;
    bool receives = false, sends = false;
    int passes = 0;  // memory reads and writes per byte, in addition to the transfer's own
};
constexpr std::array<StepKind, 9> step_kinds = {{{"s", false, true},
                                                 {"r", true, false},
                                                 {"rrc", true, false, 2},
                                                 {"rcs", true, true},
                                                 {"rrs", true, true, 1},
                                                 {"rrcs", true, true, 2},
                                                 {"re", false, false, 3},
                                                 {"cpy", false, false, 2},
                                                 {"nop"}}};

// The protocol of the kernel and of all its steps.
Protocol protocol_of(const xml::Element& algorithm) {
    const std::string* said = algorithm.get("proto");
    const std::string name = said != nullptr ? lower_case(*said) : "simple";
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        if (name == to_string(protocol)) { return protocol; }
    }
    algorithm.fail(error_message("no such protocol", shown(*said), "LL, LL128, Simple"));
}

struct Gpu {
    Protocol protocol = Protocol::simple;
    double chunk_bytes = 0;
    std::uint32_t gpus = 0;
    std::uint32_t name = 0;

    std::vector<Record> records{};
    std::vector<std::vector<std::uint32_t>> after{};
    std::vector<const xml::Element*> of{};
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> last_of_step{};  // (block, step) -> record

    std::uint32_t add(Record record, const xml::Element& step, std::vector<std::uint32_t> waits) {
        record.name = name;
        records.push_back(record);
        after.push_back(std::move(waits));
        of.push_back(&step);
        return static_cast<std::uint32_t>(records.size() - 1);
    }

    void block(const xml::Element& tb, std::uint16_t stream) {
        const std::int64_t id = tb.whole("id", 0, 1 << 20);
        const std::int64_t last_peer = std::int64_t{gpus} - 1;
        const std::int64_t to = tb.whole_or("send", -1, -1, last_peer), from = tb.whole_or("recv", -1, -1, last_peer);
        const auto channel = static_cast<std::uint32_t>(tb.whole_or("chan", 0, 0, 1 << 20));
        for (const xml::Element& step : tb.children) {
            if (step.name != "step") { step.fail("<" + step.name + "> where a <step> should stand"); }
            one_step(step, id, stream, to, from, channel);
        }
    }

    void one_step(const xml::Element& step, std::int64_t block, std::uint16_t stream, std::int64_t to,
                  std::int64_t from, std::uint32_t channel) {
        const std::string& type = step.required("type");
        const auto kind = std::ranges::find(step_kinds, type, &StepKind::type);
        if (kind == step_kinds.end()) {
            step.fail(error_message("no such step", shown(type), "s, r, rrc, rcs, rrs, rrcs, re, cpy, nop"));
        }
        if ((kind->sends && to < 0) || (kind->receives && from < 0)) {
            step.fail(fmt::format("step '{}' of a thread block that has no peer to {}", type,
                                  kind->sends && to < 0 ? "send to" : "receive from"));
        }
        Record record;
        record.stream = stream;
        record.bound = Bound::neither;
        record.protocol = protocol;
        record.root = channel;
        record.bytes = chunk_bytes * static_cast<double>(step.whole_or("cnt", 1, 0, most_chunks));
        const double bytes = record.bytes;
        std::uint32_t last = 0;
        std::vector<std::uint32_t> waits;
        if (kind->receives) {
            record.kind = RecordKind::receive;
            record.other = static_cast<std::uint32_t>(from);
            last = add(record, step, waits);
        }
        if (kind->passes > 0 || (!kind->receives && !kind->sends)) {
            record.kind = RecordKind::compute;
            record.bytes = bytes * kind->passes;
            last = add(record, step, waits);
        }
        if (kind->sends) {
            record.kind = RecordKind::send;
            record.other = static_cast<std::uint32_t>(to);
            record.bytes = bytes;
            last = add(record, step, waits);
        }
        const std::int64_t number =
            step.get("s") != nullptr ? step.whole("s", 0, 1 << 20) : step.whole("step", 0, 1 << 20);
        if (!last_of_step.emplace(std::pair{block, number}, last).second) {
            step.fail(fmt::format("step {} of thread block {} is there twice", number, block));
        }
    }

    // A block's steps run in order; a step may also wait for a step of another block.
    void link() {
        std::map<std::uint16_t, std::uint32_t> last;
        const xml::Element* previous = nullptr;
        for (std::uint32_t i = 0; i < records.size(); ++i) {
            if (const auto before = last.find(records[i].stream); before != last.end()) {
                after[i].push_back(before->second);
            }
            last[records[i].stream] = i;
            const xml::Element& step = *of[i];
            const std::int64_t block = step.whole_or("depid", -1, -1, 1 << 20);
            const std::int64_t number = step.whole_or("deps", -1, -1, 1 << 20);
            if (block >= 0 && number >= 0 && previous != &step) {
                const auto found = last_of_step.find({block, number});
                if (found == last_of_step.end()) {
                    step.fail(fmt::format("waits for step {} of thread block {}, which is not there", number, block));
                }
                after[i].push_back(found->second);
            }
            previous = &step;
        }
    }
};

double largest_size(const xml::Element& algorithm) {
    const std::int64_t most = std::int64_t{1} << 50U;
    const std::int64_t written = algorithm.whole_or("maxBytes", 0, 0, most);
    return written > 0 ? static_cast<double>(written) : 1 << 20;
}

void read_msccl(InputFile& file, Recording& recording, const ReadProgress&, Bytes size) {
    const std::string path = file.path().string();
    const xml::Element algorithm = xml::parse(read_rest(file, xml::max_file_bytes), path);
    if (algorithm.name != "algo") {
        algorithm.fail(error_message("no MSCCL algorithm", "<" + algorithm.name + ">", "<algo>"));
    }
    const auto gpus = static_cast<std::uint32_t>(algorithm.whole("ngpus", 2, most_gpus));
    const std::string* name = algorithm.get("name");
    const Protocol protocol = protocol_of(algorithm);
    const double bytes = size.count > 0 ? static_cast<double>(size.count) : largest_size(algorithm);
    recording.world = std::max(recording.world, gpus);
    if (size.count == 0) {
        recording.notes.push_back(
            fmt::format("the algorithm runs once for {:.0f} bytes (maxBytes, else 1 MiB): `size` says another", bytes));
    }
    Names names(recording.names);
    for (const xml::Element& child : algorithm.children) {
        if (child.name != "gpu") { continue; }
        const std::int64_t chunks = std::max({child.whole_or("i_chunks", 0, 0, most_chunks),
                                              child.whole_or("o_chunks", 0, 0, most_chunks), std::int64_t{1}});
        Gpu gpu{protocol, bytes / static_cast<double>(chunks), gpus, names(name != nullptr ? *name : "")};
        std::uint16_t stream = 0;
        for (const xml::Element& tb : child.children) {
            if (tb.name != "tb" || stream == no_stream - 1) {
                tb.fail("<" + tb.name + "> where a <tb> should stand, or too many of them");
            }
            gpu.block(tb, stream++);
        }
        gpu.link();
        RankRecording rank(static_cast<std::uint32_t>(child.whole("id", 0, std::int64_t{gpus} - 1)), path);
        if (const std::optional<std::uint32_t> in_circle = add_sorted(rank, gpu.records, gpu.after)) {
            gpu.of[*in_circle]->fail("waits for itself, through others");
        }
        recording.ranks.push_back(std::move(rank));
    }
    if (recording.ranks.size() < gpus) {
        algorithm.fail(fmt::format("ngpus is {} but {} <gpu> are described", gpus, recording.ranks.size()));
    }
}

bool is_msccl(const TraceStart& start) { return start.first == '<' && start.holds("<algo"); }

}  // namespace

namespace formats {
extern const TraceFormat msccl = {"msccl", "MSCCL algorithm", true, is_msccl, read_msccl};
}  // namespace formats

}  // namespace fabricast::inline traces
