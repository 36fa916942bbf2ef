// fabricast-bench [NAME...]: speed figures, one line each. Ratios compare CPU time, which a busy machine disturbs
// least; times in seconds are by the wall clock. Schedule generation and building count on both sides.

#include <chrono>
#include <cstdio>
#include <numeric>

#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"

namespace {

// How fast this machine is now: dependent loads over 16 MiB, so that a noisy run is recognised.
double chase_ns() {
    std::vector<std::uint32_t> next(4U << 20U);
    std::iota(next.begin(), next.end(), 0U);
    std::uint64_t state = 1;
    for (std::size_t i = next.size() - 1; i > 0; --i) {  // Sattolo: one cycle through all
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        std::swap(next[i], next[(state >> 33U) % i]);
    }
    const auto start = std::chrono::steady_clock::now();
    std::uint32_t at = 0;
    constexpr int steps = 2'000'000;
    for (int i = 0; i < steps; ++i) { at = next[at]; }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return seconds * 1e9 / steps + (at == 0xffffffffU ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> names(argv + 1, argv + argc);
    fabricast::bench::figure("machine_chase_16MiB", chase_ns(), "ns");
    fabricast::bench::engine_figures(names);
    fabricast::bench::scale_figures(names);
    fabricast::bench::packet_figures(names);
    fabricast::bench::event_core_figures(names);
    fabricast::bench::training_figures(names);
    fabricast::bench::site_figures(names);
    fabricast::bench::sweep_figures(names);
    fabricast::bench::rank_figures(names);
    fabricast::bench::agreement(names);
    return 0;
}
