// PyTorch's ExecutionTraceObserver: the operators of one rank with the shapes of their tensors, without times. What an
// operator computes and moves follows from the shapes; record_param_comms describes a collective's call.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/json.hpp"
#include "base/json_stream.hpp"
#include "sim/plan/traces/comm_names.hpp"
#include "sim/plan/traces/observed_operator.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

namespace {

using namespace observed_operator;

constexpr std::uint16_t kernel_stream = 0, comm_stream = 1;

// What is kept of a node until all nodes are read, because only then it is known whether it is a leaf.
struct Operator {
    std::uint64_t id = 0, parent = 0;
    Record record;
    bool is_call = false, waits = false;
    std::uint64_t request = 0;  // number shared by a call and the `wait` for it
};

class Observed {
public:
    explicit Observed(Recording& recording) : recording_(recording), names_(recording.names) {}

    void node(const JsonPiece& piece) {
        const Json& n = piece.value;
        const auto id = n.is_object() ? n.find("id") : n.end();
        if (!n.is_object() || id == n.end() || !id->is_number_unsigned() || !n.contains("name") ||
            !n["name"].is_string()) {
            throw InputError(piece.place(), fmt::format("node {} has no id and name", piece.index));
        }
        any_node_ = true;
        Operator op;
        op.id = id->get<std::uint64_t>();
        const auto parent = n.contains("ctrl_deps") ? n.find("ctrl_deps") : n.find("parent");
        op.parent = parent != n.end() && parent->is_number_unsigned() ? parent->get<std::uint64_t>() : 0;
        const auto& name = n["name"].get_ref<const std::string&>();
        if (name.find("process_group:init") != std::string::npos) { process_groups(n); }
        if (name == "record_param_comms") { return call(n, op); }
        parents_.insert(op.parent);
        std::vector<Tensor> moved = tensors(values(n, "input"));
        const std::vector<Tensor> out = tensors(values(n, "output"));
        moved.insert(moved.end(), out.begin(), out.end());
        double bytes = 0;
        for (const Tensor& tensor : moved) { bytes += tensor.on_gpu ? tensor.elements * tensor.element_bytes : 0; }
        if (!(bytes > 0) || !name.starts_with("aten::") || is_view(name, text(attribute(n, "op_schema")))) { return; }
        op.record.bytes = bytes;
        op.record.flops = flops_of(name, n);
        op.record.bound = op.record.flops > 0 ? Bound::arithmetic : Bound::memory;
        op.record.dtype = kernel_dtype(n);
        op.record.stream = kernel_stream;
        op.record.name = names_(name);
        operators_.push_back(op);
    }

