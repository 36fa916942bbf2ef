#include "sim/plan/traces/waits.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast::inline traces {

namespace {

constexpr std::size_t most_steps_back = 64;  // from the last one that ended to one that was also launched earlier

// The activities of one stream before the present one, in order.
struct Stream {
    std::uint16_t number = 0;
    std::vector<std::uint32_t> done;  // indices into the activities
    std::vector<StreamWait> waits;    // sorted by launch; those from next_wait on are still open
    std::size_t next_wait = 0;
};

class Order {
public:
    Order(const std::vector<Activity>& activities, const std::vector<StreamWait>& waits)
        : activities_(activities), recorded_(!waits.empty()) {
        for (const Activity& a : activities) { streams_.try_emplace(a.stream); }
        std::uint16_t number = 0;
        for (auto& [id, stream] : streams_) {
            // A stream keeps its number if possible, so that users recognize it.
            const std::uint64_t own = std::min<std::uint64_t>(id.stream, 60'000);
            number = std::max<std::uint16_t>(number, static_cast<std::uint16_t>(own));
            stream.number = number++;
        }
        for (const StreamWait& wait : waits) {
            if (const auto stream = streams_.find(wait.stream); stream != streams_.end()) {
                stream->second.waits.push_back(wait);
            }
        }
        for (auto& [id, stream] : streams_) { std::ranges::sort(stream.waits, {}, &StreamWait::launch); }
    }

    Stream& stream(const Activity& a) { return streams_.at(a.stream); }

    // What activity `i` waits for, in addition to its stream's previous activity.
    std::vector<std::uint32_t> waits_of(std::uint32_t i) {
        const Activity& a = activities_[i];
        Stream& own = streams_.at(a.stream);
        if (recorded_ && a.launch != 0) { return recorded_waits(a, own); }
        const std::int64_t idle_since = own.done.empty() ? INT64_MIN : activities_[own.done.back()].end_ns;
        std::vector<std::uint32_t> found;
        for (const auto& [id, other] : streams_) {
            if (id == a.stream) { continue; }
            const std::int64_t last = last_before(other, a);
            if (last >= 0 && (a.comm || activities_[static_cast<std::size_t>(last)].end_ns > idle_since)) {
                found.push_back(static_cast<std::uint32_t>(last));
            }
        }
        return found;
    }

private:
    std::vector<std::uint32_t> recorded_waits(const Activity& a, Stream& own) {
        std::vector<std::uint32_t> found;
        for (; own.next_wait < own.waits.size() && own.waits[own.next_wait].launch < a.launch; ++own.next_wait) {
            const StreamWait& wait = own.waits[own.next_wait];
            const auto other = streams_.find(wait.on);
            if (other == streams_.end() || wait.on == wait.stream) { continue; }
            const std::vector<std::uint32_t>& done = other->second.done;
            for (auto it = done.rbegin(); it != done.rend(); ++it) {
                if (activities_[*it].launch < wait.recorded) {
                    found.push_back(*it);
                    break;
                }
            }
        }
        return found;
    }

    // The last of a stream that ended before `a` began and was launched before it; -1: none.
    std::int64_t last_before(const Stream& stream, const Activity& a) const {
        auto it = std::upper_bound(stream.done.begin(), stream.done.end(), a.start_ns,
                                   [&](std::int64_t t, std::uint32_t d) { return t < activities_[d].end_ns; });
        for (std::size_t steps = 0; it != stream.done.begin() && steps < most_steps_back; ++steps) {
            const Activity& other = activities_[*--it];
            if (a.launch == 0 || other.launch == 0 || other.launch < a.launch) { return *it; }
        }
        return -1;
    }

    const std::vector<Activity>& activities_;
    bool recorded_;
    std::map<GpuStream, Stream> streams_;
};

// Sets the gap before an activity as `delay` or as `idle`.
void set_gap(Record& record, const std::vector<Activity>& activities, const Activity& a, const Stream& stream,
             const std::vector<std::uint32_t>& waits) {
    std::int64_t waited_until = INT64_MIN;
    for (const std::uint32_t w : waits) {
        waited_until = std::max(waited_until, std::min(activities[w].end_ns, a.start_ns));
    }
    const bool first = stream.done.empty();
    const std::int64_t own = first ? INT64_MIN : activities[stream.done.back()].end_ns;
    const bool waited_last = waited_until > own;
    if (waited_last && (a.comm || first || a.start_ns - waited_until <= prompt_ns)) {
        record.delay = nanoseconds(std::max<std::int64_t>(0, a.start_ns - waited_until));
    } else {
        const std::int64_t since = first ? activities.front().start_ns : own;
        record.idle = nanoseconds(std::max<std::int64_t>(0, a.start_ns - since));
    }
}

}  // namespace

void add_in_order(std::vector<Activity>& activities, const std::vector<StreamWait>& waits, RankRecording& rank,
                  const std::function<Record(const Activity&)>& record_of) {
    std::ranges::stable_sort(activities, {}, [](const Activity& a) { return std::pair(a.start_ns, a.end_ns); });
    // Coarse clocks make neighbouring activities overlap; on a real stream they never do.
    Order order(activities, waits);
    rank.records.reserve(activities.size());
    std::int64_t end = activities.empty() ? 0 : activities.front().end_ns;
    for (std::uint32_t i = 0; i < activities.size(); ++i) {
        const Activity& a = activities[i];
        Stream& stream = order.stream(a);
        const std::vector<std::uint32_t> after = order.waits_of(i);
        Record record = record_of(a);
        record.stream = stream.number;
        set_gap(record, activities, a, stream, after);
        rank.add(record, after);
        stream.done.push_back(i);
        end = std::max(end, a.end_ns);
    }
    rank.span = activities.empty() ? Duration{} : nanoseconds(end - activities.front().start_ns);
}

}  // namespace fabricast::inline traces
