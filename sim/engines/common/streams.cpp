#include "sim/engines/common/streams.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/engines/common/pipeline_form.hpp"

namespace fabricast::inline engine_common {

namespace {

bool is_whole(double x) { return std::abs(x - std::round(x)) < 1e-9 && x >= 1; }

class Streams {
public:
    Streams(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline)
        : fabric_(fabric), schedule_(schedule), pipeline_(pipeline) {}

    PipelineStreams make() {
        make_streams();
        join_channels();
        label_connections();
        const bool one_way = !pipeline_.cyclic && find_order();
        result_.layered = pipeline_.cyclic || one_way;
        list_those_before();
        if (one_way) { sort(); }
        const double moved = pipeline_.bytes_per_edge / pipeline_.chunk;
        // Streamed as one: each call after the first adds what its ring leaves out, less the slice that overlaps.
        const double again = (pipeline_.calls - 1) * ((pipeline_.cyclic ? 1.0 : 0.0) - 1.0 / pipeline_.slices);
        result_.chunks = moved + pipeline_.fill + again;
        const double fill_chunks = std::ceil(result_.chunks - 1e-9) - std::ceil(moved - 1e-9);
        result_.fill_chunks = static_cast<std::uint32_t>(std::max(0.0, fill_chunks));
        return std::move(result_);
    }

private:
    bool between_nodes(const PathQuery& path) const {
        const auto is_switch = [&](DeviceId d) { return fabric_.kind(d) == DeviceKind::fabric_switch; };
        return is_switch(path.src) || is_switch(path.dst) || fabric_.node_of(path.src) != fabric_.node_of(path.dst);
    }

    Duration largest(Duration Stage::*which, bool network) const {
        Duration most;
        for (const Stage& stage : schedule_.stages_of(pipeline_)) {
            most = between_nodes(stage.hop) == network ? std::max(most, stage.*which) : most;
        }
        return most;
    }

    void make_streams() {
        result_.streams.reserve(static_cast<std::size_t>(stream_count(schedule_, pipeline_)));
        for_each_edge(schedule_.edge_sets[pipeline_.edges], fabric_, [&](const Edge& edge) {
            const bool network = between_nodes(edge.path);
            const double channels = edge.count * pipeline_.weight;
            const long copies = is_whole(channels) ? std::lround(channels) : 1;
            PipelineStream stream;
            stream.path = edge.path;
            stream.scale = channels / static_cast<double>(copies);
            stream.overhead = largest(&Stage::overhead, network);
            fabric_.path(edge.path, path_);
            const Duration latency = path_.latency;
            stream.hop = latency + stream.overhead;
            stream.wire_ratio = network ? pipeline_.network_wire_ratio : pipeline_.wire_ratio;
            stream.rate_cap = stream.scale * pipeline_.chunk / least_tau(pipeline_, network);
            for (long copy = 0; copy < copies; ++copy) {
                result_.streams.push_back(stream);
                connection_.push_back(static_cast<std::uint32_t>(copy) % edge.connections);
            }
            result_.longest = std::max(result_.longest, stream.hop);
            result_.credit = std::max(result_.credit, latency + largest(&Stage::credit, network));
        });
    }

    // What tells streams apart that end at one device.
    struct Place {
        DeviceId device;
        std::uint32_t label = 0;
        std::uint32_t channel = 0;
        friend auto operator<=>(const Place&, const Place&) = default;
    };

    // Streams that end at one place: what a stream that begins there follows.
    struct Arrivals {
        Place place;
        std::size_t begin = 0, end = 0;                    // into `ending_`
        std::size_t left = 0;                              // of them, not yet in order
        std::pair<std::uint32_t, std::size_t> last{0, 0};  // round and number of the last of them in order
        std::vector<std::size_t> followers;
    };

