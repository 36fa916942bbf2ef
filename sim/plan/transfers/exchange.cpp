#include "sim/plan/transfers/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/unit_text.hpp"
#include "sim/engines/common/accounting.hpp"

namespace fabricast::inline transfers {

namespace {

constexpr double busy_share = 0.8;  // share of the time from which a link or a core counts as the bottleneck

// Half widths of the 80 % interval of a message's time, from its fixed terms and from how far forecasts were from
// measurements; all errors count as independent.
std::pair<double, double> spread(const ExchangeFacts& facts, double seconds) {
    double low = std::pow(seconds * (1 - facts.measured_low80), 2);
    double high = std::pow(seconds * (facts.measured_high80 - 1), 2);
    for (const LatencyTerm& term : facts.choice.path.latency) {
        low += std::pow(to_seconds(term.time - term.low80), 2);
        high += std::pow(to_seconds(term.high80 - term.time), 2);
    }
    return {std::sqrt(low), std::sqrt(high)};
}

double cores(const DataPath& path, bool receiver, const Messaging& m, double bytes, double each_s) {
    double busy = m.by_core ? to_seconds(receiver ? m.receive_gap : m.send_gap) : 0;
    for (const CoreWork& work : path.work) {
        busy += work.receiver == receiver ? to_seconds(work.per_message) + work.seconds_per_byte * bytes : 0;
    }
    return each_s > 0 ? busy / each_s : 0;
}

std::string bottleneck(const Exchange& e, const Timeline& many, const Fabric& fabric, double bytes) {
    if (!many.busiest.empty() && many.busiest.front().utilisation >= busy_share) {
        const LinkUse& use = many.busiest.front();
        return fmt::format("{} {} %", fabric.link_name(use.link), std::lround(std::min(use.utilisation, 1.0) * 100));
    }
    for (const Leg& leg : e.choice.path.legs) {
        if (bytes / e.each_s >= busy_share * leg.rate_cap && !leg.cap.empty()) { return leg.cap; }
    }
    return to_seconds(std::max(e.messaging.send_gap, e.messaging.receive_gap)) >= busy_share * e.each_s
               ? "messages of " + e.messaging.name
               : "latency";
}

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

Exchange measured(const ExchangeFacts& facts, const Schedule& one_schedule, const Timeline& one, const Timeline& many,
                  const Fabric& fabric) {
    Exchange e{facts};
    // Seconds per message of one pair, in the second window or in the only one.
    const auto seconds_each = [&](std::size_t pair) {
        const std::size_t first = pair * e.kept_per_pair;
        const Time last = many.kept[first + e.kept_per_pair - 1].finish;
        const Time begin = e.sent > e.window ? many.kept[first + e.window - 1].finish : Time{};
        return to_seconds(last - begin) / e.window;
    };
    const auto bytes = static_cast<double>(e.size.count);
    e.one_s = to_seconds(one.kept.front().finish - Time{});
    e.each_s = seconds_each(0);
    e.bandwidth = e.directions * bytes / e.each_s;
    for (std::size_t pair = 0; pair < e.pairs; ++pair) {
        e.aggregate_bandwidth += e.directions * bytes / seconds_each(pair);
    }
    // Neither a message nor a window of them can be faster than the links, whatever the intervals of the fixed terms.
    const double least = least_seconds(one_schedule, one, fabric);
    const auto [low, high] = spread(e, e.one_s);
    e.one_low80 = std::min(e.one_s, std::max({e.one_s - low, least, e.one_s * least / e.each_s}));
    e.one_high80 = e.one_s + high;
    e.sender_cores = cores(e.choice.path, false, e.messaging, bytes, e.each_s);
    e.receiver_cores = cores(e.choice.path, true, e.messaging, bytes, e.each_s);
    e.bottleneck = bottleneck(e, many, fabric, bytes);
    return e;
}

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
    for (std::size_t l = 0; l < path.legs.size(); ++l) { out += leg_lines(path.legs[l], l + 1, fabric); }
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
    if (path.latency.empty() && path.work.empty()) { out += "  none\n"; }
    out += fmt::format("\none message        {}\n", text(e.one_s, Dimension::time));
    out += fmt::format("in a window        {} a message, {}{}, bound by {}\n", text(e.each_s, Dimension::time),
                       rate(e.bandwidth), workload.direction == Direction::both_ways ? " both ways together" : "",
                       e.bottleneck);
    if (!workload.concurrent.empty()) {
        out += fmt::format("with those beside  {} in all\n", rate(e.aggregate_bandwidth));
    }
    for (const std::string& note : path.notes) { out += fmt::format("note               {}\n", note); }
    if (!e.choice.refused.empty()) {
        out += "\nwhat forbids a better transport\n";
        for (const RefusedTransport& refused : e.choice.refused) {
            out += fmt::format("  {:<18}{}\n", refused.transport, refused.reason);
        }
    }
    return out;
}

}  // namespace fabricast::inline transfers
