#include "sim/plan/traces/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::size_t most_operations = 20'000'000;  // jobs with more records are refused

class Matcher {
public:
    Matcher(const Recording& recording, RecordedJob& job) : recording_(recording), job_(job) {}

    Matching run() {
        number_records();
        match_calls();
        match_messages();
        return std::move(out_);
    }

private:
    const RankRecording& recorded(std::uint32_t rank) const { return recording_.ranks[job_.recorded[rank]]; }
    const Record& record_of(RecordAt n) const { return recorded(n.rank).records[n.record]; }
    std::string shown(RecordAt n) const { return place_of(recording_, recorded(n.rank), n.record); }

    template <class... Args>
    [[noreturn]] void refuse(RecordAt n, fmt::format_string<Args...> what, Args&&... args) const {
        throw InputError(recorded(n.rank).source, fmt::format(what, std::forward<Args>(args)...));
    }

    void number_records() {
        std::size_t total = 0;
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
            out_.first.push_back(total);
            total += recorded(r).records.size();
            if (total > most_operations) {
                throw JobError("the job has more than {} records: {} ranks of {} each", most_operations,
                               job_.ranks.size(), recorded(r).records.size());
            }
        }
        out_.partner.assign(total, no_partner);
    }

    // All ranks of a communicator make the same calls, so the n-th call of one rank is the n-th call of the others.
    void match_calls() {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // (rank, group) -> communicator
        std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> made;   // communicator -> rank -> records
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
            const std::vector<Record>& records = recorded(r).records;
            for (std::uint32_t i = 0; i < records.size(); ++i) {
                if (records[i].kind != RecordKind::collective) { continue; }
                const auto [place, is_new] = known.try_emplace({r, records[i].other}, 0);
                if (is_new) {
                    place->second = communicator_of(job_, recording_, r, records[i].other);
                    made.resize(job_.communicators.size());
                }
                made[place->second][r].push_back(i);
            }
        }
        std::map<std::uint32_t, std::uint32_t> replayed;  // rank of the job -> index
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) { replayed[job_.ranks[r]] = r; }
        for (std::uint32_t c = 0; c < made.size(); ++c) {
            const CommGroup& communicator = job_.communicators[c];
            std::size_t fewest = SIZE_MAX, most = 0;
            for (const std::uint32_t member : communicator.ranks) {
                const auto r = replayed.find(member);
                if (r == replayed.end()) {
                    const RecordAt any{made[c].begin()->first, made[c].begin()->second.front()};
                    refuse(
                        any,
                        "{}: rank {} takes part but is not recorded (accepted: a file of each rank, or one file that "
                        "stands for all)",
                        shown(any), member);
                }
                const std::size_t count = made[c].contains(r->second) ? made[c][r->second].size() : 0;
                fewest = std::min(fewest, count);
                most = std::max(most, count);
            }
            if (fewest < most) {
                out_.notes.push_back(fmt::format(
                    "communicator '{}' of {} ranks: some recorded {} calls, some {}; the last {} are left out",
                    communicator.name, communicator.size, most, fewest, most - fewest));
            }
            for (std::size_t k = 0; k < fewest; ++k) {
                MatchedCall call;
                call.communicator = c;
                for (const auto& [r, list] : made[c]) {
                    const RecordAt n{r, list[k]};
                    if (!call.members.empty()) { check_call(call.members.front(), n); }
                    call.members.push_back(n);
                    out_.partner[out_.index(n)] = static_cast<std::uint32_t>(out_.calls.size());
                }
                out_.calls.push_back(std::move(call));
            }
        }
    }

    using Way = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, tag
    using Messages = std::map<Way, std::vector<RecordAt>>;

    // The n-th send from one rank to another with one tag belongs to the n-th receive there with that tag.
    void match_messages() {
        Messages sends, receives;
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
            const std::vector<Record>& records = recorded(r).records;
            for (std::uint32_t i = 0; i < records.size(); ++i) {
                const Record& record = records[i];
                if (record.kind == RecordKind::send) {
                    sends[{job_.ranks[r], peer_of(job_, recording_, r, record), record.root}].push_back({r, i});
                } else if (record.kind == RecordKind::receive) {
                    receives[{peer_of(job_, recording_, r, record), job_.ranks[r], record.root}].push_back({r, i});
                }
            }
        }
        const auto meet = [this](RecordAt n, RecordAt other) {
            out_.partner[out_.index(n)] = static_cast<std::uint32_t>(out_.index(other));
        };
        std::size_t alone = 0, at_once = 0;
        for (const auto& [way, list] : receives) {
            const std::vector<RecordAt>& from = sends[way];
            for (std::size_t k = 0; k < list.size(); ++k) {
                if (k >= from.size()) {
                    if (!job_.copies) {
                        refuse(list[k], "{}: rank {} sends nothing that fits (receive {} with tag {}; it sends {})",
                               shown(list[k]), std::get<0>(way), k + 1, std::get<2>(way), from.size());
                    }
                    ++alone;
                } else if (!job_.copies || from[k].record < list[k].record) {
                    check_message(from[k], list[k]);
                    meet(list[k], from[k]);
                    meet(from[k], list[k]);
                } else {
                    // All ranks are copies of one, so the send comes no earlier than this receive: waiting for it could
                    // deadlock. The message counts as already sent.
                    meet(list[k], list[k]);
                    ++at_once;
                }
            }
        }
        if (alone + at_once > 0) {
            out_.notes.push_back(
                fmt::format("{} receives of the recorded rank count as sent in time: the sender's file would tell",
                            (alone + at_once) / job_.ranks.size()));
        }
        note_odd_sends(sends, receives);
    }

    // A send without a receive is no error, as a receive without a send is: nothing waits for it, and a recording that
    // ends before the job has some.
    void note_odd_sends(const Messages& sends, const Messages& receives) {
        std::vector<RecordAt> unreceived, to_itself;
        for (const auto& [way, list] : sends) {
            const bool own = std::get<0>(way) == std::get<1>(way);
            const auto there = receives.find(way);
            const std::size_t matched =
                own || there == receives.end() ? 0 : std::min(list.size(), there->second.size());
            std::vector<RecordAt>& odd = own ? to_itself : unreceived;
            odd.insert(odd.end(), list.begin() + static_cast<std::ptrdiff_t>(matched), list.end());
        }
        note_sends(unreceived, "without a receive: sent all the same");
        note_sends(to_itself, "of a rank to itself: a copy on its GPU, which takes no time here");
    }

    void note_sends(const std::vector<RecordAt>& odd, std::string_view what) {
        if (odd.empty()) { return; }
        const RecordAt first =
            *std::ranges::min_element(odd, {}, [](RecordAt n) { return std::pair(n.rank, n.record); });
        out_.notes.push_back(fmt::format("{} {} (first: {})",
                                         plural(odd.size() / (job_.copies ? job_.ranks.size() : 1), "send"), what,
                                         shown(first)));
    }

    void check_call(RecordAt a, RecordAt b) const {
        const Record &x = record_of(a), &y = record_of(b);
        const bool uneven = x.collective == Collective::all_to_all || x.collective == Collective::all_to_all_v ||
                            x.collective == Collective::gather || x.collective == Collective::scatter;
        if (x.collective != y.collective || (x.bytes != y.bytes && !uneven)) {
            refuse(b, "calls do not match: {} of {} B and {} of {} B", shown(a), std::llround(x.bytes), shown(b),
                   std::llround(y.bytes));
        }
    }

    void check_message(RecordAt send, RecordAt receive) const {
        const auto sent = std::llround(record_of(send).bytes), awaited = std::llround(record_of(receive).bytes);
        if (sent != awaited) {
            refuse(receive, "a message of two sizes: {} of {} B meets {} of {} B", shown(send), sent, shown(receive),
                   awaited);
        }
    }

    const Recording& recording_;
    RecordedJob& job_;
    Matching out_;
};

}  // namespace

Matching match_records(const Recording& recording, RecordedJob& job) { return Matcher(recording, job).run(); }

}  // namespace fabricast::inline traces
