#include "sim/run/sweep/sweep.hpp"

// Reads the points of a sweep, refuses errors that would make every run fail, runs the points and makes their table.

#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "sim/report/failed_asserts.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast::inline sweep {

namespace {

// Whether the path is a key of scenarios, or a name that users choose below one: "library.env.NCCL_ALGO",
// "prices.quantum-2/power.typical".
bool is_key(std::string_view path) {
    const auto takes_names = [&](const Key& key) {
        return key.form == Form::text_map && path.starts_with(key.path + ".");
    };
    return find_key(path) != nullptr || std::ranges::any_of(scenario_keys(), takes_names);
}

void check_path(const std::string& path, const SourceLocation& place) {
    const std::string_view top = std::string_view(path).substr(0, path.find('.'));
    if (top == "include" || top == "sweep") { throw InputError(place, "'" + std::string(top) + "' cannot be varied"); }
    if (!is_key(path)) {
        throw InputError(place, error_message("no such key of a scenario", shown(path), "the path of a key",
                                              nearest_word(path, names_of(scenario_keys(), &Key::path))));
    }
}

// Refuses values that a key never accepts, whatever the others are, before a long run.
void check_values(const SweepPoints& points, const Scenario& sample) {
    for (std::size_t k = 0; k < points.varied.size(); ++k) {
        const Key* key = find_key(points.varied[k]);
        if (key == nullptr || !key->read || !belongs(*key, sample) || key->form == Form::map ||
            key->form == Form::maps || points.varied[k] == "workload.kind") {
            continue;
        }
        std::set<std::string_view> seen;
        for (const std::vector<SweepValue>& point : points.values) {
            if (point[k].text.empty() || !seen.insert(point[k].text).second) { continue; }
            yaml::Node node = value_at(point[k]);
            node.name = leaf_of(key->path);
            Scenario scratch = sample;  // with every optional part, so that any key can be read into it alone
            scratch.scaling = scratch.scaling.value_or(ScalingSpec{});
            scratch.scaling->step = scratch.scaling->step.value_or(ScalingStep{});
            key->read(node, scratch);
        }
    }
}

// The figures of a point: the rows of its report, whatever its kind of workload.
struct SweepFigures {
    std::vector<std::string> columns;  // of every report of the scenario
    std::vector<Json> rows;            // objects; a column that the row has no value for is null or left out
};

template <class Record>
void add(SweepFigures& figures, const std::vector<Record>& records, const Columns<Record>& columns) {
    merge_notes(figures.columns, records_of<Record>({}, columns).columns);
    for (const Record& record : records) { figures.rows.push_back(record_json(record, columns)); }
}

void add_rows(const CollectiveWorkload&, const Scenario& scenario, const Report& report, SweepFigures& figures) {
    add(figures, report.rows, row_columns());
    if (scenario.scaling) { add(figures, report.points, point_columns()); }
}

void add_rows(const TransferWorkload&, const Scenario&, const Report& report, SweepFigures& figures) {
    add(figures, report.rows, row_columns());
}

void add_rows(const TrainingWorkload&, const Scenario&, const Report& report, SweepFigures& figures) {
    add(figures, report.steps, step_columns());
    if (figures.rows.size() == 1) { figures.rows.front().erase("efficiency"); }
}

void add_rows(const TraceWorkload&, const Scenario&, const Report& report, SweepFigures& figures) {
    std::vector<ReplayReport> whole;
    if (report.replay) { whole.push_back(*report.replay); }
    add(figures, whole, replay_columns());
}

// Collective and transfer: a row for each size, then one for each cluster of the scaling table. Training: a row for
// each cluster, with an `efficiency` if there are several to compare. Trace: one row. If the scenario has asserts,
// `failed_asserts` says which of them failed; if it has events, `idle_events` says which of them no time shows.
SweepFigures sweep_figures(const Scenario& scenario, const Report& report) {
    SweepFigures figures;
    std::visit([&](const auto& workload) { add_rows(workload, scenario, report, figures); }, scenario.workload);
    if (!scenario.events.empty()) {
        figures.columns.emplace_back("idle_events");
        const std::string idle = fmt::format("{}", fmt::join(report.idle_events, "; "));
        for (Json& row : figures.rows) {
            if (!idle.empty()) { row["idle_events"] = idle; }
        }
    }
    if (scenario.asserts.empty()) { return figures; }
    figures.columns.emplace_back("failed_asserts");
    if (const auto failed = failed_asserts(scenario, report); !failed.empty()) {
        for (Json& row : figures.rows) { row["failed_asserts"] = fmt::format("{}", fmt::join(failed, "; ")); }
    }
    return figures;
}

// Reads every point into the sweep. The first point that can be read serves as the sample for check_values().
void read_points(Sweep& sweep, const CatalogOf& catalog_of) {
    // Each catalogue is built once, however many scenarios use the same overlays.
    struct Known {
        std::shared_ptr<const Catalog> catalog;
        std::string fingerprint;
    };
    std::map<std::vector<std::string>, Known> catalogues;
    std::optional<Scenario> sample;
    std::optional<InputError> first_error;
    for (std::size_t i = 0; i < sweep.points.values.size(); ++i) {
        SweepPoint& point = sweep.read.emplace_back();
        try {
            Scenario scenario = scenario_at(sweep, i);
            Known& known = catalogues[scenario.calibration];
            if (!known.catalog) {
                known.catalog = std::make_shared<const Catalog>(catalog_of(scenario));
                known.fingerprint = fingerprint(*known.catalog);
            }
            point = {fingerprint(fingerprint(scenario) + known.fingerprint), "", known.catalog};
            merge_notes(sweep.notes, scenario.notes);
            merge_notes(sweep.figures, sweep_figures(scenario, {}).columns);
            sweep.one_thread = sweep.one_thread || traits_of(scenario.engine).one_thread;
            if (!sample) { sample = std::move(scenario); }
        } catch (const InputError& error) {
            point.error = error.what();
            first_error = first_error ? first_error : error;
        }
    }
    if (!sample) { throw InputError(*first_error); }
    check_values(sweep.points, *sample);
}

// The rows of a point; a failed one has a row without figures.
void append_rows(SweepResult& result, const Sweep& sweep, std::size_t point, const SweepOutcome& outcome) {
    SweepRow row{point, {}, {}, outcome.error};
    for (const SweepValue& value : sweep.points.values[point]) { row.varied.push_back(value.text); }
    const std::vector<Json> nothing(1, Json::object());
    for (const Json& object : outcome.error.empty() ? outcome.rows : nothing) {
        row.figures.clear();
        for (const std::string& figure : result.figures) { row.figures.push_back(object.value(figure, Json())); }
        result.rows.push_back(row);
    }
}

}  // namespace

