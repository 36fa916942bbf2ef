// fabricast-ucx-self FILE: how well links fitted to some rounds of a probe's run forecast its other rounds, and how far
// the rounds lie apart, as `figure: NAME VALUE UNIT` lines. `./dev accuracy` runs it on a fresh run of probe-ucx.

#include "validate/ucx_self.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    using namespace fabricast;
    if (argc != 2) {
        std::fputs("usage: fabricast-ucx-self FILE\n", stderr);
        return 2;
    }
    try {
        const SelfForecast self = forecast_itself(read_measurement(argv[1]));
        fmt::print("figure: ucx_self_median_pct {:.2f} %\n", self.median_pct);
        fmt::print("figure: ucx_self_noise_pct {:.2f} %\n", self.noise_pct);
        return 0;
    } catch (const ScenarioError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fabricast-ucx-self: %s\n", error.what());
        return 1;
    }
}
