#include "cli/mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "base/json.hpp"
#include "cli/thread_pool.hpp"
#include "sim/engines/engine.hpp"

namespace fabricast::cli {

namespace {

// From a rank to rank 0: {"want": how many pieces, "done": [[piece, result], ...]}; {"left": true} once it has
// reported all its results; or {"failed": text}.
constexpr int from_worker = 1;
// From rank 0 to a rank that wants pieces: a list of pieces, null if there are no more.
constexpr int from_first = 2;

constexpr auto shortest_sleep = std::chrono::microseconds(200), longest_sleep = std::chrono::microseconds(5000);
// Sleeps longer the longer nothing happens, so that polling takes no cores from threads that compute long pieces.
class Backoff {
public:
    void sleep() {
        std::this_thread::sleep_for(length_);
        length_ = std::min(2 * length_, longest_sleep);
    }
    void wake() { length_ = shortest_sleep; }

private:
    std::chrono::microseconds length_ = shortest_sleep;
};

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
    if (there == 0) { return std::nullopt; }
    int length = 0;
    MPI_Get_count(&status, MPI_CHAR, &length);
    std::string text(static_cast<std::size_t>(length), '\0');
    MPI_Recv(text.data(), length, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return Message{status.MPI_SOURCE, Json::parse(text)};
}

// On rank 0: the pieces that are left to hand out.
class Dispatcher {
public:
    Dispatcher(const std::vector<std::size_t>& pieces, std::size_t ranks) : pieces_(pieces), ranks_(ranks) {}

    // Hands out fewer pieces towards the end, so that no rank finishes long after the others.
    std::vector<std::size_t> deal(std::size_t wanted) {
        const std::size_t left = pieces_.size() - next_;
        const std::size_t fair = std::max<std::size_t>(1, left / (4 * ranks_));
        const std::size_t count = std::min({left, wanted, fair, most_pieces_at_once});
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
    Dispatcher dispatcher(pieces, ranks);
    ThreadPool pool(threads, compute);
    std::size_t working = ranks - 1;  // other ranks that may still report results
    Backoff backoff;
    while (working > 0 || !dispatcher.empty() || !pool.idle()) {
        bool moved = false;
        for (const Done& done : pool.take_done()) {
            finished(done.piece, done.result);
            moved = true;
        }
        if (stop) { throw Stopped(); }
        for (const std::size_t piece : dispatcher.deal(pool.wants())) { pool.give(piece); }
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
                const std::vector<std::size_t> dealt = dispatcher.deal(wanted);
                send(dealt.empty() ? Json() : Json(dealt), message->from, from_first);
            }
        }
        moved ? backoff.wake() : backoff.sleep();
    }
}

void follow(std::size_t threads, const std::function<std::string(std::size_t)>& compute) {
    ThreadPool pool(threads, compute);
    bool asked = false;
    bool over = false;
    Backoff backoff;
    for (;;) {
        Json done = Json::array();
        for (Done& one : pool.take_done()) { done.push_back({one.piece, std::move(one.result)}); }
        const std::size_t wanted = asked || over ? 0 : pool.wants();
        if (wanted > 0 || !done.empty()) {
            send({{"want", wanted}, {"done", std::move(done)}}, 0, from_worker);
            asked = asked || wanted > 0;
            backoff.wake();
        }
        if (const std::optional<Message> answer = received(from_first)) {
            asked = false;
            backoff.wake();
            over = answer->text.is_null();
            for (const Json& piece : answer->text) { pool.give(piece.get<std::size_t>()); }
        } else if (over && pool.idle()) {
            send({{"left", true}}, 0, from_worker);
            return;
        } else {
            backoff.sleep();
        }
    }
}

}  // namespace

bool has_mpi() { return true; }

Ranks::Ranks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
}

Ranks::~Ranks() { MPI_Finalize(); }

bool Ranks::first() const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

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
    if (stage_ == Stage::waiting) { share({}, 1, false, {}, {}); }
}

void Ranks::abort(ExitCode code) const {
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
    std::exit(static_cast<int>(code));
}

}  // namespace fabricast::cli
