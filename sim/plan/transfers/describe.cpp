#include "sim/plan/transfers/describe.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

std::string rate(double bytes_per_second) { return text(bytes_per_second, Dimension::rate); }

constexpr std::size_t name_width = 46;

std::string leg_lines(const Leg& leg, std::size_t number, const Fabric& fabric) {
    std::string out = fmt::format("  {}. {}\n", number, leg.what);
    for (const PathQuery& query : leg.paths) {
        const Path path = fabric.path(query);
        for (const LinkId link : path.span()) {
            const LinkInfo info = fabric.link(link);
            out += fmt::format("       {:<{}}{:<13}{}\n", fabric.link_name(link), name_width, rate(info.capacity),
                               fabric.ends(link).resource ? "" : text(info.latency));
        }
    }
    if (leg.wire_ratio != 1) {
        out += fmt::format("       {:<{}}{} bytes a byte of payload\n", "on the wire", name_width,
                           text(leg.wire_ratio, Dimension::ratio));
    }
    if (leg.rate_cap < std::numeric_limits<double>::infinity()) {
        out += fmt::format("       {:<{}}{}\n", "no faster than: " + leg.cap, name_width, rate(leg.rate_cap));
    }
    return out;
}

// A half rounds away from zero.
double hundredths(double cores) { return static_cast<double>(std::llround(cores * 100)) / 100; }

}  // namespace

std::string describe(const Exchange& e, const TransferWorkload& workload, const Fabric& fabric) {
    const DataPath& path = e.choice.path;
    std::string out = fmt::format("path {} to {}, {}\ntransport  {}, messages by {}{}\n", workload.from, workload.to,
                                  text(e.size), path.transport, e.messaging.name,
                                  e.mode == MessageMode::rendezvous ? ", which asks first (rendezvous)" : ", at once");
    out += fmt::format("copies     {}\nDMA        {} crossings\n", path.copies(), path.dma_crossings());
    out += fmt::format("cores      {:.2f} sending, {:.2f} receiving\n\n", hundredths(e.sender_cores),
                       hundredths(e.receiver_cores));
    out += path.piece.count > 0 && path.legs.size() > 1
               ? fmt::format("legs, one behind the other in pieces of {}, {} in flight\n", text(path.piece), path.slots)
               : "legs\n";
    for (std::size_t l = 0; l < path.legs.size(); ++l) {
        out += leg_lines(path.legs[l], l + 1, fabric);
    }
    out += "\nlatency beside the links'\n";
    const auto fixed = [&](const std::string& what, const std::string& time) {
        return fmt::format("  {:<{}}{}\n", what, name_width + 5, time);
    };
    for (const LatencyTerm& term : path.latency) {
        out += fixed(term.what, fmt::format("{:<13}{}", text(term.time), term.figure));
    }
    for (const CoreWork& work : path.work) {
        if (work.blocks) {
            out += fixed(work.what + (work.receiver ? ", receiver's core" : ", sender's core"), text(work.per_message));
        }
    }
    if (path.latency.empty() && path.work.empty()) {
        out += "  none\n";
    }
    out += fmt::format("\none message        {}\n", text(e.one_s, Dimension::time));
    out += fmt::format("in a window        {} a message, {}{}, bound by {}\n", text(e.each_s, Dimension::time),
                       rate(e.bandwidth), workload.direction == Direction::both_ways ? " both ways together" : "",
                       e.bottleneck);
    if (!workload.concurrent.empty()) {
        out += fmt::format("with those beside  {} in all\n", rate(e.aggregate_bandwidth));
    }
    for (const std::string& note : path.notes) {
        out += fmt::format("note               {}\n", note);
    }
    if (!e.choice.refused.empty()) {
        out += "\nwhat forbids a better transport\n";
        for (const Candidate& refused : e.choice.refused) {
            out += fmt::format("  {:<18}{}\n", refused.transport, refused.attempt.refusal);
        }
    }
    return out;
}

}  // namespace fabricast
