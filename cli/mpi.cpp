#include "cli/mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cstring>
#include <exception>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "base/json.hpp"
#include "sim/engines/engine.hpp"

namespace fabricast::cli {

namespace {

using Pieces = std::vector<std::size_t>;
using Compute = std::function<std::string(std::size_t)>;
using Clock = std::chrono::steady_clock;

// From a rank to rank 0: how many pieces a thread wants; [piece, result]; {"failed": text}; null, once all its threads
// are done.
constexpr int to_first = 1;
// From rank 0 to a thread that wants pieces: a list of them, empty if there are no more.
constexpr int from_first = 2;

// Between ranks of one replay: what they tell each other; [exit code, error], when they have no more to tell.
constexpr int window_message = 3;
constexpr int last_message = 4;
// Looks for a message before the core is offered to others, and for how long then.
constexpr int spins = 1000;
constexpr auto short_nap = std::chrono::microseconds(20);

constexpr double most_pieces_at_once = 16;
// Between two looks for messages: MPI's own calls would spin while they wait.
constexpr auto nap = std::chrono::milliseconds(1);
// A thread asks for about so much work: much more than the time that the answer takes, and little to wait for at the
// end.
constexpr double in_hand_s = 0.015;

int size_of_world() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int own_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

struct Message {
    int from = 0;
    Json text;
};

// The messages of one rank, whose threads call MPI one at a time.
class Mailbox {
public:
    void send(const Json& message, int to, int tag) {
        const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
        const std::lock_guard lock(mutex_);
        MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD);
    }

    // The next message if one has arrived.
    std::optional<Message> received(int tag) {
        const std::lock_guard lock(mutex_);
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

private:
    std::mutex mutex_;
};

// Threads that compute the pieces that `next(wanted)` gives them, until it gives none, and call `done(piece, result)`
// for each, or `failed(exception)` and end. All four functions must outlive the threads.
template <class Next, class Done, class Failed>
std::vector<std::jthread> start(std::size_t threads, const Compute& compute, const Next& next, const Done& done,
                                const Failed& failed) {
    const auto work = [&](const std::stop_token& stopped) {
        std::size_t wanted = 1;
        try {
            for (Pieces pieces = next(wanted); !pieces.empty(); pieces = next(wanted)) {
                const Clock::time_point began = Clock::now();
                for (const std::size_t piece : pieces) {
                    if (stopped.stop_requested()) { return; }
                    done(piece, compute(piece));
                }
                const double spent_s = std::chrono::duration<double>(Clock::now() - began).count();
                const double in_hand = in_hand_s * static_cast<double>(pieces.size()) / std::max(spent_s, 1e-9);
                wanted = static_cast<std::size_t>(std::clamp(in_hand, 1.0, most_pieces_at_once));
            }
        } catch (...) { failed(std::current_exception()); }
    };
    std::vector<std::jthread> started;
    for (std::size_t t = 0; t < threads; ++t) { started.emplace_back(work); }
    return started;
}

// Rank 0: deals out the pieces to its own threads and to the other ranks', and collects all results.
class Leader {
public:
    Leader(const Pieces& pieces, std::size_t threads)
        : pieces_(pieces), threads_(threads), others_(size_of_world() - 1) {}

    void lead(const std::atomic<bool>& stop, const Compute& compute,
              const std::function<void(std::size_t, const std::string&)>& finished) {
        const auto next = [this](std::size_t wanted) { return deal(wanted); };
        const auto keep = [this](std::size_t piece, std::string result) {
            const std::lock_guard lock(mutex_);
            done_.emplace_back(piece, std::move(result));
        };
        const auto failed = [this](const std::exception_ptr& failure) {
            const std::lock_guard lock(mutex_);
            failure_ = failure;
        };
        const std::vector<std::jthread> own = start(threads_, compute, next, keep, failed);
        for (std::size_t left = pieces_.size(); left > 0 || others_ > 0;) {
            const auto done = take_done();
            for (const auto& [piece, result] : done) { finished(piece, result); }
            left -= done.size();
            if (stop) { throw Stopped(); }
            const std::optional<Message> message = mail_.received(to_first);
            if (!message) {
                if (done.empty()) { std::this_thread::sleep_for(nap); }
                continue;
            }
            const Json& said = message->text;
            if (said.is_array()) {
                finished(said.at(0).get<std::size_t>(), said.at(1).get<std::string>());
                --left;
            } else if (said.is_number()) {
                mail_.send(deal(said.get<std::size_t>()), message->from, from_first);
            } else if (said.is_null()) {
                --others_;
            } else {
                throw std::runtime_error("rank " + std::to_string(message->from) + ": " +
                                         said.at("failed").get<std::string>());
            }
        }
    }

private:
    // Fewer pieces towards the end, so that no rank finishes long after the others.
    Pieces deal(std::size_t wanted) {
        const std::lock_guard lock(mutex_);
        const std::size_t left = pieces_.size() - next_;
        const std::size_t fair = left / (4 * threads_ * static_cast<std::size_t>(size_of_world()));
        const auto from = pieces_.begin() + static_cast<std::ptrdiff_t>(next_);
        const std::size_t count = std::min(left, std::clamp<std::size_t>(fair, 1, wanted));
        next_ += count;
        return {from, from + static_cast<std::ptrdiff_t>(count)};
    }

    // What the threads of this rank have computed since the last call. Rethrows the exception of one that failed.
    std::vector<std::pair<std::size_t, std::string>> take_done() {
        const std::lock_guard lock(mutex_);
        if (failure_) { std::rethrow_exception(failure_); }
        return std::exchange(done_, {});
    }

