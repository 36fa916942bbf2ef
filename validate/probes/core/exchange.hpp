#pragma once
// How two ends measure together. One end leads: it orders a batch over the control channel, both fill their outgoing
// arenas, meet, run the batch, meet again and check what came in. The other end serves.
//
//   latency  send: half of a round trip of two messages. put, get: from the post until it is known to be complete.
//   rate     messages with up to `window` in flight, until the last is acknowledged, per message.

#include <cstdint>
#include <functional>
#include <string>

#include "core/control.hpp"
#include "core/link.hpp"
#include "core/sweep.hpp"

namespace probe {

enum class Measure { latency, rate };
constexpr auto words_of(Measure) { return std::array{"latency", "rate"}; }

enum class Direction { to_peer, from_peer, both };
constexpr auto words_of(Direction) { return std::array{"to", "from", "both"}; }

struct Series {
    Operation operation = Operation::send;
    Measure measure = Measure::latency;
    Direction direction = Direction::to_peer;
};

// One batch: `iterations` transfers of `bytes`.
struct Batch {
    Series series;
    std::size_t bytes = 0;
    int iterations = 1;
    int window = 1;
    std::uint64_t seed = 0;
};

std::string to_text(const Batch& batch);
// Throws PeerLost where the text is not an order or asks for more than an end allows.
Batch parse_batch(const std::string& text);

// Seconds since some beginning; a test brings its own.
using Clock = std::function<double()>;
double steady_seconds();

// Messages in flight when a rate is measured: `most`, but no more than 8 MiB of them and no fewer than two.
int window_of(std::size_t bytes, int most);

// Arena bytes that serve a batch of `bytes` with this window: small messages walk over several slots, large over two.
std::size_t arena_bytes(std::size_t bytes, int window);

struct Leader {
    Control& control;
    Link& link;
    Clock clock = steady_seconds;

    // The time is that of the slower active end. Throws WrongData, PeerLost, Stopped, or what the link throws.
    Sample run(const Batch& batch);
};

// Serves batches until the leader closes the link with "close" or leaves. What fails here is told to the leader.
void serve_batches(Control& control, Link& link, const Clock& clock);

// A point as the rule plans it: a warm-up, then `samples` batches.
Samples measure_point(Leader& leader, const Series& series, std::size_t bytes, int window, const SamplingRule& rule,
                      std::uint64_t seed);

}  // namespace probe
