// NCCL's debug log: which rank made which call on which communicator. Source of the lines: NVIDIA/nccl src/enqueue.cc
// (ncclEnqueueCheck, SUBSYS COLL) and src/init.cc; the text of the COLL line is the same from 2.12 to 2.30.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sim/plan/traces/comm_names.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::int64_t most_ranks_of_comm = 1 << 24;

// The word after `key` in a line: "count 1024" -> "1024". Empty if `key` is not there.
std::string_view behind(std::string_view line, std::string_view key) {
    for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        const bool whole_word = (at == 0 || line[at - 1] == ' ' || line[at - 1] == '[') && end < line.size() &&
                                (line[end] == ' ' || line[end] == '=');
        if (whole_word) {
            const std::size_t from = line.find_first_not_of(' ', end + 1);
            return from == std::string_view::npos ? std::string_view()
                                                  : line.substr(from, line.find_first_of(" ]\r", from) - from);
        }
    }
    return {};
}

std::optional<std::int64_t> whole_behind(std::string_view line, std::string_view key) {
    return count_in_word(behind(line, key));
}

// `group` is that of its opCount and communicator. At first the record's `other` is an index into Log::comms_.
struct LoggedCall {
    Record record;
    std::string stream, group;
};

// One GPU of one process. If a process drives several GPUs, the number that NCCL prints before a line is just the
// current GPU, and only the communicator's address shows which GPU a call is on.
struct Caller {
    std::map<std::string, std::uint32_t> own;  // communicator's address -> index in Log::comms_
    std::vector<LoggedCall> calls;
};

// What NCCL prints before a line: "node0:1234:1300 [3]", perhaps after a launcher's mark or a time.
struct Prefix {
    std::string process, gpu;  // "node0:1234", "[3]"
};

struct Comm {
    std::string id;  // commId, the same for all its ranks; made up if the log has none
    std::uint32_t rank = 0, ranks = 0;
};

class Log {
public:
    Log(const InputFile& file, Recording& recording)
        : recording_(recording), file_(std::make_shared<const std::string>(file.path().string())) {}

    void line(std::string_view text, int number);
    void finish();

private:
    [[noreturn]] void fail(int line, const std::string& message) const { throw InputError({file_, line}, message); }

    std::uint32_t add_comm(const Comm& comm) {
        largest_ = std::max(largest_, comm.ranks);
        comms_.push_back(comm);
        return static_cast<std::uint32_t>(comms_.size() - 1);
    }
    std::size_t caller(const std::string& process, const std::string& gpu);
    void joined_comm(const Prefix& prefix, std::string_view text, int number);
    void called(const Prefix& prefix, std::string_view operation, std::string_view text, int number);
    std::vector<std::uint32_t> ranks_of_callers() const;
    void name_comms(const std::vector<std::uint32_t>& ranks);
    std::uint32_t group_of(const Comm& comm);
    void add_rank(const Caller& who, std::uint32_t rank);

    Recording& recording_;
    std::shared_ptr<const std::string> file_;
    std::vector<Caller> callers_;
    std::map<std::pair<std::string, std::string>, std::size_t> caller_index_;  // (process, GPU) -> callers_
    std::map<std::pair<std::string, std::string>, std::size_t> owner_;         // (process, address) -> callers_
    std::vector<Comm> comms_;
    std::uint32_t largest_ = 0;                                              // ranks of the largest communicator
    std::map<std::string, std::map<std::uint32_t, std::uint32_t>> members_;  // comm id -> rank in it -> rank of the job
};

// Leaves out the thread, because calls may come from another thread than the one that set up. A mark in front that ends
// in a colon comes from a launcher ("0: node0:1234:1300 [3]") and distinguishes processes; a time does not.
Prefix prefix_of(std::string_view text) {
    const std::size_t bracket = text.rfind('[');
    Prefix prefix;
    if (bracket != std::string_view::npos) {
        prefix.gpu = text.substr(bracket);
        text = trimmed(text.substr(0, bracket), " ");
    }
    const std::size_t blank = text.rfind(' ');
    const std::string_view mark = blank == std::string_view::npos ? "" : trimmed(text.substr(0, blank), " ");
    const std::string_view ids = blank == std::string_view::npos ? text : text.substr(blank + 1);
    prefix.process = (mark.ends_with(':') ? std::string(mark) + " " : "") +
                     std::string(ids.substr(0, std::min(ids.rfind(':'), ids.size())));
    return prefix;
}

std::size_t Log::caller(const std::string& process, const std::string& gpu) {
    const auto [place, is_new] = caller_index_.try_emplace({process, gpu}, callers_.size());
    if (is_new) { callers_.emplace_back(); }
    return place->second;
}

