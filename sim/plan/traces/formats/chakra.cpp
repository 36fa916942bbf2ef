// Chakra execution traces: a protobuf graph of one rank. Field numbers: mlcommons/chakra, et_def.proto (0.0.4).

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/error.hpp"
#include "sim/plan/traces/chakra_node.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

namespace {

using chakra_node::Node;
using chakra_node::NodeType;

std::optional<Collective> collective_of(double type) {
    // CollectiveCommType of et_def.proto; a barrier is an all-reduce of one element.
    static constexpr Collective types[] = {
        Collective::all_reduce,     Collective::reduce,    Collective::all_gather, Collective::gather,
        Collective::scatter,        Collective::broadcast, Collective::all_to_all, Collective::reduce_scatter,
        Collective::reduce_scatter, Collective::all_reduce};
    return type >= 0 && type <= 9 ? std::optional(types[static_cast<std::size_t>(type)]) : std::nullopt;
}

constexpr double barrier_type = 9;

// Streams for nodes that name no thread: one for the CPU, one for kernels, one for collectives.
constexpr std::uint16_t host_stream = 60'000, kernel_stream = 0, comm_stream = 1;

class Graph {
public:
    explicit Graph(Recording& recording) : recording_(recording), names_(recording.names) {}

    void add(const WireMessage& message, std::uint64_t number) {
        Node node = chakra_node::read_node(message);
        if (!index_.emplace(node.id, static_cast<std::uint32_t>(records_.size())).second) {
            message.fail(fmt::format("node {} is there twice", node.id));
        }
        records_.push_back(record_of(node, message));
        controlled_by_.push_back(std::move(node.controlled_by));
        fed_by_.push_back(std::move(node.fed_by));
        ids_.push_back(node.id);
        numbers_.push_back(number);
    }

    void finish(RankRecording rank) {
        Missing missing;
        std::optional<std::uint32_t> in_circle = add_sorted(rank, records_, waits(missing));
        if (in_circle) {
            // Control dependencies of converted PyTorch traces contradict the order; Chakra's feeder follows the data.
            controlled_by_.assign(records_.size(), {});
            missing = {};
            in_circle = add_sorted(rank, records_, waits(missing));
            recording_.notes.push_back(fmt::format(
                "rank {}: its control dependencies go in a circle: only data dependencies count", rank.rank));
        }
        if (in_circle) {
            throw InputError(rank.source, fmt::format("record {}: node {} waits for itself, through others",
                                                      numbers_[*in_circle], ids_[*in_circle]));
        }
        if (missing.count > 0) {
            recording_.notes.push_back(fmt::format(
                "rank {}: {} dependencies on nodes that are not in the file count as met, the first on node {}",
                rank.rank, missing.count, missing.first));
        }
        recording_.ranks.push_back(std::move(rank));
    }

private:
    struct Missing {
        std::size_t count = 0;
        std::uint64_t first = 0;
    };

    // The nodes that each record waits for; nodes that are not in the file are counted in `missing`.
    std::vector<std::vector<std::uint32_t>> waits(Missing& missing) const {
        std::vector<std::vector<std::uint32_t>> after(records_.size());
        for (std::size_t i = 0; i < records_.size(); ++i) {
            for (const auto* list : {&fed_by_[i], &controlled_by_[i]}) {
                for (const std::uint64_t id : *list) {
                    if (const auto known = index_.find(id); known != index_.end()) {
                        after[i].push_back(known->second);
                    } else if (missing.count++ == 0) {
                        missing.first = id;
                    }
                }
            }
            std::ranges::sort(after[i]);
            after[i].erase(std::unique(after[i].begin(), after[i].end()), after[i].end());
        }
        return after;
    }

