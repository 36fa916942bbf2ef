// PyTorch's profiler (Kineto): a Chrome trace of one rank. GPU activities become records; what a stream waited for is
// read from recorded stream waits, and where there are none from who ended when.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "sim/io/json_stream.hpp"
#include "sim/workloads/import/comm_names.hpp"
#include "sim/workloads/import/import.hpp"
#include "sim/workloads/import/waits.hpp"

namespace fabricast {

namespace {

// A call as a CPU operator or the kernel itself describes it.
struct Call {
    CommCall what;
    double in_elements = 0, out_elements = 0;
    DataType dtype = DataType::float32;
    std::string group;  // the process group's name
    std::uint32_t group_size = 0;
    std::vector<std::uint32_t> ranks;
    std::int64_t peer = -1, root = 0;
};

// Numbers written as numbers or as text; nullopt for anything else.
std::optional<double> number(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        return std::nullopt;
    }
    if (found->is_number()) {
        return found->get<double>();
    }
    if (found->is_string()) {
        const auto& text = found->get_ref<const std::string&>();
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && std::isfinite(value)) {
            return value;
        }
    }
    return std::nullopt;
}

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t whole(const Json& object, const char* key, const char* older_key) {
    const std::optional<double> found = object.contains(key) ? number(object, key) : number(object, older_key);
    return found && *found > 0 && *found < 9e15 ? static_cast<std::uint64_t>(*found) : 0;
}

// "[0, 1, 2]" or a list; empty where it is cut short with dots.
std::vector<std::uint32_t> ranks_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    std::vector<std::uint32_t> ranks;
    if (found == object.end() || !(found->is_string() || found->is_array())) {
        return ranks;
    }
    const std::string list = found->is_string() ? found->get<std::string>() : found->dump();
    if (list.find("..") != std::string::npos) {
        return ranks;
    }
    for (std::size_t at = 0; at < list.size();) {
        if (list[at] < '0' || list[at] > '9') {
            ++at;
            continue;
        }
        std::uint64_t rank = 0;
        for (; at < list.size() && list[at] >= '0' && list[at] <= '9'; ++at) {
            rank = std::min<std::uint64_t>(rank * 10 + static_cast<std::uint64_t>(list[at] - '0'), 0xffffffffU);
        }
        ranks.push_back(static_cast<std::uint32_t>(rank));
    }
    return ranks;
}

// Elements of the first input: [[6637568]] or [[512, 1024], []]; of a list of tensors all of them.
double elements(const Json& dims) {
    if (!dims.is_array() || dims.empty()) {
        return 0;
    }
    const bool is_shape = std::all_of(dims.begin(), dims.end(), [](const Json& d) { return d.is_number(); });
    if (is_shape) {
        double product = 1;
        for (const Json& d : dims) {
            product *= d.get<double>();
        }
        return product;
    }
    double sum = 0;
    for (const Json& inner : dims) {
        sum += elements(inner);
    }
    return sum;
}

class Trace {
public:
    Trace(InputFile& file, Recording& recording) : file_(file), recording_(recording), names_(recording.names) {}

    void take(const JsonPiece& piece) {
        if (piece.member == "traceEvents") {
            if (piece.value.is_object()) {
                event(piece);
            }
        } else if (piece.member == "distributedInfo") {
            distributed(piece.value);
        } else if (piece.member == "deviceProperties") {
            devices(piece.value);
        }
    }

    void finish();

private:
    void event(const JsonPiece& piece);
    void distributed(const Json& info);
    void devices(const Json& list);
    void gpu_activity(const JsonPiece& piece, const Json& args, const std::string& name);
    void cpu_operator(const JsonPiece& piece, const Json& args, const std::string& name);
    void stream_wait(const Json& args);
    Activity activity(const JsonPiece& piece, const std::string& name);
    std::optional<Call> described(const Json& args) const;
    std::optional<Call> by_dims(const Json& args, const std::string& name) const;
    std::uint32_t keep(Call call);
    std::uint32_t group_of(const Call& call);
    Record record_of(const Activity& activity);
    Record comm_record(const Activity& activity, const Call& call);
    void only_calls();

