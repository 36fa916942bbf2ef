#pragma once
// The packets of the flow that is watched, one by one: when each was sent, and what became of it. Such a replay runs on
// one thread.

#include <map>

#include "sim/engines/common/timeline.hpp"
#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

// How much is kept: packets, sendings of them, and of the rest as many each.
inline constexpr std::size_t packets_kept = 4096, flights_kept = 16384;

class Sequence {
public:
    Sequence() = default;
    Sequence(std::uint32_t watched, std::uint32_t pausing) : flow(watched), port(pausing) {}

    std::uint32_t flow = none, port = none;  // the flow, and the first port on its way that can be paused

    void sent(const Frame& frame, Ps at) {
        const std::uint32_t psn = number_of(frame.psn());
        const bool first = psn == begins_.size();
        if (first) {
            begins_.push_back(seen_.bytes);
            seen_.bytes += frame.bytes;
            if (frame.is(Frame::piece_end) && seen_.ends.size() < packets_kept) { seen_.ends.push_back(seen_.bytes); }
        }
        if (psn >= packets_kept || seen_.flights.size() == flights_kept) {
            ++seen_.left_out;
            return;
        }
        open_.emplace(psn, seen_.flights.size());
        PacketFlight& flight = seen_.flights.emplace_back();
        flight.first = begins_[psn];
        flight.bytes = frame.bytes;
        flight.again = !first;
        flight.sent = {at};
    }

    // Of several copies of a packet the earliest is met first.
    void ended(const Frame& frame, PacketFlight::Fate fate, Ps at) {
        const auto found = open_.find(number_of(frame.psn()));
        if (found == open_.end()) { return; }
        PacketFlight& flight = seen_.flights[found->second];
        flight.fate = fate;
        flight.marked = frame.is(Frame::marked);
        flight.ended = {at};
        open_.erase(found);
    }

    // `psn`: the packet up to which everything has come, or that is asked for.
    void heard(PacketSignal::Kind kind, std::uint32_t psn, Ps at) {
        if (psn > packets_kept || seen_.signals.size() == flights_kept) { return; }
        seen_.signals.push_back({kind, {at}, psn < begins_.size() ? begins_[psn] : seen_.bytes});
    }

    void paused(std::uint32_t p, Ps from, Ps to) {
        if (p == port && seen_.pauses.size() < flights_kept) { seen_.pauses.emplace_back(Time{from}, Time{to}); }
    }

    std::uint32_t number_of(std::uint16_t psn) const { return widen(psn, static_cast<std::uint32_t>(begins_.size())); }
    PacketSequence take() { return std::move(seen_); }

private:
    std::vector<std::int64_t> begins_;                // place of each packet, by its number
    std::multimap<std::uint32_t, std::size_t> open_;  // those under way by their numbers
    PacketSequence seen_;
};

}  // namespace fabricast::inline packet