Sweep prepare_sweep(yaml::Node tree, const std::filesystem::path& file, const std::vector<Variation>& vary,
                    const CatalogOf& catalog_of) {
    const Scenario said = part_of_tree(tree, file, {"seed", "sweep"});
    std::erase_if(tree.children, [](const yaml::Node& node) { return node.name == "sweep"; });
    Sweep sweep;
    sweep.file = file;
    sweep.points = sweep_points(said.sweep, vary, said.seed);
    if (sweep.points.varied.empty()) {
        throw InputError({std::make_shared<const std::string>(file.string())},
                         "nothing varies (accepted: --vary path=value,value,... or a 'sweep' in the scenario)");
    }
    for (std::size_t k = 0; k < sweep.points.varied.size(); ++k) {
        check_path(sweep.points.varied[k], sweep.points.places[k]);
    }
    if (const yaml::Node* name = tree.get("name"); name != nullptr && name->is_scalar()) { sweep.name = name->text; }
    sweep.fingerprint = fingerprint(flow_text(tree));
    sweep.tree = std::move(tree);
    read_points(sweep, catalog_of);
    return sweep;
}

std::vector<std::size_t> distinct_points(const Sweep& sweep) {
    std::set<std::string_view> seen;
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < sweep.read.size(); ++i) {
        if (!sweep.read[i].key.empty() && seen.insert(sweep.read[i].key).second) { points.push_back(i); }
    }
    return points;
}

std::string identity_of(const Sweep& sweep) {
    std::string all = sweep.fingerprint;
    for (const SweepPoint& point : sweep.read) { all += point.key.empty() ? "-" : point.key; }
    return fingerprint(all);
}

Scenario scenario_at(const Sweep& sweep, std::size_t point) {
    return scenario_of_tree(with_overrides(sweep.tree, overrides_of(sweep.points, point)), sweep.file);
}

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
