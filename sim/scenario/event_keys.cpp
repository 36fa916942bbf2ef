#include "sim/scenario/event_keys.hpp"

#include <algorithm>
#include <limits>

#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

constexpr std::int64_t most_times = 10'000;
constexpr double least_share = 1e-6;  // the resolution of engine packet

// Whether the event has exactly one of the keys.
bool has_one(const Node& event, const std::vector<std::string_view>& keys) {
    return std::ranges::count_if(keys, [&](std::string_view key) { return event.get(key) != nullptr; }) == 1;
}

Duration time_at(const Node& event, std::string_view key) {
    const Node* found = event.get(key);
    return found == nullptr ? Duration{} : as_duration(*found);
}

// A flap lasts from `at` until `until`; the link is whole until the next one begins.
void check_times(const Node& event) {
    const Duration at = time_at(event, "at");
    const Node* until = event.get("until");
    if (until != nullptr && as_duration(*until) <= at) {
        until->fail("comes before the change itself", "after `at`, " + text(at));
    }
    const Node* every = event.get("every");
    const Node* times = event.get("times");
    if ((every == nullptr) != (times == nullptr)) {
        (every == nullptr ? times : every)->fail("stands alone", "both: every, times");
    }
    if (every == nullptr) { return; }
    if (until == nullptr) { every->fail("needs an end", "together with `until`"); }
    const Duration lasts = as_duration(*until) - at;
    if (as_duration(*every) <= lasts) {
        every->fail("is too short: the next would begin before this one ends", "more than " + text(lasts));
    }
    if (as_duration(*every).ps > (std::numeric_limits<std::int64_t>::max() - as_duration(*until).ps) / most_times) {
        every->fail("is too long: the last would come after the end of time", "at most days");
    }
}

void check_event(const Node& event) {
    if (!has_one(event, {"link", "cable", "device"})) {
        event.fail("must name one thing", "one of: link, cable, device");
    }
    if (!has_one(event, {"share", "becomes"})) { event.fail("must say what is left", "one of: share, becomes"); }
    if (const Node* share = event.get("share"); share != nullptr) {
        const double left = share->as_double();
        if (left != 0 && !(left >= least_share && left <= 1)) {
            share->fail("is out of range", "0, or from " + Json(least_share).dump() + " to 1");
        }
    }
    if (event.get("becomes") != nullptr && event.get("device") != nullptr) {
        event.get("becomes")->fail("is for links", "together with `link` or `cable`");
    }
    if (const Node* cable = event.get("cable"); cable != nullptr && cable->is_list() && cable->items().size() != 2) {
        cable->fail("must name two devices", "as [leaf0, node0.nic0]");
    }
    check_times(event);
}

}  // namespace

std::vector<Key> event_keys() {
    using E = LinkChange;
    KeyOf<E> share =
        number_key("share", &E::share, 0, 1, "What is left of its capacity, at least 1e-6; 0: it is down.");
    share.when_absent = "`becomes`";
    share.write = [](const E& change) { return change.becomes.empty() ? Json(change.share) : Json(); };
    KeyOf<E> times =
        whole_key("times", &E::times, 1, most_times, "How many times in all, together with `every`.", "once");
    times.write = [](const E& change) { return change.every.ps > 0 ? Json(change.times) : Json(); };
    std::vector<Key> keys = list_keys(
        "events", &Scenario::events,
        "Links and devices that change while each size runs; the table of `scaling` runs without them.",
        {
            time_key("at", &E::at,
                     "When, from the start of the replay. A collective is called several times and its last call is "
                     "timed: an event that is over before that one begins costs nothing, and a note says when it does.",
                     "from the start"),
            text_key("link", &E::link, "One direction of a cable or bundle, as reports name it: `leaf0 -> node0.nic0`.",
                     "`cable` or `device`"),
            texts_key("cable", &E::cable,
                      "One cable between two devices, both directions: `[leaf0, node0.nic0]`; of a bundle or of "
                      "parallel ones only this one."),
            text_key(
                "device", &E::device,
                "Every cable of a switch or an adapter (`spine1`, `node0.nic2`), or a GPU's kernels (`node0.gpu3`).",
                "`link` or `cable`"),
            std::move(share),
            text_key("becomes", &E::becomes,
                     "Instead of `share`: the catalogue link that it is trained down to, as `pcie-gen5-x8`.",
                     "`share`"),
            time_key("until", &E::until, "When it is whole again, whatever other events left of it.", "never"),
            time_key("every", &E::every, "Flapping: the same again so long after.", "once"),
            std::move(times),
        });
    keys.front().read = [](const Node& node, Scenario& s) {
        if (node.is_map()) { check_event(node); }
        s.events.emplace_back().place = node.place;
    };
    return keys;
}

}  // namespace fabricast::inline scenario