    InputFile& file_;
    Recording& recording_;
    Names names_;
    std::vector<Activity> activities_;
    std::vector<StreamWait> waits_;
    std::vector<Call> calls_;
    std::unordered_map<std::uint64_t, std::uint32_t> call_by_id_;  // external id -> calls_
    std::unordered_map<std::uint64_t, Activity> call_times_;       // of CPU operators, where no GPU was recorded
    std::map<std::string, std::vector<std::uint32_t>> group_ranks_;
    std::map<std::uint64_t, std::string> device_names_;
    std::set<std::string> steps_;
    std::optional<std::uint32_t> rank_;
    std::uint64_t device_ = 0;
    std::size_t unsized_ = 0;
    std::string first_unsized_;
};

void Trace::event(const JsonPiece& piece) {
    const Json& e = piece.value;
    if (text(e, "ph") != "X") {
        return;  // only complete events last
    }
    static const Json none = Json::object();
    const auto found = e.find("args");
    const Json& args = found != e.end() && found->is_object() ? *found : none;
    const std::string category = text(e, "cat");
    const std::string name = text(e, "name");
    if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" || category == "Kernel" ||
        category == "Memcpy" || category == "Memset") {
        gpu_activity(piece, args, name);
    } else if (category == "cuda_sync") {
        stream_wait(args);
    } else if (name.starts_with("ProfilerStep#") && category != "gpu_user_annotation") {
        steps_.insert(name);
    } else if (name == "record_param_comms" || (name.starts_with("nccl:") && category != "gpu_user_annotation")) {
        cpu_operator(piece, args, name);
    }
}

Activity Trace::activity(const JsonPiece& piece, const std::string& name) {
    const std::optional<double> start = number(piece.value, "ts");
    const std::optional<double> duration = number(piece.value, "dur");
    if (!start || !duration || std::abs(*start) > 9e15 || *duration < 0 || *duration > 9e12) {
        throw ScenarioError(piece.place(),
                            complaint("event " + std::to_string(piece.index) + " (" + shown(name) +
                                          ") has no time: 'ts' and 'dur' must be microseconds",
                                      (piece.value.contains("ts") ? piece.value["ts"].dump() : "no ts") + ", " +
                                          (piece.value.contains("dur") ? piece.value["dur"].dump() : "no dur"),
                                      "two numbers"));
    }
    Activity a;
    a.start_ns = std::llround(*start * 1e3);
    a.end_ns = a.start_ns + std::llround(*duration * 1e3);
    a.name = names_(name);
    return a;
}

void Trace::gpu_activity(const JsonPiece& piece, const Json& args, const std::string& name) {
    Activity a = activity(piece, name);
    const std::optional<double> stream = args.contains("stream") ? number(args, "stream") : number(piece.value, "tid");
    a.stream = static_cast<std::uint64_t>(std::max(0.0, stream.value_or(0)));
    a.launch = whole(args, "correlation", "correlation id");
    a.external = whole(args, "External id", "external id");
    device_ = whole(args, "device", "Device");
    if (is_comm_kernel(name)) {
        a.comm = true;
        if (std::optional<Call> call = described(args)) {
            a.call = keep(std::move(*call));
        }
    }
    activities_.push_back(a);
}

// What newer profilers write beside the kernel and the operator.
std::optional<Call> Trace::described(const Json& args) const {
    const std::optional<CommCall> what = comm_call(text(args, "Collective name"));
    if (!what) {
        return std::nullopt;
    }
    Call call;
    call.what = *what;
    call.in_elements = number(args, "In msg nelems").value_or(0);
    call.out_elements = number(args, "Out msg nelems").value_or(0);
    call.dtype = dtype_named(text(args, "dtype")).value_or(DataType::float32);
    call.group = text(args, "Process Group Name");
    call.group_size = static_cast<std::uint32_t>(std::clamp(number(args, "Group size").value_or(0), 0.0, 4e9));
    call.ranks = ranks_in(args, "Process Group Ranks");
    const std::optional<double> first = number(args, "Global rank start");
    const std::optional<double> stride = number(args, "Global rank stride");
    if (call.ranks.empty() && first && stride && *first >= 0 && *stride >= 1 && call.group_size > 1 &&
        call.group_size <= 1U << 24U && *first + *stride * call.group_size < 4e9) {
        for (std::uint32_t i = 0; i < call.group_size; ++i) {
            call.ranks.push_back(static_cast<std::uint32_t>(*first + *stride * i));
        }
    }
    if (call.what.kind != RecordKind::collective) {
        const std::optional<double> peer = number(args, call.what.kind == RecordKind::send ? "Dst Rank" : "Src Rank");
        call.peer = peer && *peer >= 0 && *peer < 4e9 ? static_cast<std::int64_t>(*peer) : -1;
    }
    return call;
}