    // Channel i of an edge leads to channel i of the next edges. Several rings may pass through a device, each with its
    // own flow labels: a stream follows the arriving streams that have its label, or all of them if none has it.
    void join_channels() {
        number_channels();
        const auto path = [&](std::size_t s) -> const PathQuery& { return result_.streams[s].path; };
        by_label_ = grouped([&](std::uint32_t s) { return Place{path(s).dst, path(s).flow_label, channel_[s]}; });
        const std::size_t labelled = arrivals_.size();
        by_device_ = grouped([&](std::uint32_t s) { return Place{path(s).dst, 0, channel_[s]}; });
        const auto middle = arrivals_.begin() + static_cast<std::ptrdiff_t>(labelled);
        follows_.assign(result_.streams.size(), no_arrivals);
        for (std::size_t s = 0; s < follows_.size(); ++s) {
            const PathQuery& own = path(s);
            const auto same = std::ranges::lower_bound(arrivals_.begin(), middle, Place{own.src, own.flow_label, 0}, {},
                                                       &Arrivals::place);
            const bool has_label =
                same != middle && same->place.device == own.src && same->place.label == own.flow_label;
            const Place wanted{own.src, has_label ? own.flow_label : 0, channel_[s]};
            const auto from = has_label ? arrivals_.begin() : middle, to = has_label ? middle : arrivals_.end();
            const auto found = std::ranges::lower_bound(from, to, wanted, {}, &Arrivals::place);
            if (found != to && found->place == wanted) {
                follows_[s] = static_cast<std::size_t>(found - arrivals_.begin());
                found->followers.push_back(s);
            }
        }
    }

    // The streams with their keys, sorted by these; those of one key in their order. Keys are copied first: there may
    // be millions, which are then compared where they stand.
    template <class KeyOf> auto sorted_by(const KeyOf& key_of) const {
        std::vector<std::pair<decltype(key_of(0)), std::uint32_t>> order;
        order.reserve(result_.streams.size());
        for (std::uint32_t s = 0; s < result_.streams.size(); ++s) { order.emplace_back(key_of(s), s); }
        if (!std::ranges::is_sorted(order)) { std::ranges::sort(order); }
        return order;
    }

    // Which of the streams between two devices with one flow label each is.
    void number_channels() {
        const auto order = sorted_by([&](std::uint32_t s) {
            const PathQuery& path = result_.streams[s].path;
            return std::tuple{path.src, path.dst, path.flow_label};
        });
        channel_.assign(order.size(), 0);
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (order[i].first == order[i - 1].first) { channel_[order[i].second] = channel_[order[i - 1].second] + 1; }
        }
    }

    // Groups the streams by where they end; returns the group of each.
    template <class PlaceOf> std::vector<std::size_t> grouped(const PlaceOf& place_of) {
        std::vector<std::size_t> group(result_.streams.size());
        const std::size_t before = arrivals_.size();
        for (const auto& [place, s] : sorted_by(place_of)) {
            if (arrivals_.size() == before || arrivals_.back().place != place) {
                arrivals_.push_back({.place = place, .begin = ending_.size(), .followers = {}});
            }
            ending_.push_back(s);
            arrivals_.back().end = ending_.size();
            ++arrivals_.back().left;
            group[s] = arrivals_.size() - 1;
        }
        return group;
    }

    // Writes down whom a stream follows, where that is read: everywhere if the edges run one way, else only at a
    // switch, which sends on the sum or what it multicasts.
    void list_those_before() {
        for (std::size_t s = 0; s < result_.streams.size(); ++s) {
            PipelineStream& stream = result_.streams[s];
            const DeviceKind from = fabric_.kind(stream.path.src);
            const bool read = result_.layered || from == DeviceKind::nvswitch || from == DeviceKind::fabric_switch;
            if (!read || follows_[s] == no_arrivals) { continue; }
            const Arrivals& arrivals = arrivals_[follows_[s]];
            stream.before.assign(ending_.begin() + static_cast<std::ptrdiff_t>(arrivals.begin),
                                 ending_.begin() + static_cast<std::ptrdiff_t>(arrivals.end));
        }
    }