    Record record_of(const Node& node, const WireMessage& message) {
        const auto type = static_cast<NodeType>(node.type);
        const bool on_cpu = node.number("is_cpu_op", 0) != 0;
        const double thread = node.number("tid", -1);
        Record r;
        r.name = names_(node.name);
        r.time = microseconds(static_cast<std::int64_t>(node.duration_us));
        const auto stream_or = [&](std::uint16_t fallback) {
            return thread >= 0 && thread < 50'000 ? static_cast<std::uint16_t>(thread) : fallback;
        };
        const bool collective = type == NodeType::collective && !on_cpu && node.has("comm_type");
        if (collective || type == NodeType::send || type == NodeType::receive) {
            r.stream = stream_or(comm_stream);
            return comm_record(node, message, r);
        }
        if (on_cpu || type == NodeType::metadata || type == NodeType::invalid) {
            r.kind = RecordKind::host;
            r.bound = Bound::neither;
            // Threads of the CPU and streams of the GPU get different numbers.
            r.stream = type == NodeType::metadata || type == NodeType::invalid ? no_stream
                       : thread >= 0 && thread < 5'000 ? static_cast<std::uint16_t>(host_stream + thread)
                                                       : host_stream;
            return r;
        }
        r.kind = RecordKind::compute;
        r.bound = bound_of_kernel(node.name);
        r.dtype = dtype_of_kernel(node.name);
        r.stream = stream_or(kernel_stream);
        if (node.duration_us == 0) {
            r.flops = std::max(0.0, node.number("num_ops", 0));
            r.bytes = std::max(0.0, node.number("tensor_size", 0));
        }
        return r;
    }

    Record comm_record(const Node& node, const WireMessage& message, Record r) {
        const auto type = static_cast<NodeType>(node.type);
        const double size = node.number("comm_size", -1);
        if (size < 0) {
            message.fail(fmt::format("node {} ({}) communicates but has no comm_size", node.id, shown(node.name)));
        }
        r.bytes = size;
        r.bound = Bound::neither;
        if (type == NodeType::collective) {
            const double comm_type = node.number("comm_type", -1);
            const std::optional<Collective> collective = collective_of(comm_type);
            if (!collective) {
                message.fail(
                    fmt::format("node {}: comm_type {:f} is not a collective (accepted: 0 to 9)", node.id, comm_type));
            }
            r.kind = RecordKind::collective;
            r.collective = *collective;
            r.bytes = comm_type == barrier_type ? 4 : size;
            const auto group = node.attributes.find("pg_name");
            r.other =
                group_number(recording_.groups, {group == node.attributes.end() ? "" : group->second.text, 0, {}});
            r.root = static_cast<std::uint32_t>(std::clamp(node.number("root_rank", 0), 0.0, 4e9));
            return r;
        }
        const char* const key = type == NodeType::send ? "comm_dst" : "comm_src";
        const double peer = node.number(key, -1);
        if (peer < 0 || peer > 1e9) {
            message.fail(fmt::format("node {} ({}) names no rank in {}", node.id, shown(node.name), key));
        }
        r.kind = type == NodeType::send ? RecordKind::send : RecordKind::receive;
        r.other = static_cast<std::uint32_t>(peer);
        r.root = static_cast<std::uint32_t>(std::clamp(node.number("comm_tag", 0), 0.0, 4e9));
        r.stream = no_stream;
        return r;
    }

    Recording& recording_;
    Names names_;
    std::unordered_map<std::uint64_t, std::uint32_t> index_;
    std::vector<Record> records_;
    std::vector<std::vector<std::uint64_t>> controlled_by_, fed_by_;
    std::vector<std::uint64_t> ids_, numbers_;
};

void read_chakra(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes) {
    RankRecording rank(rank_of_file(recording, file), file.path().string());
    Graph graph(recording);
    WireFile messages(file);
    bool metadata = false;
    while (messages.next()) {
        if (!metadata) {
            // GlobalMetadata comes first, with a version and attributes; it only has to be complete.
            metadata = true;
            WireMessage message = messages.message();
            for (WireField field; message.next(field);) {
                if (field.number > 2 || field.type != WireType::bytes) {
                    message.fail("no Chakra trace: the first message is no GlobalMetadata");
                }
            }
            continue;
        }
        graph.add(messages.message(), messages.record().number);
        if (progress && messages.record().number % 4096 == 0) { progress(file.share()); }
    }
    if (!metadata) {
        throw InputError(rank.source, "empty (accepted: a Chakra trace: length-delimited GlobalMetadata and Nodes)");
    }
    graph.finish(std::move(rank));
}

bool is_chakra(const TraceStart& start) {
    // The file begins with a short GlobalMetadata: a version as field 1, or attributes as field 2.
    const std::string_view text = start.text;
    return !start.json && text.size() > 2 && (text[1] == '\x0a' || text[1] == '\x12' || text[2] == '\x12');
}

}  // namespace

namespace formats {
extern const TraceFormat chakra = {"chakra", "Chakra execution trace", false, is_chakra, read_chakra, ".et"};
}  // namespace formats

}  // namespace fabricast::inline traces