void Log::line(std::string_view text, int number) {
    constexpr std::string_view mark = "NCCL INFO ";
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) {
        return;  // other output of the job
    }
    const std::string_view prefix = trimmed(text.substr(0, at), " ");
    const std::string_view rest = text.substr(at + mark.size());
    const std::size_t colon = rest.find(": opCount ");
    if (colon != std::string_view::npos) {
        called(prefix_of(prefix), rest.substr(0, colon), rest.substr(colon + 2), number);
    } else if (!behind(rest, "comm").empty() && !behind(rest, "rank").empty() &&
               (!behind(rest, "nRanks").empty() || !behind(rest, "nranks").empty())) {
        joined_comm(prefix_of(prefix), rest, number);
    }
}

void Log::joined_comm(const Prefix& prefix, std::string_view text, int number) {
    const std::string address(behind(text, "comm"));
    const auto rank = whole_behind(text, "rank");
    const auto ranks = whole_behind(text, behind(text, "nRanks").empty() ? "nranks" : "nRanks");
    if (!rank || !ranks || *ranks < 1 || *ranks > most_ranks_of_comm || *rank < 0 || *rank >= *ranks) {
        fail(number,
             error_message("a communicator's rank and size should stand here", shown(text), "rank R nranks N, R < N"));
    }
    const std::string_view said_gpu = behind(text, "cudaDev");
    const std::size_t place = caller(prefix.process, said_gpu.empty() ? prefix.gpu : "[" + std::string(said_gpu) + "]");
    owner_[{prefix.process, address}] = place;
    Caller& who = callers_[place];
    const Comm comm{std::string(behind(text, "commId")), static_cast<std::uint32_t>(*rank),
                    static_cast<std::uint32_t>(*ranks)};
    const auto known = who.own.find(address);
    if (known != who.own.end() && (comm.id.empty() || comms_[known->second].id.empty())) {
        comms_[known->second].id = comm.id.empty() ? comms_[known->second].id : comm.id;
        return;  // NCCL prints it twice: when it starts and when it is done
    }
    if (known == who.own.end() || comms_[known->second].id != comm.id) { who.own[address] = add_comm(comm); }
}

void Log::called(const Prefix& prefix, std::string_view operation, std::string_view text, int number) {
    const std::optional<CommCall> what = comm_call(operation);
    const auto count = whole_behind(text, "count");
    const auto type = whole_behind(text, "datatype");
    const auto root = whole_behind(text, "root");
    const std::string address(behind(text, "comm"));
    if (!what || !count || *count < 0 || !type || address.empty()) {
        fail(number, error_message("a call that cannot be read", shown(operation),
                                   "NAME: opCount X ... count N datatype T op O root R comm A ..."));
    }
    if (root && *root >= most_ranks_of_comm) {
        fail(number, error_message("a root beyond all ranks", fmt::to_string(*root),
                                   fmt::format("below {}", most_ranks_of_comm)));
    }
    const std::optional<DataType> dtype = nccl_dtype(*type);
    if (!dtype) { fail(number, error_message("an unknown datatype", fmt::to_string(*type), "0 to 11")); }
    const auto owner = owner_.find({prefix.process, address});
    const std::size_t place = owner != owner_.end() ? owner->second : caller(prefix.process, prefix.gpu);
    Caller& who = callers_[place];
    if (!who.own.contains(address)) {
        const auto ranks = whole_behind(text, "nranks");
        if (!ranks || *ranks < 1 || *ranks > most_ranks_of_comm) {
            fail(number, fmt::format("communicator {} was never set up in this log (NCCL_DEBUG_SUBSYS needs INIT and "
                                     "COLL)",
                                     address));
        }
        // The log has no set-up of it, but the call gives its size: callers get ranks in the order of appearance.
        const auto size = static_cast<std::uint32_t>(*ranks);
        who.own[address] = add_comm({"", static_cast<std::uint32_t>(place % static_cast<std::uint64_t>(*ranks)), size});
    }
    Record r;
    r.kind = what->kind;
    r.collective = what->collective;
    r.dtype = *dtype;
    r.bound = Bound::neither;
    r.other = who.own[address];
    r.root = root && *root >= 0 ? static_cast<std::uint32_t>(*root) : 0;
    const bool whole_is_more =
        what->kind == RecordKind::collective &&
        (what->collective == Collective::all_gather || what->collective == Collective::reduce_scatter ||
         what->collective == Collective::all_to_all || what->collective == Collective::gather ||
         what->collective == Collective::scatter);
    // NCCL counts one rank's part.
    const double elements = static_cast<double>(*count) * (whole_is_more ? comms_[r.other].ranks : 1);
    r.bytes = elements * static_cast<double>(size_of(r.dtype));
    who.calls.push_back(
        {r, std::string(behind(text, "stream")), fmt::format("{}/{}", behind(text, "opCount"), address)});
}

