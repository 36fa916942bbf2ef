// PyTorch's profiler (Kineto): a Chrome trace of one rank. GPU activities become records. What they wait for comes from
// recorded stream waits or, if there are none, from the times.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/json_stream.hpp"
#include "sim/plan/traces/kineto_call.hpp"
#include "sim/plan/traces/trace_format.hpp"
#include "sim/plan/traces/waits.hpp"

namespace fabricast::inline traces {

namespace {

using namespace kineto;

constexpr std::int64_t longest_annotation_ns = 1'000'000'000;  // longest annotation that call_around looks for
constexpr double latest_us = 4e15;  // since 1970, the year 2096; the span between two times fits 63 bits of nanoseconds
constexpr double most_streams = 9e15;  // numbers that a double holds exactly

using Thread = std::pair<std::uint64_t, std::uint64_t>;  // process, thread

Thread thread_of(const Json& event) { return {whole(event, "pid", "pid"), whole(event, "tid", "tid")}; }

class Trace {
public:
    Trace(InputFile& file, Recording& recording) : file_(file), recording_(recording), names_(recording.names) {}

    void take(const JsonPiece& piece) {
        if (piece.member == "traceEvents") {
            if (piece.value.is_object()) { event(piece); }
        } else if (piece.member == "distributedInfo") {
            distributed(piece.value);
        } else if (piece.member == "deviceProperties") {
            devices(piece.value);
        }
    }

    void finish() {
        if (activities_.empty()) { only_calls(); }
        if (activities_.empty()) {
            throw InputError(file_.path().string(),
                             "nothing to replay: no GPU activity and no NCCL call among its events (accepted: a "
                             "PyTorch profiler trace with CUDA activities)");
        }
        RankRecording rank(rank_ ? *rank_ : rank_of_file(recording_, file_), file_.path().string());
        add_in_order(activities_, waits_, rank, [this](const Activity& a) { return record_of(a); });
        if (devices_.size() > 1) {
            recording_.notes.push_back(
                fmt::format("rank {}: one process drives {} GPUs; the streams of all of them run side by side in it",
                            rank.rank, devices_.size()));
        }
        const auto device = device_names_.find(devices_.empty() ? 0 : *devices_.begin());
        if (recording_.recorded_on.empty() && device != device_names_.end()) {
            recording_.recorded_on = device->second;
        }
        recording_.steps = std::max(recording_.steps, static_cast<std::uint32_t>(steps_.size()));
        if (unsized_ > 0) {
            recording_.notes.push_back(fmt::format(
                "rank {}: {} communication kernels without a size, a known type or a peer keep their recorded "
                "time, the first is {}",
                rank.rank, unsized_, shown(first_unsized_)));
        }
        recording_.ranks.push_back(std::move(rank));
    }

private:
    void event(const JsonPiece& piece) {
        const Json& e = piece.value;
        if (text(e, "ph") != "X") {
            return;  // only complete events have a duration
        }
        static const Json none = Json::object();
        const auto found = e.find("args");
        const Json& args = found != e.end() && found->is_object() ? *found : none;
        const std::string category = text(e, "cat");
        const std::string name = text(e, "name");
        if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" || category == "Kernel" ||
            category == "Memcpy" || category == "Memset") {
            gpu_activity(piece, args, name);
        } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
            launch(piece, args);
        } else if (category == "cuda_sync") {
            stream_wait(args);
        } else if (name.starts_with("ProfilerStep#") && category != "gpu_user_annotation") {
            steps_.insert(name);
        } else if (name == "record_param_comms" || (name.starts_with("nccl:") && category != "gpu_user_annotation")) {
            cpu_operator(piece, args, name);
        }
    }

    void distributed(const Json& info) {
        if (!info.is_object()) { return; }
        if (const auto found = rank(info, "rank")) { rank_ = found; }
        recording_.world = std::max(recording_.world, rank(info, "world_size").value_or(0));
        const auto groups = info.find("pg_config");
        if (groups != info.end() && groups->is_array()) {
            for (const Json& group : *groups) {
                if (group.is_object() && !text(group, "pg_name").empty()) {
                    group_ranks_[text(group, "pg_name")] = ranks_in(group, "ranks");
                }
            }
        }
    }

    void devices(const Json& list) {
        for (const Json& device : list.is_array() ? list : Json::array()) {
            if (device.is_object()) { device_names_[whole(device, "id", "id")] = text(device, "name"); }
        }
    }

