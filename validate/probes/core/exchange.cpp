#include "core/exchange.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "core/ending.hpp"

namespace probe {
namespace {

constexpr std::size_t slot_alignment = 64;
constexpr std::size_t spread_bytes = std::size_t{8} << 20U;  // small messages walk over so much
constexpr double patience_s = 60;                            // without any progress the peer is given up

std::size_t stride_of(std::size_t bytes) { return (bytes + slot_alignment - 1) / slot_alignment * slot_alignment; }

int slots_of(std::size_t bytes, int window) {
    const std::size_t fit = std::max<std::size_t>(2, spread_bytes / stride_of(bytes));
    return static_cast<int>(std::min<std::size_t>(fit, static_cast<std::size_t>(std::max(2, 2 * window))));
}

// One end's run of one batch.
class Run {
public:
    Run(Control& control, Link& link, const Clock& clock, const Batch& batch, bool leads)
        : control_(control),
          link_(link),
          clock_(clock),
          batch_(batch),
          leads_(leads),
          active_(batch.series.direction != (leads ? Direction::from_peer : Direction::to_peer)),
          peer_active_(batch.series.direction != (leads ? Direction::to_peer : Direction::from_peer)),
          window_(std::min(batch.window, link.depth())),
          slots_(slots_of(batch.bytes, batch.window)),
          sent_before_(link.completed()),
          received_before_(link.received()) {}

    // The time is 0 where this end only served.
    Sample run() {
        prepare();
        control_.barrier();
        const double begin = clock_();
        if (batch_.series.measure == Measure::latency) {
            ping_pongs() ? ping_pong() : one_by_one();
        } else {
            stream();
        }
        const double seconds = clock_() - begin;
        meet_again();
        const double time_us = seconds * 1e6 / batch_.iterations / (ping_pongs() ? 2 : 1);
        return {active_ ? time_us : 0, check_incoming()};
    }

private:
    // Compares every slot that was written here; returns the bytes compared.
    std::uint64_t check_incoming() {
        const bool get = batch_.series.operation == Operation::get;
        if (!ping_pongs() && !(get ? active_ : peer_active_)) { return 0; }
        const int used = std::min(slots_, batch_.iterations);
        for (int slot = 0; slot < used; ++slot) {
            check(link_.incoming(), offset(slot), batch_.bytes, seed_of(!leads_, slot),
                  std::string(word(batch_.series.operation)) + " of " + size_text(batch_.bytes));
        }
        return static_cast<std::uint64_t>(used) * batch_.bytes;
    }

    bool ping_pongs() const {
        return batch_.series.operation == Operation::send && batch_.series.measure == Measure::latency;
    }
    std::size_t offset(int slot) const { return static_cast<std::size_t>(slot) * stride_of(batch_.bytes); }
    std::size_t offset_of(int i) const { return offset(i % slots_); }
    std::uint64_t seed_of(bool leader, int slot) const {
        return (batch_.seed * 2 + (leader ? 1 : 0)) * 1'000'003 + static_cast<std::uint64_t>(slot);
    }
    int sent() const { return static_cast<int>(link_.completed() - sent_before_); }
    int received() const { return static_cast<int>(link_.received() - received_before_); }

    void prepare() {
        const std::size_t needed = offset(slots_);
        if (needed + slot_alignment > std::min(link_.outgoing().bytes(), link_.incoming().bytes())) {
            throw PeerLost("a batch larger than the arenas");
        }
        for (int slot = 0; slot < std::min(slots_, batch_.iterations); ++slot) {
            fill(link_.outgoing(), offset(slot), batch_.bytes, seed_of(leads_, slot));
        }
        if (batch_.series.operation == Operation::send) {
            expected_ = batch_.series.measure == Measure::latency
                            ? batch_.iterations
                            : (peer_active_ ? batch_.iterations : 0) + (active_ ? 1 : 0);
            keep_receives_posted();
        }
    }

    // In a stream the last receive is the acknowledgement: one byte, in a slot of its own.
    void keep_receives_posted() {
        while (receives_ < expected_ && receives_ - received() < 2 * window_) {
            const bool is_ack = batch_.series.measure == Measure::rate && active_ && receives_ == expected_ - 1;
            link_.post_receive(is_ack ? offset(slots_) : offset_of(receives_), is_ack ? 1 : batch_.bytes);
            ++receives_;
        }
    }

    template <typename Done> void progress_until(const Done& done) {
        std::uint64_t idle = 0;
        double since = 0;
        for (std::uint64_t moved = link_.completed() + link_.received(); !done();) {
            link_.progress();
            keep_receives_posted();
            const std::uint64_t now = link_.completed() + link_.received();
            idle = now == moved ? idle + 1 : 0;
            moved = now;
            if (idle % 256 == 255) {
                sched_yield();  // the other end may need this very processor
            }
            if (idle % 65536 == 65535) {
                since = idle < 65537 ? steady_seconds() : since;
                look_up(since);
            }
        }
    }

    void look_up(double idle_since) {
        stop_if_asked();
        if (control_.closing()) { throw PeerLost(control_.receive()); }
        if (steady_seconds() - idle_since > patience_s) {
            throw PeerLost("nothing moved for " + std::to_string(static_cast<int>(patience_s)) + " s");
        }
    }

    void post(int i) { link_.post(batch_.series.operation, offset_of(i), batch_.bytes); }

    void ping_pong() {
        for (int i = 0; i < batch_.iterations; ++i) {
            if (active_) { post(i); }
            progress_until([&] { return received() > i; });
            if (!active_) { post(i); }
        }
        progress_until([&] { return sent() >= batch_.iterations; });
    }

