#include "sim/plan/transfers/describe.hpp"

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

std::string pad(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

std::string rate(double bytes_per_second) { return text(bytes_per_second, Dimension::rate); }

constexpr std::size_t name_width = 46;

std::string leg_lines(const Leg& leg, std::size_t number, const Fabric& fabric) {
    std::string out = "  " + std::to_string(number) + ". " + leg.what + "\n";
    for (const PathQuery& query : leg.paths) {
        const Path path = fabric.path(query);
        for (const LinkId link : path.span()) {
            const LinkInfo info = fabric.link(link);
            out += "       " + pad(fabric.link_name(link), name_width) + pad(rate(info.capacity), 13) +
                   (fabric.ends(link).resource ? "" : text(info.latency)) + "\n";
        }
    }
    if (leg.wire_ratio != 1) {
        out += "       " + pad("on the wire", name_width) + text(leg.wire_ratio, Dimension::ratio) +
               " bytes a byte of payload\n";
    }
    if (leg.rate_cap < std::numeric_limits<double>::infinity()) {
        out += "       " + pad("no faster than: " + leg.cap, name_width) + rate(leg.rate_cap) + "\n";
    }
    return out;
}

std::string cores_text(double cores) {
    const auto hundredths = std::llround(cores * 100);
    const std::string fraction = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + "." + (fraction.size() < 2 ? "0" : "") + fraction;
}

}  // namespace

std::string describe(const Exchange& e, const TransferWorkload& workload, const Fabric& fabric, Bytes size) {
    const DataPath& path = e.choice.path;
    std::string out = "path " + workload.from + " to " + workload.to + ", " + text(size) + "\ntransport  " +
                      path.transport + ", messages by " + e.messaging.name +
                      (e.mode == MessageMode::rendezvous ? ", which asks first (rendezvous)" : ", at once") + "\n";
    out += "copies     " + std::to_string(path.copies()) + "\n";
    out += "DMA        " + std::to_string(path.dma_crossings()) + " crossings\n";
    out += "cores      " + cores_text(e.sender_cores) + " sending, " + cores_text(e.receiver_cores) + " receiving\n\n";
    out += "legs" +
           (path.piece.count > 0 && path.legs.size() > 1 ? ", one behind the other in pieces of " + text(path.piece) +
                                                               ", " + std::to_string(path.slots) + " in flight"
                                                         : std::string()) +
           "\n";
    for (std::size_t l = 0; l < path.legs.size(); ++l) {
        out += leg_lines(path.legs[l], l + 1, fabric);
    }
    out += "\nlatency beside the links'\n";
    for (const LatencyTerm& term : path.latency) {
        out += "  " + pad(term.what, name_width + 5) + pad(text(term.time), 13) + term.figure + "\n";
    }
    for (const CoreWork& work : path.work) {
        if (work.blocks) {
            out += "  " + pad(work.what + (work.receiver ? ", receiver's core" : ", sender's core"), name_width + 5) +
                   text(work.per_message) + "\n";
        }
    }
    if (path.latency.empty() && path.work.empty()) {
        out += "  none\n";
    }
    out += "\none message        " + text(e.one_s, Dimension::time) + "\n";
    out += "in a window        " + text(e.each_s, Dimension::time) + " a message, " + rate(e.bandwidth) +
           (workload.direction == Direction::both_ways ? " both ways together" : "") + ", bound by " + e.bottleneck +
           "\n";
    if (!workload.beside.empty()) {
        out += "with those beside  " + rate(e.aggregate_bandwidth) + " in all\n";
    }
    for (const std::string& note : path.notes) {
        out += "note               " + note + "\n";
    }
    if (!e.choice.refused.empty()) {
        out += "\nwhat forbids a better transport\n";
        for (const Candidate& refused : e.choice.refused) {
            out += "  " + pad(refused.transport, 18) + refused.attempt.refusal + "\n";
        }
    }
    return out;
}

}  // namespace fabricast
