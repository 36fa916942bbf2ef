#include "cli/thread_pool.hpp"

#include <algorithm>
#include <utility>

namespace fabricast::cli {

namespace {

// Each thread queues at least in_hand's worth of pieces: more than the time of a request and its answer, two naps. If a
// piece takes longer than long_piece, that wait does not matter; then nothing is queued, and the first free thread of
// any rank gets the next piece.
constexpr auto in_hand = std::chrono::milliseconds(15), long_piece = std::chrono::milliseconds(1000);

}  // namespace

ThreadPool::ThreadPool(std::size_t threads, const std::function<std::string(std::size_t)>& compute)
    : compute_(compute) {
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        waiting_.clear();
    }
    came_.notify_all();
}

void ThreadPool::give(std::size_t piece) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(piece);
    }
    came_.notify_one();
}

std::size_t ThreadPool::wants() const {
    const std::lock_guard lock(mutex_);
    const std::size_t spare = spares() * threads_.size();
    const std::size_t least = threads_.size() + spare;
    const std::size_t has = busy_ + waiting_.size();
    return has < least ? least + spare - has : 0;
}

bool ThreadPool::idle() const {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() && busy_ == 0 && done_.empty();
}

std::vector<Done> ThreadPool::take_done() {
    const std::lock_guard lock(mutex_);
    if (failure_) { std::rethrow_exception(failure_); }
    return std::exchange(done_, {});
}

std::size_t ThreadPool::spares() const {
    if (finished_ == 0) { return 1; }
    const auto lasting = static_cast<std::size_t>(in_hand * finished_ / std::max(spent_, Clock::duration(1)));
    return spent_ > long_piece * finished_ ? 0 : std::clamp<std::size_t>(lasting, 1, most_pieces_at_once / 2);
}

void ThreadPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        came_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
        if (waiting_.empty() || failure_) { return; }
        const std::size_t piece = waiting_.front();
        waiting_.pop_front();
        ++busy_;
        lock.unlock();
        std::string result;
        std::exception_ptr failure;
        const Clock::time_point began = Clock::now();
        try {
            result = compute_(piece);
        } catch (...) { failure = std::current_exception(); }
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

}  // namespace fabricast::cli