// What older ones write: `nccl:all_reduce` and the dimensions of its inputs.
std::optional<Call> Trace::by_dims(const Json& args, const std::string& name) const {
    const std::optional<CommCall> what = comm_call(name.substr(std::string("nccl:").size()));
    const auto dims = args.contains("Input Dims") ? args.find("Input Dims") : args.find("Input dims");
    if (!what || dims == args.end()) {
        return std::nullopt;
    }
    Call call;
    call.what = *what;
    call.in_elements = call.out_elements = elements(*dims);
    const auto types = args.find("Input type");
    if (types != args.end() && types->is_array() && !types->empty() && types->front().is_string()) {
        call.dtype = dtype_named(types->front().get<std::string>()).value_or(DataType::float32);
    }
    return call.in_elements > 0 ? std::optional(call) : std::nullopt;
}

void Trace::cpu_operator(const JsonPiece& piece, const Json& args, const std::string& name) {
    const std::uint64_t id = whole(args, "External id", "external id");
    std::optional<Call> call = name == "record_param_comms" ? described(args) : by_dims(args, name);
    if (id != 0 && call && !call_by_id_.contains(id)) {
        call_by_id_[id] = keep(std::move(*call));
        call_times_[id] = activity(piece, name);
    }
}

std::uint32_t Trace::keep(Call call) {
    calls_.push_back(std::move(call));
    return static_cast<std::uint32_t>(calls_.size() - 1);
}

void Trace::stream_wait(const Json& args) {
    const std::optional<double> on = number(args, "wait_on_stream");
    const std::optional<double> stream = number(args, "stream");
    const std::optional<double> recorded = number(args, "wait_on_cuda_event_record_corr_id");
    const std::uint64_t launch = whole(args, "correlation", "correlation id");
    if (on && *on >= 0 && stream && *stream >= 0 && recorded && *recorded > 0 && launch != 0) {
        waits_.push_back({static_cast<std::uint64_t>(*stream), static_cast<std::uint64_t>(*on), launch,
                          static_cast<std::uint64_t>(*recorded)});
    }
}

void Trace::distributed(const Json& info) {
    if (!info.is_object()) {
        return;
    }
    if (const auto rank = number(info, "rank"); rank && *rank >= 0 && *rank < 4e9) {
        rank_ = static_cast<std::uint32_t>(*rank);
    }
    if (const auto world = number(info, "world_size"); world && *world >= 1 && *world < 4e9) {
        recording_.world = std::max(recording_.world, static_cast<std::uint32_t>(*world));
    }
    const auto groups = info.find("pg_config");
    if (groups != info.end() && groups->is_array()) {
        for (const Json& group : *groups) {
            if (group.is_object() && !text(group, "pg_name").empty()) {
                group_ranks_[text(group, "pg_name")] = ranks_in(group, "ranks");
            }
        }
    }
}

void Trace::devices(const Json& list) {
    for (const Json& device : list.is_array() ? list : Json::array()) {
        if (device.is_object()) {
            device_names_[whole(device, "id", "id")] = text(device, "name");
        }
    }
}

std::uint32_t Trace::group_of(const Call& call) {
    CommGroup group{call.group, call.group_size, call.ranks};
    if (const auto known = group_ranks_.find(call.group); group.ranks.empty() && known != group_ranks_.end()) {
        group.ranks = known->second;
    }
    if (!group.ranks.empty()) {
        group.size = static_cast<std::uint32_t>(group.ranks.size());
    }
    return group_number(recording_, group);
}