    void one_by_one() {
        const bool put = batch_.series.operation == Operation::put;
        for (int i = 0; active_ && i < batch_.iterations; ++i) {
            post(i);
            if (put) { link_.start_flush(); }
            progress_until([&] { return sent() > i && (!put || link_.flushed()); });
        }
    }

    void stream() {
        int posted = 0;
        while (active_ && posted < batch_.iterations) {
            while (posted < batch_.iterations && posted - sent() < window_) { post(posted++); }
            progress_until([&] { return posted == batch_.iterations || posted - sent() < window_; });
        }
        if (batch_.series.operation == Operation::send) {
            // The acknowledgement follows the own data, so that the peer's last receive is the one that it fills.
            const int data = peer_active_ ? batch_.iterations : 0;
            progress_until([&] { return received() >= data; });
            if (peer_active_) {
                link_.post(Operation::send, 0, 1);
                ++posted;
            }
            progress_until([&] { return received() >= expected_ && sent() >= posted; });
            return;
        }
        progress_until([&] { return sent() >= posted; });
        if (active_ && batch_.series.operation == Operation::put) {
            link_.start_flush();
            progress_until([&] { return link_.flushed(); });
        }
    }

    // As Control::barrier, but the link moves on while the other end still works.
    void meet_again() {
        control_.send("here");
        std::uint64_t turns = 0;
        while (!control_.readable()) {
            for (int i = 0; i < 32; ++i) { link_.progress(); }
            sched_yield();
            if (++turns % 4096 == 0) { stop_if_asked(); }
        }
        if (const std::string answer = control_.receive(); answer != "here") { throw PeerLost(answer); }
    }

    Control& control_;
    Link& link_;
    const Clock& clock_;
    const Batch& batch_;
    bool leads_, active_, peer_active_;
    int window_;
    int slots_;
    std::uint64_t sent_before_, received_before_;
    int receives_ = 0;
    int expected_ = 0;
};

template <typename Enum> Enum ordered(const std::string& text) {
    if (const std::optional<Enum> value = value_of<Enum>(text)) { return *value; }
    throw PeerLost("the peer orders '" + text + "', which this probe does not know");
}

}  // namespace

std::string to_text(const Batch& batch) {
    std::ostringstream text;
    text << "run " << word(batch.series.operation) << ' ' << word(batch.series.measure) << ' '
         << word(batch.series.direction) << ' ' << batch.bytes << ' ' << batch.iterations << ' ' << batch.window << ' '
         << batch.seed;
    return text.str();
}

Batch parse_batch(const std::string& text) {
    std::istringstream in(text);
    std::string run, operation, measure, direction;
    Batch batch;
    in >> run >> operation >> measure >> direction >> batch.bytes >> batch.iterations >> batch.window >> batch.seed;
    const bool sane = in && run == "run" && batch.bytes > 0 && batch.bytes <= (std::size_t{1} << 40U) &&
                      batch.iterations > 0 && batch.iterations <= 10'000'000 && batch.window > 0 &&
                      batch.window <= 65536;
    if (!sane) { throw PeerLost("the peer orders something that is not a batch: " + text.substr(0, 80)); }
    batch.series.operation = ordered<Operation>(operation);
    batch.series.measure = ordered<Measure>(measure);
    batch.series.direction = ordered<Direction>(direction);
    return batch;
}

double steady_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int window_of(std::size_t bytes, int most) {
    return static_cast<int>(
        std::clamp<std::size_t>(spread_bytes / bytes, 2, static_cast<std::size_t>(std::max(most, 2))));
}

std::size_t arena_bytes(std::size_t bytes, int window) {
    return stride_of(bytes) * static_cast<std::size_t>(slots_of(bytes, window)) + slot_alignment;
}

Sample Leader::run(const Batch& batch) {
    control.send(to_text(batch));
    Sample result = Run(control, link, clock, batch, true).run();
    std::istringstream answer(control.receive());
    std::string kind;
    double there_us = 0;
    std::uint64_t there_checked = 0;
    if (!(answer >> kind >> there_us >> there_checked) || kind != "done") { throw WrongData(answer.str()); }
    result.time_us = std::max(result.time_us, there_us);
    result.checked_bytes += there_checked;
    return result;
}

void serve_batches(Control& control, Link& link, const Clock& clock) {
    for (;;) {
        const std::string order = control.receive();
        if (order == "close") { return; }
        std::ostringstream answer;
        try {
            const Batch batch = parse_batch(order);
            const Sample result = Run(control, link, clock, batch, false).run();
            answer.precision(17);
            answer << "done " << result.time_us << ' ' << result.checked_bytes;
        } catch (const WrongData& error) { answer << "the peer says: " << error.what(); } catch (const Stopped&) {
            throw;
        } catch (const std::exception& error) {
            control.send(std::string("the peer failed: ") + error.what());
            throw;
        }
        control.send(answer.str());
    }
}

Samples measure_point(Leader& leader, const Series& series, std::size_t bytes, int window, const SamplingRule& rule,
                      std::uint64_t seed) {
    const bool rate = series.measure == Measure::rate;
    window = rate ? window_of(bytes, window) : 1;
    Batch batch{series, bytes, rate ? 2 * window : 4, window, seed};
    leader.run(batch);  // the first touches connections and caches; the second tells the time
    const double estimate_us = std::max(leader.run(batch).time_us, 1e-3);
    SamplePlan plan = plan_samples(estimate_us, rule);
    if (rate) {
        plan.iterations = std::max(plan.iterations, 2 * window);  // or the acknowledgement is what is measured
    }
    batch.iterations = plan.iterations;
    return take_samples(plan, [&](int) {
        stop_if_asked();
        ++batch.seed;
        return leader.run(batch);
    });
}

}  // namespace probe
