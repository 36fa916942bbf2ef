#include "sim/plan/collectives/nccl/chunking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

namespace fabricast::inline collectives::nccl {

namespace {

constexpr double KiB = 1024;

// Threads of a full block; a slow ring gets fewer.
double threads(const Release& release, const TopologySearchResult& found, bool on_ring, Proto proto) {
    const bool slow = on_ring && proto == Proto::simple &&
                      found.ring.intra * found.ring.channels <= release.number("threads.slow_limit");
    return slow ? release.number("threads.simple_slow") : release.number_of("threads", proto);
}

// Bytes of a call for each thread below which channels are dropped, and then threads.
double thread_threshold(const Release& release, bool on_ring, Proto proto, const Shape& shape) {
    return release.number_of("thread_threshold", proto) * (on_ring && proto == Proto::ll ? shape.ranks : 1);
}

// Bytes that a rank moves per byte of the nccl-tests size (ncclFuncTrafficPerByte); LL counts four times as much.
double traffic_per_byte(Collective collective, Proto proto) {
    return (collective == Collective::all_reduce ? 2 : 1) * (proto == Proto::ll ? 4.0 : 1.0);
}

double halved_while_short(double chunk, double per_channel, double chunks_wanted, double floor) {
    while (std::floor(per_channel / chunk) < chunks_wanted && chunk > floor) { chunk /= 2; }
    return chunk;
}

// NVLS takes the chunk `smaller` if the data do not fill `loops` passes of all channels and heads with the present.
struct ChunkCap {
    double loops, smaller;
};

double capped(double chunk, double bytes, double at_once, std::initializer_list<ChunkCap> caps) {
    for (const ChunkCap& cap : caps) {
        if (bytes < cap.loops * at_once * chunk && chunk > cap.smaller) { chunk = cap.smaller; }
    }
    return chunk;
}

// Channels of a pair: at least and at most.
struct PairChannels {
    int least, most;
};

PairChannels pair_channels(const Release& release, const TopologySearchResult& found, const Shape& shape) {
    const bool one_node = shape.nodes == 1, everywhere = release.flags.splits_p2p_everywhere;
    const auto halve = [&](int count, std::int64_t ranks, std::int64_t fit) {
        while (count > 1 && count * ranks > fit * found.p2p_channels) { count /= 2; }
        return count;
    };
    int most = found.p2p_channels_per_peer;
    if (!one_node && release.flags.scales_p2p_channels) {
        most = halve(most, (shape.ranks + 7) / 8, 1);
    } else if (one_node != everywhere) {
        most = halve(most, shape.ranks, 4);
    }
    return {one_node || everywhere ? halve(found.p2p_channels_per_peer, shape.ranks, 1) : most, most};
}

// The channels on which a message of `bytes` goes in parts of `step`.
int parts_of_pair(const PairChannels& pair, const Shape& shape, double step, double bytes) {
    const double shortest = shape.nodes > 1 ? step / 2 : step / 8;
    const double longest = shape.nodes > 1 ? step : step * 32;
    int channels = static_cast<int>(std::clamp(std::ceil(bytes / shortest), 1.0, static_cast<double>(pair.least)));
    while (std::max(shortest, bytes / channels) > longest && channels <= pair.most / 2) { channels *= 2; }
    return channels;
}

}  // namespace

int channels_used(const Release& release, const TopologySearchResult& found, bool on_ring, Proto proto,
                  Collective collective, const Shape& shape, double bytes) {
    const double block = threads(release, found, on_ring, proto) * thread_threshold(release, on_ring, proto, shape);
    double channels = std::floor(bytes / block);
    if (const double least = release.number("channels.min_traffic"); least > 0) {  // scheduleCollTasksToPlan
        channels = std::min(channels, std::ceil(bytes * traffic_per_byte(collective, proto) / least));
    }
    return static_cast<int>(std::clamp(channels, 1.0, static_cast<double>(found.channels)));
}

double threads_used(const Release& release, const TopologySearchResult& found, bool on_ring, Proto proto,
                    const Shape& shape, double bytes) {
    const double threshold = thread_threshold(release, on_ring, proto, shape);
    double used = threads(release, found, on_ring, proto);
    while (bytes < used * threshold && std::fmod(used, 128) == 0) { used /= 2; }
    return used;
}

double slot_payload(const Release& release, const Environment& environment, Proto proto) {
    const bool own = proto == Proto::simple && environment.buffer_bytes > 0;
    const double slot = (own ? environment.buffer_bytes : release.number_of("buffer", proto)) / release.slots();
    switch (proto) {
        case Proto::ll: return slot / 2;           // 4 B data, 4 B flag
        case Proto::ll128: return slot * 15 / 16;  // 120 B data, 8 B flag
        case Proto::simple: return slot;
    }
    return slot;
}

double ring_chunk(const Release& release, const Environment& environment, Proto proto, Collective collective) {
    const bool streams = collective == Collective::broadcast || collective == Collective::reduce;
    const double slots = proto == Proto::simple ? release.item("chunk.steps", streams ? 1 : 0) : 1;
    return slots * slot_payload(release, environment, proto);
}

double tree_chunk(const Release& release, const Environment& environment, Proto proto, const Shape& shape, int channels,
                  double bytes) {
    double chunk = slot_payload(release, environment, proto);
    const double per_channel = bytes / channels;
    const double levels = std::bit_width(shape.nodes) - 1;
    if (proto == Proto::ll128) {
        const double steps = 1 + levels + 0.1 * shape.per_node();
        chunk = halved_while_short(chunk, per_channel, steps * 64 / shape.per_node(), 128 * KiB);
        chunk = halved_while_short(chunk, per_channel, steps * 16 / shape.per_node(), 32 * KiB);
    } else if (proto == Proto::simple && release.flags.shortens_simple_tree_chunks) {
        const double depth = shape.per_node() - 1 + levels;
        chunk = halved_while_short(chunk, per_channel, depth * 8, 128 * KiB);
        chunk = halved_while_short(chunk, per_channel, depth * 4, 64 * KiB);
        chunk = halved_while_short(chunk, per_channel, depth, 32 * KiB);
    }
    return chunk;
}

double nvls_chunk(const Release& release, const Environment& environment, const TopologySearchResult& found,
                  const Shape& shape, int channels, double bytes) {
    const double base = environment.nvls_chunk > 0 ? environment.nvls_chunk
                        : found.nvls_chunk > 0     ? found.nvls_chunk
                                                   : release.number_or_0("nvls.chunk");
    const double at_once = static_cast<double>(channels) * std::max(1, found.nvls.channels);
    if (shape.nodes == 1) { return capped(base, bytes, at_once, {{64, 64 * KiB}, {8, 32 * KiB}, {2, 16 * KiB}}); }
    double most = shape.nodes >= 4 ? 64 * KiB : base;  // NVLSTREE_MAX_CHUNKSIZE left at its default
    if (found.nvls_tree_chunk > 0) { most = found.nvls_tree_chunk; }
    if (environment.nvls_tree_chunk > 0) { most = environment.nvls_tree_chunk; }
    return capped(std::min(base, most), bytes, at_once,
                  {{32, 256 * KiB}, {16, 128 * KiB}, {4, 64 * KiB}, {1, 32 * KiB}});
}

double pat_chunk(const Release& release, const Environment& environment, Collective collective, int channels,
                 double bytes) {
    double chunk = slot_payload(release, environment, Proto::simple);
    const double chunks = channels * (collective == Collective::all_gather ? 32 : 16);
    while (chunk * chunks > bytes && chunk > 64 * KiB) { chunk /= 2; }
    return chunk;
}

double p2p_step(const Release& release, const Environment& environment, const TopologySearchResult& found,
                const Shape& shape) {
    if (shape.nodes > 1) {
        return environment.p2p_net_chunk > 0 ? environment.p2p_net_chunk : release.number("p2p.chunk.net");
    }
    if (found.nvlink) {
        return environment.p2p_nvl_chunk > 0 ? environment.p2p_nvl_chunk : release.number("p2p.chunk.nvlink");
    }
    return release.number("p2p.chunk.pci");
}

double p2p_chunk(const Release& release, const Environment& environment, const TopologySearchResult& found,
                 const Shape& shape, double bytes) {
    const double step = p2p_step(release, environment, found, shape);
    if (shape.nodes == 1) { return step; }
    return bytes < step ? step / 4 : bytes < 8 * step ? step / 2 : step;
}

double p2p_slots(const Release& release, const TopologySearchResult& found, int channels, std::uint32_t peers) {
    constexpr double shared = 16;  // NCCL_SHARED_STEPS
    const double batched = std::ceil(static_cast<double>(peers) * channels / std::max(1, found.p2p_channels));
    return std::min<double>(release.slots(), shared / std::clamp(batched, 1.0, 8.0));
}

P2pPair p2p_pair(const Release& release, const Environment& environment, const TopologySearchResult& found,
                 const Shape& shape, double bytes) {
    const PairChannels pair = pair_channels(release, found, shape);
    const auto in_parts_of = [&](double step) { return parts_of_pair(pair, shape, step, bytes); };
    const bool raised = release.flags.raises_p2p_ll;
    const int channels = in_parts_of(p2p_step(release, environment, found, shape));
    const double longest = (raised ? pair.most : channels) * release.number_or_0("p2p.ll_limit");
    const bool ll = shape.nodes == 1 && bytes <= longest;
    if (!ll || !raised) { return {channels, ll}; }
    return {in_parts_of(release.number_of("buffer", Proto::ll) / release.slots()), ll};
}

}  // namespace fabricast::inline collectives::nccl