Record Trace::comm_record(const Activity& activity, const Call& call) {
    Record r;
    r.kind = call.what.kind;
    r.collective = call.what.collective;
    r.dtype = call.dtype;
    std::uint32_t ranks = call.group_size;
    if (r.kind == RecordKind::collective) {
        r.other = group_of(call);
        ranks = recording_.groups[r.other].size;
    } else {
        r.other = static_cast<std::uint32_t>(call.peer);
    }
    r.bytes = call_bytes(call.what, call.in_elements, call.out_elements, call.dtype, std::max(ranks, 1U));
    r.time = nanoseconds(activity.end_ns - activity.start_ns);
    return r;
}

Record Trace::record_of(const Activity& activity) {
    Record r;
    r.time = nanoseconds(activity.end_ns - activity.start_ns);
    if (activity.comm) {
        std::uint32_t call = activity.call;
        if (const auto known = call_by_id_.find(activity.external); call == no_call && known != call_by_id_.end()) {
            call = known->second;
            call_by_id_.erase(known);  // a second kernel of one call moves nothing more
        }
        const bool told =
            call != no_call && (calls_[call].what.kind == RecordKind::collective || calls_[call].peer >= 0);
        if (told) {
            r = comm_record(activity, calls_[call]);
        }
        if (!told || !(r.bytes > 0)) {
            r = {};
            r.time = nanoseconds(activity.end_ns - activity.start_ns);
            r.bound = Bound::neither;
            first_unsized_ = unsized_++ == 0 ? recording_.names[activity.name] : first_unsized_;
        }
    } else {
        const std::string& name = recording_.names[activity.name];
        r.dtype = dtype_of_kernel(name);
        r.bound = name.starts_with("Memcpy") && name.find("DtoD") == std::string::npos ? Bound::neither
                                                                                       : bound_of_kernel(name);
    }
    r.name = activity.name;
    return r;
}

// No GPU was recorded: the calls alone, with the CPU's time between them.
void Trace::only_calls() {
    for (const auto& [id, when] : call_times_) {
        Activity a = when;
        a.comm = true;
        a.call = call_by_id_.at(id);
        a.stream = 0;
        activities_.push_back(a);
    }
    if (!activities_.empty()) {
        recording_.notes.push_back("no GPU activity recorded: the calls alone, with the CPU's time between them");
    }
}

void Trace::finish() {
    if (activities_.empty()) {
        only_calls();
    }
    const Place place{std::make_shared<const std::string>(file_.path().string())};
    if (activities_.empty()) {
        throw ScenarioError(place,
                            "nothing to replay: no GPU activity and no NCCL call among its events (accepted: a "
                            "PyTorch profiler trace with CUDA activities)");
    }
    RankRecording rank;
    rank.rank = rank_ ? *rank_ : rank_of_file(recording_, file_);
    rank.source = file_.path().string();
    add_in_order(activities_, waits_, rank, [this](const Activity& a) { return record_of(a); });
    const auto device = device_names_.find(device_);
    if (recording_.recorded_on.empty() && device != device_names_.end()) {
        recording_.recorded_on = device->second;
    }
    recording_.steps = std::max(recording_.steps, static_cast<std::uint32_t>(steps_.size()));
    if (unsized_ > 0) {
        recording_.notes.push_back("rank " + std::to_string(rank.rank) + ": " + std::to_string(unsized_) +
                                   " NCCL kernels without a size or a peer keep their recorded time, the first is " +
                                   shown(first_unsized_));
    }
    recording_.ranks.push_back(std::move(rank));
}

}  // namespace

void import_kineto(InputFile& file, Recording& recording, const ReadProgress& progress) {
    recording.format = word(TraceFormat::kineto);
    Trace trace(file, recording);
    const JsonWishes wishes{{"traceEvents"}, {"distributedInfo", "deviceProperties"}};
    stream_json(
        file, wishes, [&](const JsonPiece& piece) { trace.take(piece); }, progress);
    trace.finish();
}

}  // namespace fabricast
