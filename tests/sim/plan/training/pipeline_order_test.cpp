#include <algorithm>
#include <map>
#include <tuple>

#include "sim/plan/training/stage_turns.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Seconds that the pipeline takes when forward and backward of the whole stage take `f` and `b` and sending nothing.
double makespan(PipelineOrder order, std::uint32_t p, std::uint32_t v, std::uint32_t m, double f, double b) {
    std::vector<std::vector<StepOp>> todo;
    for (std::uint32_t stage = 0; stage < p; ++stage) { todo.push_back(stage_actions(order, stage, p, v, m)); }
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, double> done;  // forward, place in the model, micro-batch
    std::vector<double> free(p, 0);
    std::vector<std::size_t> next(p, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::uint32_t stage = 0; stage < p; ++stage) {
            while (next[stage] < todo[stage].size()) {
                const StepOp a = todo[stage][next[stage]];
                const std::uint32_t place = a.chunk * p + stage;
                const bool starts = a.forward ? place == 0 : place + 1 == p * v;
                const std::tuple needs{a.forward, a.forward ? place - 1 : place + 1, a.micro_batch};
                if (!starts && !done.contains(needs)) { break; }
                const double from = std::max(free[stage], starts ? 0 : done[needs]);
                free[stage] = done[{a.forward, place, a.micro_batch}] = from + (a.forward ? f : b) / v;
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