// A caller's rank in the largest communicator is its rank in the job; callers that are not in it get the free ranks.
std::vector<std::uint32_t> Log::ranks_of_callers() const {
    std::vector<std::uint32_t> ranks;
    std::vector<bool> taken(std::max<std::size_t>(largest_, callers_.size()) + callers_.size(), false);
    std::uint32_t next = 0;
    for (const Caller& who : callers_) {
        std::optional<std::uint32_t> rank;
        for (const auto& [address, comm] : who.own) {
            if (comms_[comm].ranks == largest_) { rank = comms_[comm].rank; }
        }
        if (!rank || taken[*rank]) {
            while (taken[next]) { ++next; }
            rank = next;
        }
        taken[*rank] = true;
        ranks.push_back(*rank);
    }
    return ranks;
}

// Logs from before 2.19 do not name communicators. Then the n-th communicator of a size that a rank joined is taken to
// be the n-th of that size that the others joined. Its members are neighbours or at a stride, as the ranks in it show.
void Log::name_comms(const std::vector<std::uint32_t>& ranks) {
    bool guessed = false;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        std::vector<std::uint32_t> joined;
        for (const auto& [address, comm] : callers_[i].own) { joined.push_back(comm); }
        std::sort(joined.begin(), joined.end());
        std::map<std::uint32_t, int> of_size;
        for (const std::uint32_t c : joined) {
            Comm& comm = comms_[c];
            const int order = of_size[comm.ranks]++;
            if (comm.id.empty()) {
                const std::uint32_t groups = std::max(1U, largest_ / comm.ranks);
                const bool neighbours = ranks[i] % comm.ranks == comm.rank;
                const std::uint32_t which = neighbours ? ranks[i] / comm.ranks : ranks[i] % groups;
                comm.id = fmt::format("communicator {} of {} ranks, group {}", order, comm.ranks, which);
                guessed = guessed || comm.ranks < largest_;
            }
        }
    }
    if (guessed) {
        recording_.notes.push_back(
            "the log names no communicators (commId, NCCL 2.19): who shares one is concluded from "
            "sizes and ranks");
    }
}

std::uint32_t Log::group_of(const Comm& comm) {
    CommGroup group{comm.id, comm.ranks, {}};
    const auto members = members_.find(comm.id);
    if (!comm.id.empty() && members != members_.end() && members->second.size() == comm.ranks) {
        for (const auto& [in_comm, rank] : members->second) { group.ranks.push_back(rank); }
    }
    return group_number(recording_.groups, group);
}

// Sends and receives of one group (one opCount) run at the same time, groups of one stream one after another.
void Log::add_rank(const Caller& who, std::uint32_t number) {
    RankRecording rank(number, *file_);
    std::map<std::string, std::uint16_t> streams;
    struct Batch {
        std::string group;
        std::vector<std::uint32_t> now, before;
    };
    std::map<std::uint16_t, Batch> batches;
    for (const LoggedCall& call : who.calls) {
        Record r = call.record;
        const bool message = r.kind != RecordKind::collective;
        const auto stream =
            streams.try_emplace(call.stream, static_cast<std::uint16_t>(std::min<std::size_t>(streams.size(), 60'000)))
                .first->second;
        r.other = group_of(comms_[r.other]);
        if (message) {  // its root is the peer's rank in the communicator
            const std::vector<std::uint32_t>& ranks = recording_.groups[r.other].ranks;
            r.other = r.root < ranks.size() ? ranks[r.root] : r.root;
            r.root = 0;
        }
        Batch& batch = batches[stream];
        if (!message || batch.group != call.group) {
            batch.before = std::move(batch.now);
            batch.now.clear();
        }
        batch.group = message ? call.group : "";
        if (r.bytes > 0) {
            batch.now.push_back(rank.add(r, batch.before));
        } else if (batch.now.empty()) {
            batch.now = batch.before;
        }
    }
    recording_.ranks.push_back(std::move(rank));
}

void Log::finish() {
    if (std::ranges::all_of(callers_, [](const Caller& who) { return who.calls.empty(); })) {
        fail(1, "no call in this log (accepted: lines of NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL)");
    }
    const std::vector<std::uint32_t> ranks = ranks_of_callers();
    name_comms(ranks);
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (const auto& [address, comm] : callers_[i].own) { members_[comms_[comm].id][comms_[comm].rank] = ranks[i]; }
    }
    recording_.world = std::max(recording_.world, largest_);
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (!callers_[i].calls.empty()) { add_rank(callers_[i], ranks[i]); }
    }
    recording_.notes.push_back(
        "an NCCL log has no times: calls follow each other at once, and nothing is computed between them");
}

bool is_nccl_log(const TraceStart& start) {
    // Lines of the log may begin with a time in brackets, so that it looks like JSON.
    return start.holds("NCCL INFO") && (start.holds(": opCount ") || start.holds("commId"));
}

}  // namespace

namespace formats {
extern const TraceFormat nccl_log = {"nccl-log", "NCCL_DEBUG=INFO with INIT and COLL", true, is_nccl_log,
                                     read_lines<Log>};
}  // namespace formats

}  // namespace fabricast::inline traces
