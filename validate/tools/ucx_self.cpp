// fabricast-ucx-self FILE: how well links fitted to some rounds of a probe's run forecast its other rounds, and how
// much the rounds differ, as `figure: NAME VALUE UNIT` lines. `./dev accuracy` runs it on a new run of probe-ucx.

#include "validate/transfers/ucx_self.hpp"

#include <fmt/format.h>

#include <string>

#include "validate/tools/run_tool.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    return run_tool<std::string>(
        "fabricast-ucx-self", "usage: fabricast-ucx-self FILE\n", argc, argv,
        [](int count, char** words, std::string& file) {
            if (count == 2) {
                file = words[1];
            }
            return count == 2;
        },
        [](const std::string& file) {
            const SelfForecast self = forecast_itself(read_measurement(file));
            fmt::print("figure: ucx_self_median_pct {:.2f} %\n", self.median_pct);
            fmt::print("figure: ucx_self_noise_pct {:.2f} %\n", self.noise_pct);
            return 0;
        });
}
