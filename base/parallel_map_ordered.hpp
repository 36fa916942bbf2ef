#pragma once
// Runs independent pieces of work on several threads and delivers their results in order, however many threads.

#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <thread>
#include <vector>

namespace fabricast::inline base {

// Calls make(i) for i in [0, count) on up to `threads` threads and take(result) on the calling thread, in the order of
// i. The first exception in that order is rethrown; work not begun by then is dropped.
template <class Make, class Take>
void parallel_map_ordered(std::size_t count, std::size_t threads, const Make& make, const Take& take) {
    using Result = decltype(make(std::size_t{}));
    if (threads <= 1 || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) { take(make(i)); }
        return;
    }
    std::vector<std::promise<Result>> promised(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                promised[i].set_value(make(i));
            } catch (...) { promised[i].set_exception(std::current_exception()); }
        }
    };
    // Joins the threads on every exit path, also after an exception; workers stop before their next piece.
    struct ThreadPool {
        std::atomic<std::size_t>& next;
        std::size_t count;
        std::vector<std::jthread> threads;
        ~ThreadPool() { next = count; }
    } workers{next, count, {}};
    for (std::size_t t = 0; t < threads && t < count; ++t) { workers.threads.emplace_back(work); }
    for (std::promise<Result>& one : promised) { take(one.get_future().get()); }
}

// The results of make(i) for i in [0, count).
template <class Make> auto parallel_map(std::size_t count, std::size_t threads, const Make& make) {
    std::vector<decltype(make(std::size_t{}))> results;
    parallel_map_ordered(count, threads, make, [&](auto&& result) { results.push_back(std::move(result)); });
    return results;
}

}  // namespace fabricast::inline base