    void label_connections() {
        for (std::size_t s = 0; s < connection_.size(); ++s) {
            PathQuery& path = result_.streams[s].path;
            path.flow_label = connection_label(path.flow_label, connection_[s]);
        }
    }

    // Finds an order in which each stream comes after those that lead to it: by rounds, in each of which all streams
    // that can be placed are, from the first to the last. Returns false if they form a cycle.
    bool find_order() {
        std::vector<std::size_t> ready;
        std::vector<std::uint32_t> round(result_.streams.size(), 0);
        for (std::size_t s = 0; s < follows_.size(); ++s) {
            if (follows_[s] == no_arrivals) { ready.push_back(s); }
        }
        for (std::size_t next = 0; next < ready.size(); ++next) {
            const std::size_t placed = ready[next];
            for (const std::size_t group : {by_label_[placed], by_device_[placed]}) {
                Arrivals& arrivals = arrivals_[group];
                arrivals.last = std::max(arrivals.last, {round[placed], placed});
                if (--arrivals.left > 0) { continue; }
                for (const std::size_t s : arrivals.followers) {
                    round[s] = arrivals.last.first + (arrivals.last.second > s ? 1 : 0);
                    ready.push_back(s);
                }
            }
        }
        order_ = std::move(ready);
        std::ranges::sort(order_, {}, [&](std::size_t s) { return std::pair{round[s], s}; });
        return order_.size() == result_.streams.size();
    }

    void sort() {
        std::vector<std::size_t> place(order_.size());
        std::vector<PipelineStream> sorted;
        for (const std::size_t s : order_) {
            place[s] = sorted.size();
            sorted.push_back(std::move(result_.streams[s]));
        }
        for (PipelineStream& stream : sorted) {
            for (std::size_t& before : stream.before) { before = place[before]; }
        }
        result_.streams = std::move(sorted);
    }

    const Fabric& fabric_;
    const Schedule& schedule_;
    const Pipeline& pipeline_;
    PipelineStreams result_;
    Path path_;
    std::vector<std::uint32_t> connection_;  // of each stream, among those of its edge
    static constexpr std::size_t no_arrivals = std::numeric_limits<std::size_t>::max();
    std::vector<std::uint32_t> channel_;                       // of each stream, among those of its ends and label
    std::vector<std::size_t> follows_, by_label_, by_device_;  // of each stream, into `arrivals_`
    std::vector<Arrivals> arrivals_;
    std::vector<std::size_t> ending_;
    std::vector<std::size_t> order_;
};

}  // namespace

double left_to_drain(const PipelineStreams& streams, double draining, Duration crossed) {
    return streams.layered ? 0 : std::max(0.0, draining - to_seconds(crossed));
}

std::optional<std::uint64_t> slot_before(std::uint64_t chunk, double slots) {
    // The chunks of window w are [ceil(w * slots), ceil((w + 1) * slots)); each takes the slot of the chunk at the same
    // position in the window before.
    const double window = std::floor(static_cast<double>(chunk) / slots + 1e-9);
    if (window < 1) { return std::nullopt; }
    const auto first = [&](double w) { return static_cast<std::uint64_t>(std::ceil(w * slots - 1e-9)); };
    return chunk - (first(window) - first(window - 1));
}

double stream_count(const Schedule& schedule, const Pipeline& pipeline) {
    const auto edges = static_cast<double>(edge_count(schedule.edge_sets[pipeline.edges]));
    return edges * (is_whole(pipeline.weight) ? std::round(pipeline.weight) : 1);
}

double stream_count(const Schedule& schedule) {
    auto streams = static_cast<double>(schedule.connections.size());
    for (const Pipeline& pipeline : schedule.pipelines) { streams += stream_count(schedule, pipeline); }
    return streams;
}

PipelineStreams streams_of(const Fabric& fabric, const Schedule& schedule, const Pipeline& pipeline) {
    return Streams(fabric, schedule, pipeline).make();
}

}  // namespace fabricast::inline engine_common
