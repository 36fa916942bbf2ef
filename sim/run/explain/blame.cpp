#include "sim/run/explain/blame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "base/enum_name.hpp"
#include "sim/engines/common/make_fluid_network.hpp"
#include "sim/engines/common/pipeline_form.hpp"

namespace fabricast::inline explain {

namespace {

// The hop without its numbers, so that equivalent hops of different nodes compare equal: "node3.gpu0 -> node3.nvswitch
// (x18)" becomes "node.gpu -> node.nvswitch (x)".
std::string without_numbers(std::string_view hop) {
    std::string kind(hop);
    std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
    return kind;
}

std::vector<LinkEvent> of_links(std::span<const LinkEvent> events) {
    std::vector<LinkEvent> links(events.begin(), events.end());
    std::erase_if(links, [](const LinkEvent& event) { return event.of_device(); });
    return links;
}

constexpr double rounding = 2e-12;  // seconds: starts and ends are rounded to picoseconds
constexpr double infinite = std::numeric_limits<double>::infinity();

// The time of one chunk on an edge, split by what determines it.
struct ChunkTime {
    double seconds = 0;
    double wire = 0;      // on the binding link; 0 if the channel is slower
    double channel = 0;   // the channel's own copy loop
    double overhead = 0;  // overhead of each chunk
    double posting = 0;   // posting of its messages by the hosts
};

ChunkTime chunk_time(const Pipeline& pipeline, double rate, bool between_nodes = true) {
    const double wire = pipeline.chunk * costlier_wire_ratio(pipeline) / rate;
    const double channel = pipeline.chunk / pipeline.edge_rate_cap;
    const double overhead = to_seconds(pipeline.chunk_overhead);
    const double posting = between_nodes ? to_seconds(pipeline.chunk_posting) : 0;
    if (wire >= std::max(channel + overhead, posting)) { return {wire, wire, 0, 0, 0}; }
    if (posting > channel + overhead) { return {posting, 0, 0, 0, posting}; }
    return {channel + overhead, 0, channel, overhead, 0};
}

// Blames a hop's time on the narrowest of its links if the chunk waits there; else on what sets the pipeline's pace.
template <class AtPace>
void hop_time(const Pipeline& pipeline, const Path& path, const HopPath& hop, double seconds, BlameSheet& sheet,
              const Fabric& fabric, const ChunkTime& pace, const AtPace& at_pace) {
    const ChunkTime own = hop.rate > 0 ? chunk_time(pipeline, hop.rate, hop.between_nodes) : pace;
    if (hop.rate <= 0 || own.wire <= 0) {
        at_pace(own, seconds);
        return;
    }
    LinkId narrow = path.links[0];
    for (const LinkId link : path.span()) {
        narrow = fabric.link(link).capacity < fabric.link(narrow).capacity ? link : narrow;
    }
    sheet.add(BlameKind::bandwidth, to_string(fabric.link(narrow).cls), fabric.link_name(narrow), seconds);
}

}  // namespace

std::string_view to_string(BlameKind kind) {
    return enum_name<6>({"compute", "bandwidth", "latency", "protocol", "launch", "wait"}, kind);
}

bool alike(const Blame& a, const Blame& b) {
    return a.kind == b.kind && a.what == b.what && a.part == b.part && without_numbers(a.hop) == without_numbers(b.hop);
}

void BlameSheet::add(BlameKind kind, std::string_view what, std::string_view hop, double seconds,
                     std::string_view part) {
    if (!(seconds > 0)) { return; }
    Blame entry{kind, std::string(what), std::string(part), std::string(hop), seconds};
    const auto same = std::ranges::find_if(entries_, [&](const Blame& other) { return alike(other, entry); });
    if (same != entries_.end()) {
        same->seconds += seconds;
    } else {
        entries_.push_back(std::move(entry));
    }
}

void BlameSheet::add(const BlameSheet& other, std::string_view part, double factor) {
    for (const Blame& entry : other.entries_) { add(entry.kind, entry.what, entry.hop, entry.seconds * factor, part); }
}

double BlameSheet::total() const {
    double sum = 0;
    for (const Blame& entry : entries_) { sum += entry.seconds; }
    return sum;
}

std::map<BlameKind, double> by_kind(const std::vector<Blame>& blames) {
    std::map<BlameKind, double> kinds;
    for (const Blame& blame : blames) { kinds[blame.kind] += blame.seconds; }
    return kinds;
}

std::vector<Blame> BlameSheet::sorted() const {
    std::vector<Blame> list = entries_;
    std::ranges::sort(list, [](const Blame& a, const Blame& b) {
        return std::tie(b.seconds, a.kind, a.part, a.what, a.hop) < std::tie(a.seconds, b.kind, b.part, b.what, b.hop);
    });
    return list;
}

struct OperationBlame::Binding {
    LinkClass cls = LinkClass::other;
    std::string hop;
    double rate = infinite;  // rate of one member, wire bytes per second
};

OperationBlame::OperationBlame(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events)
    : fabric_(fabric),
      schedule_(schedule),
      events_(of_links(events)),
      network_(make_fluid_network(fabric, schedule, events_)),
      limits_{static_cast<double>(fabric.node().gpu.sms), fabric.node().gpu.memory_bandwidth} {}

// What events leave of the row's capacity, on average over the stretch. Times when it is down do not count: traffic
// goes round or waits.
double OperationBlame::share_of(std::uint32_t row, Stretch stretch) const {
    std::map<Time, double> changes{{Time{}, 1.0}};
    for (std::size_t e = 0; e < events_.size(); ++e) {
        if (network_.row_of_event[e] == row) { changes[events_[e].at] = events_[e].share; }
    }
    double up = 0;
    double kept = 0;
    for (auto change = changes.begin(); change != changes.end(); ++change) {
        const auto next = std::next(change);
        const Time from = std::max(stretch.from, change->first);
        const Time to = next == changes.end() ? stretch.to : std::min(stretch.to, next->first);
        if (to <= from || change->second <= 0) { continue; }
        up += to_seconds(to - from);
        kept += change->second * to_seconds(to - from);
    }
    return up > 0 ? kept / up : 1;
}

// The narrowest of the links that the class crosses, each counted as often as the class crosses it.
OperationBlame::Binding OperationBlame::binding(std::uint32_t cls, double members, Stretch stretch) const {
    const FlowClass& flow = network_.classes[cls];
    Binding found;
    for (std::uint32_t x = flow.begin; x < flow.end; ++x) {
        const std::uint32_t row = network_.crossing_row[x];
        const double rate = network_.capacity[row] * share_of(row, stretch) / (network_.crossing_times[x] * members);
        if (rate >= found.rate) { continue; }
        const auto parts = std::span(network_.parts)
                               .subspan(network_.part_begin(row), network_.part_end[row] - network_.part_begin(row));
        const auto narrow = std::ranges::min_element(parts, {}, &LinkPart::capacity);
        found = {narrow->cls, fabric_.link_name(narrow->first), rate};
    }
    return found;
}

void OperationBlame::path_latency(const Path& path, double times, BlameSheet& sheet) const {
    for (const LinkId link : path.span()) {
        const LinkInfo info = fabric_.link(link);
        sheet.add(BlameKind::latency, to_string(info.cls), fabric_.link_name(link), times * to_seconds(info.latency));
    }
}

void OperationBlame::pipeline(std::uint32_t index, Until until, Stretch stretch, BlameSheet& sheet) const {
    const Pipeline& p = schedule_.pipelines[index];
    const Binding link = binding(network_.class_of_pipeline[index], p.weight, stretch);
    const ChunkTime chunk = chunk_time(p, link.rate);
    const double tau = chunk.seconds;
    const auto at_pace = [&](const ChunkTime& pace, double seconds) {
        const double share = pace.seconds > 0 ? seconds / pace.seconds : 0;
        sheet.add(BlameKind::bandwidth, to_string(link.cls), link.hop, share * pace.wire);
        sheet.add(BlameKind::protocol, "channel rate", "", share * pace.channel);
        sheet.add(BlameKind::protocol, "chunk overhead", "", share * pace.overhead);
        sheet.add(BlameKind::protocol, "posting of messages", "", share * pace.posting);
    };
    sheet.add(BlameKind::protocol, "start of the call", "", to_seconds(p.start));

    const auto hops = network_.hops_of(index);
    const auto latency_of = [&](std::uint32_t i) {
        return to_seconds(schedule_.stages[p.first_stage + i].overhead + hops[i].latency);
    };
    // A chunk crosses a hop at the rate of the hop's own links, if they are edges of the pipeline.
    const auto own_time = [&](std::uint32_t i) {
        return (hops[i].rate > 0 ? std::min(chunk_time(p, hops[i].rate, hops[i].between_nodes).seconds, tau) : tau) /
               p.slices;
    };
    double count = 0;
    double steps = 0;
    double largest = 0;
    for (std::uint32_t i = 0; i < p.stage_count; ++i) {
        const double stages = schedule_.stages[p.first_stage + i].count;
        count += stages;
        steps += stages * (latency_of(i) + own_time(i));
        largest = std::max(largest, latency_of(i));
    }
    // A chain releases its dependents when its first sender is done, so its hops do not count then.
    const bool hops_count = p.cyclic || until == Until::finish;
    if (!hops_count) { at_pace(chunk, std::min(steps, tau)); }
    const bool slowest_edge = p.cyclic && count * tau > steps;  // takes longer than a chunk's round trip
    if (slowest_edge) { at_pace(chunk, count * tau); }
    for (std::uint32_t i = 0; i < p.stage_count && hops_count && !slowest_edge; ++i) {
        const Stage& stage = schedule_.stages[p.first_stage + i];
        const Path path = fabric_.path(stage.hop);
        path_latency(path, stage.count, sheet);
        sheet.add(BlameKind::protocol, hops[i].between_nodes ? "hop between nodes" : "hop inside the node", "",
                  stage.count * to_seconds(stage.overhead));
        hop_time(p, path, hops[i], stage.count * own_time(i), sheet, fabric_, chunk, at_pace);
    }
    const double streaming = std::max(0.0, p.bytes_per_edge / p.chunk - (p.cyclic ? count : 1));
    const double window = (2 * largest + tau) / p.slots;
    at_pace(chunk, streaming * tau + p.fill * tau);
    sheet.add(BlameKind::latency, "window of buffers", "", streaming * std::max(0.0, window - tau));
}

void OperationBlame::transfer(const Transfer& transfer, bool queued, Stretch stretch, BlameSheet& sheet) const {
    const Connection& connection = schedule_.connections[transfer.connection];
    const std::uint32_t cls = network_.class_of_connection[transfer.connection];
    if (!queued) {
        sheet.add(BlameKind::protocol, "start of the message", "", to_seconds(transfer.start));
        path_latency(fabric_.path(connection.path), 1, sheet);
    }
    const double bytes = static_cast<double>(transfer.bytes.count) * connection.wire_ratio;
    const Binding link = binding(cls, 1, stretch);
    const double cap = connection.rate_cap * connection.wire_ratio;
    if (cap < link.rate) {
        sheet.add(BlameKind::protocol, "message rate", "", bytes / cap);
    } else if (link.rate < infinite) {
        sheet.add(BlameKind::bandwidth, to_string(link.cls), link.hop, bytes / link.rate);
    }
}

void OperationBlame::compute(const Compute& compute, BlameSheet& sheet) const {
    const double alone = kernel_times(limits_, {&compute}).front();
    const double memory = limits_.memory_bandwidth > 0 ? compute.bytes / limits_.memory_bandwidth : 0;
    sheet.add(BlameKind::compute, memory >= alone * (1 - 1e-9) ? "GPU memory" : "arithmetic", "", alone);
}

BlameSheet OperationBlame::blame(OpId op, Until until, bool queued, Stretch stretch) const {
    const double seconds = stretch.seconds();
    BlameSheet alone;
    const std::uint32_t detail = schedule_.detail(op);
    std::string others = "others' turn";
    const auto others_on = [&](std::uint32_t cls) {
        return fmt::format("others on {}", to_string(binding(cls, 1, stretch).cls));
    };
    switch (schedule_.kind(op)) {
        case OpKind::transfer:
            transfer(schedule_.transfers[detail], queued, stretch, alone);
            others = others_on(network_.class_of_connection[schedule_.transfers[detail].connection]);
            break;
        case OpKind::pipeline:
            pipeline(detail, until, stretch, alone);
            others = others_on(network_.class_of_pipeline[detail]);
            break;
        case OpKind::compute:
            compute(schedule_.computes[detail], alone);
            others = "collectives on the GPU";
            break;
        case OpKind::delay:
            alone.add(BlameKind::launch, "host", "", to_seconds(schedule_.delays[detail].duration));
            break;
    }
    BlameSheet sheet;
    const double expected = alone.total();
    // Times differ a little by rounding, or by links that change: the parts keep their proportions.
    const bool as_expected = expected > 0 && seconds < expected + rounding;
    sheet.add(alone, "", as_expected ? seconds / expected : 1);
    if (!as_expected) { sheet.add(BlameKind::wait, others, "", seconds - sheet.total()); }
    return sheet;
}

}  // namespace fabricast::inline explain
