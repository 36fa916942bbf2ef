#include <algorithm>
#include <map>
#include <tuple>

#include "sim/plan/training/stage_turns.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Seconds that the pipeline takes when forward and backward of the whole stage take `f` and `b`, `w` of them for
// gradients of weights, and sending nothing.
double makespan(PipelineOrder order, std::uint32_t p, std::uint32_t v, std::uint32_t m, double f, double b,
                double w = 0) {
    const bool dual = order == PipelineOrder::dual_pipe;
    const Layout layout{.p = p, .v = dual ? 2 : v, .dual = dual};
    std::vector<std::vector<StepOp>> todo;
    for (std::uint32_t stage = 0; stage < p; ++stage) { todo.push_back(stage_actions(order, stage, p, v, m)); }
    // By forward, line (DualPipe's direction), place in the model, micro-batch.
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t>, double> done;
    std::vector<double> free(p, 0);
    std::vector<std::size_t> next(p, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::uint32_t stage = 0; stage < p; ++stage) {
            while (next[stage] < todo[stage].size()) {
                const StepOp a = todo[stage][next[stage]];
                const auto arrived = [&](const StepOp& of) -> const double* {
                    const std::uint32_t at = layout.place(stage, of.chunk);
                    static constexpr double always = 0;
                    if (of.weights == WeightsAt::now || (of.forward ? at == 0 : at + 1 == layout.pieces())) {
                        return &always;
                    }
                    const auto found =
                        done.find({of.forward, dual ? of.chunk : 0, of.forward ? at - 1 : at + 1, of.micro_batch});
                    return found == done.end() ? nullptr : &found->second;
                };
                const double* const own = arrived(a);
                const double* const both = a.with_next ? arrived(todo[stage][next[stage] + 1]) : own;
                if (own == nullptr || both == nullptr) { break; }
                const double takes = a.weights == WeightsAt::now     ? w
                                     : a.forward                     ? f / v
                                     : a.weights == WeightsAt::later ? b - w
                                                                     : b / v;
                free[stage] = std::max({free[stage], *own, *both}) + takes;
                const auto ends = [&](const StepOp& of) {
                    done[{of.forward, dual ? of.chunk : 0, layout.place(stage, of.chunk), of.micro_batch}] =
                        free[stage];
                };
                if (next[stage] > 0 && todo[stage][next[stage] - 1].with_next) { ends(todo[stage][next[stage] - 1]); }
                if (a.weights != WeightsAt::now && !a.with_next) { ends(a); }
                ++next[stage];
                moved = true;
            }
        }
    }
    for (std::uint32_t stage = 0; stage < p; ++stage) {
        REQUIRE(next[stage] == todo[stage].size());  // no order deadlocks
    }
    return *std::max_element(free.begin(), free.end());
}

}  // namespace

TEST_CASE("every micro-batch passes each chunk of a stage once forward and once backward, forward first") {
    for (const auto& [p, v, m] : {std::tuple{4U, 1U, 8U}, {4U, 3U, 8U}, {2U, 2U, 2U}, {8U, 1U, 3U}}) {
        for (std::uint32_t stage = 0; stage < p; ++stage) {
            std::map<std::pair<std::uint32_t, std::uint32_t>, int> state;
            for (const StepOp& a : stage_actions(PipelineOrder::one_f_one_b, stage, p, v, m)) {
                int& at = state[{a.micro_batch, a.chunk}];
                CHECK(at == (a.forward ? 0 : 1));
                ++at;
            }
            CHECK(state.size() == m * v);
        }
    }
}

TEST_CASE("the bubble of GPipe and 1F1B is (p - 1)(f + b), interleaved a v-th of it") {
    for (const auto& [p, m] : {std::pair{4U, 8U}, {8U, 8U}, {2U, 16U}}) {
        const double busy = m * 3.0;
        CHECK(makespan(PipelineOrder::gpipe, p, 1, m, 1, 2) == Approx(busy + (p - 1) * 3.0));
        CHECK(makespan(PipelineOrder::one_f_one_b, p, 1, m, 1, 2) == Approx(busy + (p - 1) * 3.0));
        CHECK(makespan(PipelineOrder::one_f_one_b, p, 2, m, 1, 2) == Approx(busy + (p - 1) * 1.5));
        CHECK(makespan(PipelineOrder::one_f_one_b, p, 4, m, 1, 2) == Approx(busy + (p - 1) * 0.75));
    }
}

TEST_CASE("1F1B keeps as many micro-batches as stages follow, GPipe all of them") {
    const auto most = [](PipelineOrder order, std::uint32_t stage) {
        int kept = 0, largest = 0;
        for (const StepOp& a : stage_actions(order, stage, 4, 1, 16)) {
            kept += a.forward ? 1 : -1;
            largest = std::max(largest, kept);
        }
        return largest;
    };
    CHECK(most(PipelineOrder::one_f_one_b, 0) == 4);
    CHECK(most(PipelineOrder::one_f_one_b, 3) == 1);
    CHECK(most(PipelineOrder::gpipe, 0) == 16);
}

TEST_CASE("DualPipe's bubble is (p / 2 - 1)(f + b + b - 3w), its activations p + 1 micro-batches of one piece") {
    // DeepSeek-V3 (arXiv 2412.19437), table 2; a forward and a backward pass side by side take as long as both here.
    for (const auto& [p, m] : {std::pair{4U, 8U}, {8U, 20U}, {16U, 60U}}) {
        const double f = 1, b = 2, w = 1;
        CHECK(makespan(PipelineOrder::dual_pipe, p, 1, m, f, b, w) ==
              Approx(m * (f + b) + (p / 2.0 - 1) * (f + b + b - 3 * w)));
        for (std::uint32_t stage = 0; stage < p; ++stage) {
            std::uint32_t kept = 0, most = 0, waiting = 0;
            std::map<std::pair<std::uint32_t, std::uint32_t>, int> passes;
            for (const StepOp& a : stage_actions(PipelineOrder::dual_pipe, stage, p, 1, m)) {
                waiting += a.weights == WeightsAt::later ? 1 : 0;
                waiting -= a.weights == WeightsAt::now ? 1 : 0;
                if (a.weights == WeightsAt::now) { continue; }
                kept = a.forward ? kept + 1 : kept - 1;
                most = std::max(most, kept);
                CHECK(passes[{a.chunk, a.micro_batch}]++ == (a.forward ? 0 : 1));
            }
            CHECK(most == p + 1);
            CHECK(waiting == 0);
            CHECK(passes.size() == m);
        }
    }
}