    void gpu_activity(const JsonPiece& piece, const Json& args, const std::string& name) {
        Activity a = activity(piece, name);
        const std::optional<double> stream =
            args.contains("stream") ? number(args, "stream") : number(piece.value, "tid");
        a.stream = {whole(args, "device", "Device"),
                    static_cast<std::uint64_t>(std::clamp(stream.value_or(0), 0.0, most_streams))};
        a.launch = whole(args, "correlation", "correlation id");
        a.external = whole(args, "External id", "external id");
        devices_.insert(a.stream.gpu);
        if (is_comm_kernel(name)) {
            a.comm = true;
            if (std::optional<KinetoCall> call = described_call(args)) { a.call = keep(std::move(*call)); }
        }
        activities_.push_back(a);
    }

    void cpu_operator(const JsonPiece& piece, const Json& args, const std::string& name) {
        const std::uint64_t id = whole(args, "External id", "external id");
        std::optional<KinetoCall> call = name == "record_param_comms" ? described_call(args) : call_by_dims(args, name);
        if (!call || operators_.contains(id)) { return; }
        Activity span = activity(piece, name);
        span.call = keep(std::move(*call));
        spans_[thread_of(piece.value)][span.start_ns] = {span.end_ns, span.call};
        if (id != 0) { operators_[id] = span; }
    }

    // Keeps the thread and time of a kernel launch: an annotation around it says which call the kernel belongs to.
    void launch(const JsonPiece& piece, const Json& args) {
        const std::uint64_t correlation = whole(args, "correlation", "correlation id");
        const std::optional<double> start = number(piece.value, "ts");
        if (correlation != 0 && start && std::abs(*start) < latest_us) {
            launches_[correlation] = {thread_of(piece.value), std::llround(*start * 1e3)};
        }
    }

    std::uint32_t call_around(std::uint64_t launch) const {
        const auto launched = launches_.find(launch);
        const auto thread = launched == launches_.end() ? spans_.end() : spans_.find(launched->second.first);
        if (thread == spans_.end()) { return no_call; }
        const std::int64_t when = launched->second.second;
        auto around = thread->second.upper_bound(when);
        while (around != thread->second.begin()) {
            --around;
            if (around->second.first >= when) {
                return around->second.second;  // the innermost annotation
            }
            if (when - around->first > longest_annotation_ns) { break; }
        }
        return no_call;
    }

    // The call that the kernel describes, else that of its operator, else that of the annotation around its launch.
    std::uint32_t call_of(const Activity& activity) {
        std::uint32_t call = activity.call;
        if (call == no_call) {
            const auto known = operators_.find(activity.external);
            call = known != operators_.end() ? known->second.call : call_around(activity.launch);
            if (call != no_call && calls_[call].used) { return no_call; }
        }
        if (call != no_call) { calls_[call].used = true; }
        return call;
    }

    void stream_wait(const Json& args) {
        const auto told = [&](const char* key) { return number(args, key).value_or(-1); };
        const double on = told("wait_on_stream"), stream = told("stream");
        const std::uint64_t recorded = whole(args, "wait_on_cuda_event_record_corr_id", "");
        const std::uint64_t launch = whole(args, "correlation", "correlation id");
        if (on >= 0 && on < most_streams && stream >= 0 && stream < most_streams && recorded != 0 && launch != 0) {
            const std::uint64_t gpu = whole(args, "device", "Device");
            waits_.push_back(
                {{gpu, static_cast<std::uint64_t>(stream)}, {gpu, static_cast<std::uint64_t>(on)}, launch, recorded});
        }
    }

    Activity activity(const JsonPiece& piece, const std::string& name) {
        const std::optional<double> start = number(piece.value, "ts");
        const std::optional<double> duration = number(piece.value, "dur");
        if (!start || !duration || std::abs(*start) > latest_us || *duration < 0 || *duration > 9e12) {
            const auto found = [&](const char* key) {
                return piece.value.contains(key) ? piece.value[key].dump() : fmt::format("no {}", key);
            };
            throw InputError(piece.place(),
                             error_message(fmt::format("event {} ({}) has no time: 'ts' and 'dur' must be microseconds",
                                                       piece.index, shown(name)),
                                           found("ts") + ", " + found("dur"), "two numbers"));
        }
        Activity a;
        a.start_ns = std::llround(*start * 1e3);
        a.end_ns = a.start_ns + std::llround(*duration * 1e3);
        a.name = names_(name);
        return a;
    }

