#include "sim/run/sweep/run.hpp"

// Runs the points of a sweep and makes their table.

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>

#include "base/parallel_map_ordered.hpp"
#include "base/text_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/figures.hpp"
#include "sim/run/sweep/prepare.hpp"

namespace fabricast::inline sweep {

namespace {

// The rows of a point; a failed one has a row without figures.
void append_rows(SweepResult& result, const Sweep& sweep, std::size_t point, const SweepOutcome& outcome) {
    SweepRow row{point, {}, {}, outcome.error};
    for (const SweepValue& value : sweep.points.values[point]) { row.varied.push_back(value.text); }
    const std::vector<Json> nothing(1, Json::object());
    for (const Json& object : outcome.error.empty() ? outcome.rows : nothing) {
        row.figures.clear();
        for (const std::string& figure : result.figures) {
            const auto cell = object.find(figure);
            row.figures.push_back(cell == object.end() ? Json() : *cell);
        }
        result.rows.push_back(row);
    }
}

}  // namespace

SweepOutcome run_point(const Sweep& sweep, std::size_t point, const std::atomic<bool>* stop, std::size_t threads) {
    try {
        const Scenario scenario = scenario_at(sweep, point);
        const Report report = simulate(scenario, *sweep.read[point].catalog, {stop, {}}, {}, {threads, false});
        return {sweep_figures(scenario, report).rows, ""};
    } catch (const Stopped&) { throw; } catch (const IoError&) {
        throw;
    } catch (const std::bad_alloc&) { throw; } catch (const std::exception& error) {
        return {{}, error.what()};
    }
}

void run_points(const Sweep& sweep, const std::vector<std::size_t>& points, std::size_t threads,
                const std::atomic<bool>* stop, const std::function<void(std::size_t, const SweepOutcome&)>& finished) {
    threads = sweep.one_thread ? 1 : threads;
    const std::size_t side_by_side = std::max<std::size_t>(1, std::min(threads, points.size()));
    std::mutex mutex;
    std::exception_ptr failure;  // the first failure; the later ones are consequences of stopping
    const auto make = [&](std::size_t i) {
        try {
            {
                const std::lock_guard lock(mutex);
                if (failure || (stop != nullptr && *stop)) { throw Stopped(); }
            }
            const SweepOutcome outcome = run_point(sweep, points[i], stop, threads / side_by_side);
            const std::lock_guard lock(mutex);
            finished(points[i], outcome);
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = failure ? failure : std::current_exception();
            throw;
        }
        return true;
    };
    try {
        parallel_map_ordered(points.size(), side_by_side, make, [](bool) {});
    } catch (...) { std::rethrow_exception(failure); }
}

SweepResult sweep_result(const Sweep& sweep, const SweepOutcomes& outcomes) {
    SweepResult result{sweep.name, sweep.points.varied, sweep.figures, {}};
    for (std::size_t point = 0; point < sweep.read.size(); ++point) {
        const SweepPoint& read = sweep.read[point];
        if (!read.error.empty()) {
            append_rows(result, sweep, point, {{}, read.error});
        } else if (const auto outcome = outcomes.find(read.key); outcome != outcomes.end()) {
            append_rows(result, sweep, point, outcome->second);
        }
    }
    return result;
}

}  // namespace fabricast::inline sweep
