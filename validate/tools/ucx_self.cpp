// fabricast-ucx-self FILE: how well links fitted to some rounds of a probe's run forecast its other rounds, and how
// much the rounds differ, as `figure: NAME VALUE UNIT` lines. `./dev accuracy` runs it on a new run of probe-ucx.

#include "validate/transfers/ucx_self.hpp"

#include <fmt/format.h>

#include "validate/score/page.hpp"
#include "validate/tools/run_tool.hpp"

int main(int argc, char** argv) {
    using namespace fabricast;
    return run_tool("fabricast-ucx-self", "usage: fabricast-ucx-self FILE\n", argc, argv, [](const Options& options) {
        const SelfForecast self = forecast_itself(read_measurement(options.value("FILE")));
        fmt::print("{}\n{}\n", figure_line({"ucx_self_median_pct", self.median_pct}),
                   figure_line({"ucx_self_noise_pct", self.noise_pct}));
    });
}
