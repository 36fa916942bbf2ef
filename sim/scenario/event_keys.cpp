#include "sim/scenario/event_keys.hpp"

#include <algorithm>
#include <limits>

#include "sim/scenario/rows.hpp"

namespace fabricast {

namespace {

using namespace rows;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
// A field of the event that is being read, which is the last of the list.
#define EVENT(member) \
    [](auto& scenario) -> auto& { return scenario.events.back().member; }
// NOLINTEND(bugprone-macro-parentheses)

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
    if (every == nullptr) {
        return;
    }
    if (until == nullptr) {
        every->fail("needs an end", "together with `until`");
    }
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
    if (!has_one(event, {"share", "becomes"})) {
        event.fail("must say what is left", "one of: share, becomes");
    }
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

Json event_json(const LinkChange& change) {
    Json json = Json::object();
    const auto time = [&](const char* key, Duration at) {
        if (at.ps > 0) {
            json[key] = std::to_string(at.ps) + " ps";
        }
    };
    time("at", change.at);
    if (!change.link.empty()) {
        json["link"] = change.link;
    } else if (!change.cable.empty()) {
        json["cable"] = change.cable;
    } else {
        json["device"] = change.device;
    }
    if (change.becomes.empty()) {
        json["share"] = change.share;
    } else {
        json["becomes"] = change.becomes;
    }
    time("until", change.until);
    if (change.every.ps > 0) {
        time("every", change.every);
        json["times"] = change.times;
    }
    return json;
}

}  // namespace

std::vector<Key> event_keys() {
    Key share =
        number_key("events.share", EVENT(share), 0, 1, "What is left of its capacity, at least 1e-6; 0: it is down.");
    share.when_absent = "`becomes`";
    Key times =
        whole_key("events.times", EVENT(times), 1, most_times, "How many times in all, together with `every`.", "once");
    std::vector<Key> keys = list_keys(
        "events", [](auto& scenario) -> auto& { return scenario.events; },
        "Links and devices that change while each size runs; the table of `scaling` runs without them.", event_json,
        {
            time_key("events.at", EVENT(at), "When, from the start of the replay.", "from the start"),
            text_key("events.link", EVENT(link),
                     "One direction of a cable or bundle, as reports name it: `leaf0 -> node0.nic0`.",
                     "`cable` or `device`"),
            texts_key(
                "events.cable", EVENT(cable),
                "One cable between two devices, both directions: `[leaf0, node0.nic0]`; of a bundle or of parallel "
                "ones only this one."),
            text_key(
                "events.device", EVENT(device),
                "Every cable of a switch or an adapter (`spine1`, `node0.nic2`), or a GPU's kernels (`node0.gpu3`).",
                "`link` or `cable`"),
            std::move(share),
            text_key("events.becomes", EVENT(becomes),
                     "Instead of `share`: the catalogue link that it is trained down to, as `pcie-gen5-x8`.",
                     "`share`"),
            time_key("events.until", EVENT(until), "When it is whole again, whatever other events left of it.",
                     "never"),
            time_key("events.every", EVENT(every), "Flapping: the same again so long after.", "once"),
            std::move(times),
        });
    keys.front().read = [](const Node& node, Scenario& s) {
        if (node.is_map()) {
            check_event(node);
        }
        s.events.emplace_back().place = node.place;
    };
    return keys;
}

}  // namespace fabricast
