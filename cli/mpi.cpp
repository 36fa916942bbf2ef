#include "cli/mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "base/json.hpp"
#include "sim/engines/engine.hpp"

namespace fabricast::cli {

namespace {

// From a rank to rank 0: {"want": how many pieces, "done": [[piece, result], ...]}; {"left": true} once it has
// reported all its results; or {"failed": text}.
constexpr int from_worker = 1;
// From rank 0 to a rank that wants pieces: a list of pieces, null if there are no more.
constexpr int from_first = 2;

using Clock = std::chrono::steady_clock;
constexpr auto shortest_nap = std::chrono::microseconds(200), longest_nap = std::chrono::microseconds(5000);
// Each thread queues at least in_hand's worth of pieces: more than the time of a request and its answer, two naps. If a
// piece takes longer than long_piece, that wait does not matter; then nothing is queued, and the first free thread of
// any rank gets the next piece.
constexpr auto in_hand = std::chrono::milliseconds(15), long_piece = std::chrono::milliseconds(1000);
constexpr std::size_t most_at_once = 16;

// Sleeps longer the longer nothing happens, so that polling takes no cores from threads that compute long pieces.
class Backoff {
public:
    void sleep() {
        std::this_thread::sleep_for(length_);
        length_ = std::min(2 * length_, longest_nap);
    }
    void wake() { length_ = shortest_nap; }

private:
    std::chrono::microseconds length_ = shortest_nap;
};

int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int size_of_world() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void send(const Json& message, int to, int tag) {
    const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
}

struct Message {
    int from = 0;
    Json text;
};

// The next message if one has arrived. Does not block, because MPI's blocking calls spin.
std::optional<Message> received(int tag) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
    if (there == 0) {
        return std::nullopt;
    }
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return Message{status.MPI_SOURCE, Json::parse(text)};
}

struct Done {
    std::size_t piece = 0;
    std::string result;
};

// The threads of one rank: a queue of pieces in, a queue of results out.
class Crew {
public:
    Crew(std::size_t threads, const std::function<std::string(std::size_t)>& compute) : compute_(compute) {
        for (std::size_t i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }
    // Drops pieces that have not begun.
    ~Crew() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
            waiting_.clear();
        }
        came_.notify_all();
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    void give(std::size_t piece) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(piece);
        }
        came_.notify_one();
    }
    // How many pieces to add so that no thread runs out of work.
    std::size_t wants() const {
        const std::lock_guard lock(mutex_);
        const std::size_t spare = spares() * threads_.size();
        const std::size_t least = threads_.size() + spare;
        const std::size_t has = busy_ + waiting_.size();
        return has < least ? least + spare - has : 0;
    }
    bool idle() const {
        const std::lock_guard lock(mutex_);
        return waiting_.empty() && busy_ == 0 && done_.empty();
    }
    // Rethrows the exception of a piece that failed.
    std::vector<Done> take_done() {
        const std::lock_guard lock(mutex_);
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        return std::exchange(done_, {});
    }

private:
    // Pieces to queue per thread, in addition to the one that it computes.
    std::size_t spares() const {
        if (finished_ == 0) {
            return 1;
        }
        const auto lasting = static_cast<std::size_t>(in_hand * finished_ / std::max(spent_, Clock::duration(1)));
        return spent_ > long_piece * finished_ ? 0 : std::clamp<std::size_t>(lasting, 1, most_at_once / 2);
    }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            came_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
            if (waiting_.empty() || failure_) {
                return;
            }
            const std::size_t piece = waiting_.front();
            waiting_.pop_front();
            ++busy_;
            lock.unlock();
            std::string result;
            std::exception_ptr failure;
            const Clock::time_point began = Clock::now();
            try {
                result = compute_(piece);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            --busy_;
            ++finished_;
            spent_ += Clock::now() - began;
            if (failure) {
                failure_ = failure_ ? failure_ : failure;
                return;
            }
            done_.push_back({piece, std::move(result)});
        }
    }

    const std::function<std::string(std::size_t)>& compute_;
    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::deque<std::size_t> waiting_;
    std::vector<Done> done_;
    std::size_t busy_ = 0;
    std::int64_t finished_ = 0;
    Clock::duration spent_{};  // total time of finished pieces
    bool closed_ = false;
    std::exception_ptr failure_;
    std::vector<std::jthread> threads_;  // last member: joined before the others are destroyed
};

// On rank 0: the pieces that are left to hand out.
class Dispatcher {
public:
    Dispatcher(const std::vector<std::size_t>& pieces, std::size_t ranks) : pieces_(pieces), ranks_(ranks) {}

    // Hands out fewer pieces towards the end, so that no rank finishes long after the others.
    std::vector<std::size_t> deal(std::size_t wanted) {
        const std::size_t left = pieces_.size() - next_;
        const std::size_t fair = std::max<std::size_t>(1, left / (4 * ranks_));
        const std::size_t count = std::min({left, wanted, fair, most_at_once});
        const auto from = pieces_.begin() + static_cast<std::ptrdiff_t>(next_);
        next_ += count;
        return {from, from + static_cast<std::ptrdiff_t>(count)};
    }
    void stop() { next_ = pieces_.size(); }
    bool empty() const { return next_ == pieces_.size(); }

private:
    const std::vector<std::size_t>& pieces_;
    std::size_t ranks_;
    std::size_t next_ = 0;
};

