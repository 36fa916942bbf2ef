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

namespace fabricast {

namespace {

std::vector<Json> objects_of(const Records& records) {
    std::vector<Json> objects;
    for (const std::vector<Json>& cells : records.rows) {
        Json& object = objects.emplace_back(Json::object());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!cells[i].is_null()) {
                object[records.columns[i]] = cells[i];
            }
        }
    }
    return objects;
}

SweepRow row_of(const Sweep& sweep, std::size_t point, std::size_t figures) {
    SweepRow row{point, {}, std::vector<Json>(figures), ""};
    for (const SweepValue& value : sweep.points.values[point]) {
        row.varied.push_back(value.text);
    }
    return row;
}

void append_rows(SweepResult& result, const Sweep& sweep, std::size_t point, const SweepOutcome& outcome) {
    for (const Json& object : outcome.rows) {
        SweepRow row = row_of(sweep, point, result.figures.size());
        for (std::size_t f = 0; f < result.figures.size(); ++f) {
            if (const auto cell = object.find(result.figures[f]); cell != object.end()) {
                row.figures[f] = *cell;
            }
        }
        result.rows.push_back(std::move(row));
    }
}

void append_error(SweepResult& result, const Sweep& sweep, std::size_t point, const std::string& error) {
    result.rows.push_back(row_of(sweep, point, result.figures.size()));
    result.rows.back().error = error;
}

}  // namespace

SweepOutcome run_point(const Sweep& sweep, std::size_t point, const std::atomic<bool>* stop, std::size_t threads) {
    try {
        const Scenario scenario = scenario_at(sweep, point);
        const Report report = simulate(scenario, *sweep.read[point].catalog, {stop, {}}, {}, {threads, false});
        return {objects_of(figure_records(scenario, report)), ""};
    } catch (const Stopped&) {
        throw;
    } catch (const IoError&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
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
                if (failure || (stop != nullptr && *stop)) {
                    throw Stopped();
                }
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
    } catch (...) {
        std::rethrow_exception(failure);
    }
}

SweepResult sweep_result(const Sweep& sweep, const SweepOutcomes& outcomes) {
    SweepResult result{sweep.name, sweep.points.varied, sweep.figures, {}};
    for (std::size_t point = 0; point < sweep.read.size(); ++point) {
        if (!sweep.read[point].error.empty()) {
            append_error(result, sweep, point, sweep.read[point].error);
        } else if (const auto outcome = outcomes.find(sweep.read[point].key); outcome == outcomes.end()) {
            continue;
        } else if (!outcome->second.error.empty()) {
            append_error(result, sweep, point, outcome->second.error);
        } else {
            append_rows(result, sweep, point, outcome->second);
        }
    }
    return result;
}

}  // namespace fabricast