    std::uint32_t keep(KinetoCall call) {
        calls_.push_back(std::move(call));
        return static_cast<std::uint32_t>(calls_.size() - 1);
    }

    std::uint32_t group_of(const KinetoCall& call) {
        CommGroup group{call.group, call.group_size, call.ranks};
        if (const auto known = group_ranks_.find(call.group); group.ranks.empty() && known != group_ranks_.end()) {
            group.ranks = known->second;
        }
        if (!group.ranks.empty()) { group.size = static_cast<std::uint32_t>(group.ranks.size()); }
        return group_number(recording_.groups, group);
    }

    Record record_of(const Activity& activity) {
        Record r;
        if (activity.comm) {
            const std::uint32_t call = call_of(activity);
            const bool told = call != no_call && calls_[call].dtype &&
                              (calls_[call].what.kind == RecordKind::collective || calls_[call].peer);
            if (told) { r = comm_record(calls_[call]); }
            if (!(r.bytes > 0)) {
                r = {};
                r.bound = Bound::neither;
                first_unsized_ = unsized_++ == 0 ? recording_.names[activity.name] : first_unsized_;
                recording_.unsized = true;
            }
        } else {
            const std::string& name = recording_.names[activity.name];
            r.dtype = dtype_of_kernel(name);
            r.bound = name.starts_with("Memcpy") && name.find("DtoD") == std::string::npos ? Bound::neither
                                                                                           : bound_of_kernel(name);
        }
        r.name = activity.name;
        r.time = nanoseconds(activity.end_ns - activity.start_ns);
        return r;
    }

    Record comm_record(const KinetoCall& call) {
        Record r;
        r.kind = call.what.kind;
        r.collective = call.what.collective;
        r.dtype = *call.dtype;
        std::uint32_t ranks = call.group_size;
        if (r.kind == RecordKind::collective) {
            r.other = group_of(call);
            ranks = recording_.groups[r.other].size;
        } else {
            r.other = *call.peer;
        }
        r.bytes = call_bytes(call.what, call.in_elements, call.out_elements, r.dtype, std::max(ranks, 1U));
        return r;
    }

    // For traces without GPU activities: only the calls, with the CPU's times between them.
    void only_calls() {
        for (auto [id, call] : operators_) {
            call.comm = true;
            activities_.push_back(call);
        }
        if (!activities_.empty()) {
            recording_.notes.push_back("no GPU activity recorded: the calls alone, with the CPU's time between them");
        }
    }

    InputFile& file_;
    Recording& recording_;
    Names names_;
    std::vector<Activity> activities_;
    std::vector<StreamWait> waits_;
    std::vector<KinetoCall> calls_;
    std::map<std::uint64_t, Activity> operators_;  // external id -> the CPU operator that calls
    std::unordered_map<std::uint64_t, std::pair<Thread, std::int64_t>> launches_;  // correlation -> where, when
    std::map<Thread, std::map<std::int64_t, std::pair<std::int64_t, std::uint32_t>>> spans_;  // start -> end, calls_
    std::map<std::string, std::vector<std::uint32_t>> group_ranks_;
    std::map<std::uint64_t, std::string> device_names_;
    std::set<std::string> steps_;
    std::optional<std::uint32_t> rank_;
    std::set<std::uint64_t> devices_;
    std::size_t unsized_ = 0;
    std::string first_unsized_;
};

void read_kineto(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes) {
    Trace trace(file, recording);
    const JsonSelection selection{{"traceEvents"}, {"distributedInfo", "deviceProperties"}};
    stream_json(
        file, selection, [&](const JsonPiece& piece) { trace.take(piece); }, progress);
    trace.finish();
}

bool is_kineto(const TraceStart& start) {
    const bool execution_trace = start.holds("\"schema\":") && start.holds("\"nodes\":");  // format pytorch-et
    return start.json && !execution_trace && (start.holds("\"traceEvents\"") || start.holds("\"ph\""));
}

}  // namespace

namespace formats {
extern const TraceFormat kineto = {.name = "kineto",
                                   .meaning = "PyTorch profiler",
                                   .certain = true,
                                   .fits = is_kineto,
                                   .read = read_kineto,
                                   .long_json = true};
}  // namespace formats

}  // namespace fabricast::inline traces
