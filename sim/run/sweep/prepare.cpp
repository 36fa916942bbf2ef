#include "sim/run/sweep/prepare.hpp"

// Reads the points of a sweep, and refuses errors that would make every run fail.

#include <algorithm>
#include <optional>
#include <set>

#include "base/nearest_word.hpp"
#include "sim/run/sweep/figures.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast::inline sweep {

namespace {

// Whether the path is a key of the scenario's table, or a name that the user chooses below one:
// "library.env.NCCL_ALGO".
bool is_key(std::string_view path) {
    const Key* parent = find_key(path.substr(0, path.rfind('.')));
    return find_key(path) != nullptr || (parent != nullptr && parent->form == Form::text_map);
}

void check_path(const std::string& path, const SourceLocation& place) {
    const std::string_view top = std::string_view(path).substr(0, path.find('.'));
    if (top == "include" || top == "sweep") { throw InputError(place, "'" + std::string(top) + "' cannot be varied"); }
    if (!is_key(path)) {
        std::vector<std::string> paths;
        for (const Key& key : scenario_keys()) { paths.push_back(key.path); }
        throw InputError(place, error_message("no such key of a scenario", shown(path), "the path of a key",
                                              nearest_word(path, paths)));
    }
}

// The scenario with every optional part, so that any key can be read into it alone.
Scenario with_every_part(Scenario scenario) {
    scenario.scaling = scenario.scaling.value_or(ScalingSpec{});
    scenario.scaling->step = scenario.scaling->step.value_or(ScalingStep{});
    return scenario;
}

// Refuses values that a key never accepts, whatever the other keys are. Such a value is a mistake, which the user
// should learn of before a long run.
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
            node.name = leaf_name(*key);
            Scenario scratch = with_every_part(sample);
            key->read(node, scratch);
        }
    }
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

}  // namespace fabricast::inline sweep