void lead(const std::vector<std::size_t>& pieces, std::size_t threads, const std::atomic<bool>& stop,
          const std::function<std::string(std::size_t)>& compute,
          const std::function<void(std::size_t, const std::string&)>& finished) {
    const auto ranks = static_cast<std::size_t>(size_of_world());
    Dispatcher hand(pieces, ranks);
    Crew crew(threads, compute);
    std::size_t working = ranks - 1;  // other ranks that may still report results
    Backoff nap;
    while (working > 0 || !hand.empty() || !crew.idle()) {
        bool moved = false;
        for (const Done& done : crew.take_done()) {
            finished(done.piece, done.result);
            moved = true;
        }
        if (stop) {
            throw Stopped();
        }
        for (const std::size_t piece : hand.deal(crew.wants())) {
            crew.give(piece);
        }
        while (const std::optional<Message> message = received(from_worker)) {
            moved = true;
            const Json& said = message->text;
            if (const auto failed = said.find("failed"); failed != said.end()) {
                throw std::runtime_error("rank " + std::to_string(message->from) + ": " + failed->get<std::string>());
            }
            if (said.contains("left")) {
                --working;
                continue;
            }
            for (const Json& done : said.at("done")) {
                finished(done.at(0).get<std::size_t>(), done.at(1).get<std::string>());
            }
            if (const auto wanted = said.at("want").get<std::size_t>(); wanted > 0) {
                const std::vector<std::size_t> dealt = hand.deal(wanted);
                send(dealt.empty() ? Json() : Json(dealt), message->from, from_first);
            }
        }
        moved ? nap.wake() : nap.sleep();
    }
}

void follow(std::size_t threads, const std::function<std::string(std::size_t)>& compute) {
    Crew crew(threads, compute);
    bool asked = false;
    bool over = false;
    Backoff nap;
    for (;;) {
        Json done = Json::array();
        for (Done& one : crew.take_done()) {
            done.push_back({one.piece, std::move(one.result)});
        }
        const std::size_t wanted = asked || over ? 0 : crew.wants();
        if (wanted > 0 || !done.empty()) {
            send({{"want", wanted}, {"done", std::move(done)}}, 0, from_worker);
            asked = asked || wanted > 0;
            nap.wake();
        }
        if (const std::optional<Message> answer = received(from_first)) {
            asked = false;
            nap.wake();
            over = answer->text.is_null();
            for (const Json& piece : answer->text) {
                crew.give(piece.get<std::size_t>());
            }
        } else if (over && crew.idle()) {
            send({{"left", true}}, 0, from_worker);
            return;
        } else {
            nap.sleep();
        }
    }
}

}  // namespace

Ranks::Ranks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
}

Ranks::~Ranks() { MPI_Finalize(); }

bool Ranks::first() const { return rank_of_world() == 0; }

std::string Ranks::words() const { return std::to_string(size_of_world()) + " ranks"; }

bool Ranks::agree(const std::string& read, std::string& error) const {
    // One record per rank: what it read and its error, truncated to fit.
    struct Said {
        std::array<char, 64> read{};
        std::array<char, 448> error{};
    };
    Said own;
    read.copy(own.read.data(), own.read.size() - 1);
    error.copy(own.error.data(), own.error.size() - 1);
    std::vector<Said> all(static_cast<std::size_t>(size_of_world()));
    MPI_Allgather(&own, sizeof(Said), MPI_BYTE, all.data(), sizeof(Said), MPI_BYTE, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const bool differs = std::strcmp(all[rank].read.data(), all[0].read.data()) != 0;
        const bool complains = all[rank].error[0] != '\0';
        if (error.empty() && (complains || differs)) {
            error = "rank " + std::to_string(rank);
            error += complains ? std::string(": ") + all[rank].error.data()
                               : " reads another scenario or catalogue than rank 0";
        }
    }
    return error.empty();
}

void Ranks::share(const std::vector<std::size_t>& pieces, std::size_t threads, const std::atomic<bool>& stop,
                  const std::function<std::string(std::size_t)>& compute,
                  const std::function<void(std::size_t, const std::string&)>& finished) {
    if (first()) {
        stage_ = Stage::sharing;
        lead(pieces, threads, stop, compute, finished);
        stage_ = Stage::over;
        return;
    }
    try {
        follow(threads, compute);
    } catch (const std::exception& failure) {
        send({{"failed", failure.what()}}, 0, from_worker);
        // Rank 0 aborts all ranks; until then there is nothing to do.
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

void Ranks::dismiss() {
    if (stage_ == Stage::waiting) {
        share({}, 1, false, {}, {});
    }
}

void Ranks::abort(int code) const {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::exit(code);
}

}  // namespace fabricast::cli