    const Pieces& pieces_;
    std::size_t threads_;
    int others_;  // other ranks that may still report results
    Mailbox mail_;
    std::mutex mutex_;  // of what follows
    std::size_t next_ = 0;
    std::vector<std::pair<std::size_t, std::string>> done_;
    std::exception_ptr failure_;
};

// Any other rank.
void follow(std::size_t threads, const Compute& compute) {
    Mailbox mail;
    const auto next = [&](std::size_t wanted) {
        mail.send(wanted, 0, to_first);
        for (;;) {
            if (const auto answer = mail.received(from_first)) { return answer->text.get<Pieces>(); }
            std::this_thread::sleep_for(nap);
        }
    };
    const auto done = [&](std::size_t piece, const std::string& result) {
        mail.send(Json::array({piece, result}), 0, to_first);
    };
    const auto failed = [&](const std::exception_ptr& failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const std::exception& error) { mail.send({{"failed", error.what()}}, 0, to_first); }
        // Rank 0 aborts all ranks; until then there is nothing to do.
        std::this_thread::sleep_for(std::chrono::hours(1));
    };
    for (std::jthread& thread : start(threads, compute, next, done, failed)) { thread.join(); }
    mail.send(nullptr, 0, to_first);
}

}  // namespace

bool has_mpi() { return true; }

Ranks::Ranks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) { throw MissingMpi("this MPI lets only one thread of a process call it"); }
}

Ranks::~Ranks() { MPI_Finalize(); }

bool Ranks::first() const { return own_rank() == 0; }

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
    if (!first()) { return follow(threads, compute); }
    stage_ = Stage::sharing;
    Leader(pieces, threads).lead(stop, compute, finished);
    stage_ = Stage::over;
}

void Ranks::dismiss() {
    if (stage_ == Stage::waiting) { share({}, 1, false, {}, {}); }
}

void Ranks::abort(ExitCode code) const {
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
    std::exit(static_cast<int>(code));
}

// What may not have left yet.
struct ReplayPeers::Sending {
    std::vector<Message> messages;
    std::vector<MPI_Request> requests;

    void finish() {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
        requests.clear();
        messages.clear();
    }
};

ReplayPeers::ReplayPeers() : ended_(count(), false), sending_(std::make_shared<Sending>()) {}

ReplayPeers::~ReplayPeers() = default;

std::uint32_t ReplayPeers::rank() const { return static_cast<std::uint32_t>(own_rank()); }

std::uint32_t ReplayPeers::count() const { return static_cast<std::uint32_t>(size_of_world()); }

void ReplayPeers::note(const std::string& text) {
    if (std::ranges::find(notes_, text) == notes_.end()) { notes_.push_back(text); }
}

void ReplayPeers::send(Message message, std::uint32_t to, int tag) {
    if (message.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw TooLarge("ranks would tell each other more than 2 GiB at once (accepted: fewer nodes, or one process)");
    }
    const Message& kept = sending_->messages.emplace_back(std::move(message));
    MPI_Isend(kept.data(), static_cast<int>(kept.size()), MPI_BYTE, static_cast<int>(to), tag, MPI_COMM_WORLD,
              &sending_->requests.emplace_back());
}

// Of one rank, messages come in the order in which it has sent them.
std::optional<Peers::Message> ReplayPeers::receive(std::uint32_t from) {
    MPI_Status status;
    int there = 0;
    for (int spin = 0; there == 0; ++spin) {
        MPI_Iprobe(static_cast<int>(from), MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (spin > spins) { std::this_thread::sleep_for(short_nap); }  // the other may wait for this core
    }
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    Message message(static_cast<std::size_t>(length));
    MPI_Recv(message.data(), length, MPI_BYTE, static_cast<int>(from), status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (status.MPI_TAG == window_message) { return message; }
    ended_[from] = true;
    const auto code = static_cast<ExitCode>(message.at(0));
    const std::string error(reinterpret_cast<const char*>(message.data()) + 1, message.size() - 1);
    if (code != ExitCode::ok && !error.empty() && !failure_) {
        failure_.emplace(code, "rank " + std::to_string(from) + ": " + error);
    }
    return {};
}

std::vector<Peers::Message> ReplayPeers::exchange(std::vector<Message> to_each) {
    sending_->finish();
    const std::uint32_t own = rank();
    for (std::uint32_t r = 0; r < to_each.size(); ++r) {
        if (r != own) { send(std::move(to_each[r]), r, window_message); }
    }
    std::vector<Message> from_each(to_each.size());
    for (std::uint32_t r = 0; r < from_each.size(); ++r) {
        if (r == own) { continue; }
        std::optional<Message> message = receive(r);
        if (!message) { throw failure_ ? *failure_ : PeerFailed(ExitCode::internal_or_io, "another rank has ended"); }
        from_each[r] = std::move(*message);
    }
    return from_each;
}

void ReplayPeers::end(ExitCode code, const std::string& error) {
    const std::uint32_t own = rank();
    for (std::uint32_t r = 0; r < ended_.size(); ++r) {
        if (r == own) { continue; }
        Message message{static_cast<std::byte>(code)};
        std::ranges::copy(std::as_bytes(std::span(error)), std::back_inserter(message));
        send(std::move(message), r, last_message);
    }
    for (std::uint32_t r = 0; r < ended_.size(); ++r) {
        while (r != own && !ended_[r]) { receive(r); }
    }
    sending_->finish();
}

}  // namespace fabricast::cli