    void finish(RankRecording rank) {
        if (!any_node_) {
            throw InputError(rank.source, "no node in it (accepted: a trace of PyTorch's ExecutionTraceObserver)");
        }
        std::ranges::stable_sort(operators_, {}, &Operator::id);
        std::unordered_map<std::uint64_t, std::uint32_t> request;  // request of a call -> its record
        std::optional<std::uint32_t> last_kernel, last_call;
        std::vector<std::uint32_t> awaited;
        for (const Operator& op : operators_) {
            if (op.waits) {
                if (const auto found = request.find(op.request); found != request.end()) {
                    awaited.push_back(found->second);
                }
            } else if (op.is_call) {
                // The communication stream waits for everything launched on the caller's stream so far.
                last_call = last_kernel ? rank.add(op.record, std::span(&*last_kernel, 1)) : rank.add(op.record);
                request[op.request] = *last_call;
            } else if (!parents_.contains(op.id)) {  // a leaf: it launches the kernel itself
                last_kernel = rank.add(op.record, awaited);
                awaited.clear();
            }
        }
        if (rank.records.empty()) {
            throw InputError(rank.source, "nothing to replay: no operator on a GPU and no collective among the nodes");
        }
        recording_.notes.push_back(fmt::format(
            "rank {}: an execution trace has no times; computation follows from the shapes of the tensors", rank.rank));
        recording_.ranks.push_back(std::move(rank));
    }

private:
    void call(const Json& node, Operator op) {
        const Json& in = values(node, "input");
        std::string name = text(attribute(node, "collective_name"));
        std::vector<double> numbers;
        for (const Json& value : in) {
            if (value.is_number()) {
                numbers.push_back(value.get<double>());
            } else if (value.is_string() && name.empty()) {
                name = value.get<std::string>();  // 1.0 has no attributes: the name is an argument
            }
        }
        op.request = numbers.empty() ? 0 : static_cast<std::uint64_t>(std::clamp(numbers.front(), 0.0, 9e15));
        if (name == "wait") {
            op.waits = true;
            operators_.push_back(op);
            return;
        }
        const std::optional<CommCall> what = comm_call(name);
        if (!what) { return; }
        const std::vector<Tensor> given = tensors(in);
        double in_elements = number(attribute(node, "in_msg_nelems")),
               out_elements = number(attribute(node, "out_msg_nelems"));
        double element_bytes = 0;
        if (const auto dtype = dtype_named(text(attribute(node, "dtype")))) {
            op.record.dtype = *dtype;
            element_bytes = static_cast<double>(size_of(*dtype));
        }
        if (in_elements <= 0 && out_elements <= 0) {
            for (const Tensor& t : given) {
                in_elements += t.elements;
                element_bytes = t.element_bytes;
            }
            for (const Tensor& t : tensors(values(node, "output"))) { out_elements += t.elements; }
        }
        CommGroup group;
        group.name = text(attribute(node, "pg_name"));
        group.size = static_cast<std::uint32_t>(std::clamp(number(attribute(node, "pg_size")), 0.0, 16'777'216.0));
        if (const auto known = groups_.find(group.name); known != groups_.end()) { group = known->second; }
        if (group.ranks.empty()) {
            group.ranks = strided_ranks(number(attribute(node, "global_rank_start")),
                                        number(attribute(node, "global_rank_stride")), group.size);
        }
        op.record.kind = what->kind;
        op.record.collective = what->collective;
        op.record.bound = Bound::neither;
        op.record.stream = comm_stream;
        op.record.name = names_(name);
        const double elements = call_bytes(*what, in_elements, out_elements, DataType::int8, std::max(group.size, 1U));
        op.record.bytes = what->barrier ? 4 : elements * std::max(element_bytes, 1.0);
        if (what->kind == RecordKind::collective) {
            op.record.other = group_number(recording_.groups, group);
        } else {
            const double peer = number(attribute(node, what->kind == RecordKind::send ? "dst_rank" : "src_rank"));
            op.record.other = static_cast<std::uint32_t>(std::clamp(peer, 0.0, 4e9));
        }
        if (op.record.bytes > 0) {
            op.is_call = true;
            operators_.push_back(op);
        }
    }

    // Reads the process groups, given as text: "[{"pg_name": "0", "ranks": [0, 1], "group_size": 2, ...}]".
    void process_groups(const Json& node) {
        const Json& list = values(node, "input");
        if (list.empty() || !list.front().is_string()) { return; }
        Json parsed;
        try {
            parsed = parse_json(list.front().get_ref<const std::string&>(), "process groups");
        } catch (const InputError&) { return; }  // some versions cut a long text
        if (!parsed.is_array()) { return; }
        for (const Json& g : parsed) {
            if (!g.is_object() || !g.contains("pg_name")) { continue; }
            CommGroup group;
            group.name = g["pg_name"].is_string() ? g["pg_name"].get<std::string>() : g["pg_name"].dump();
            const double size = number(g.contains("group_size") ? &g["group_size"] : nullptr);
            group.size = static_cast<std::uint32_t>(std::clamp(size, 0.0, 16'777'216.0));
            if (g.contains("ranks") && g["ranks"].is_array()) {
                for (const Json& rank : g["ranks"]) {
                    if (rank.is_number_unsigned() && rank.get<std::uint64_t>() < 1U << 24U) {
                        group.ranks.push_back(rank.get<std::uint32_t>());
                    }
                }
            }
            recording_.world = std::max(recording_.world, group.size);
            groups_[group.name] = group;
        }
    }

    Recording& recording_;
    Names names_;
    std::vector<Operator> operators_;
    std::unordered_set<std::uint64_t> parents_;
    std::map<std::string, CommGroup> groups_;
    bool any_node_ = false;
};

void read_pytorch_et(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes) {
    Observed observed(recording);
    stream_json(
        file, {{"nodes"}, {}}, [&](const JsonPiece& piece) { observed.node(piece); }, progress);
    observed.finish({rank_of_file(recording, file), file.path().string()});
}

bool is_pytorch_et(const TraceStart& start) {
    return start.json && start.holds("\"schema\":") && start.holds("\"nodes\":");
}

}  // namespace

namespace formats {
extern const TraceFormat pytorch_et = {"pytorch-et", "PyTorch's ExecutionTraceObserver", true, is_pytorch_et,
                                       read_pytorch_et};
}  // namespace formats

}  // namespace fabricast::inline traces
