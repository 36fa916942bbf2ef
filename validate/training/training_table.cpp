#include "validate/training/training_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.hpp"
#include "base/yaml.hpp"
#include "sim/scenario/parse.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::inline validate_training {

namespace {

std::vector<std::string> texts(const yaml::Node* list) {
    std::vector<std::string> out;
    if (list == nullptr) { return out; }
    if (list->is_scalar()) { return {list->text}; }
    for (const yaml::Node& item : list->items()) { out.push_back(item.as_string()); }
    return out;
}

std::vector<TableCase> cases_of(const yaml::Node& map, const char* key) {
    std::vector<TableCase> out;
    for (const yaml::Node& item : map.items_of(key)) {
        TableCase one;
        for (const yaml::Node& column : item.required("when").members()) { one.when[column.name] = texts(&column); }
        one.set = texts(item.get("set"));
        one.because = item.text_or("because");
        out.push_back(std::move(one));
    }
    return out;
}

bool matches(const TableCase& one, const Cells& row) {
    return std::ranges::all_of(one.when, [&](const auto& condition) {
        const auto cell = row.find(condition.first);
        return cell != row.end() && std::ranges::any_of(condition.second, [&](const std::string& pattern) {
                   return glob_matches(pattern, cell->second);
               });
    });
}

// Adds settings (`path=value`) by path; later ones replace earlier ones. "row.COLUMN" is the cell of that column.
void take(std::map<std::string, std::string>& settings, const std::vector<std::string>& list, const Cells& row) {
    for (const std::string& setting : list) {
        const std::size_t equals = setting.find('=');
        const std::string value = setting.substr(equals + 1);
        settings[setting.substr(0, equals)] = value.starts_with("row.") ? row.at(value.substr(4)) : value;
    }
}

std::string value_or(const std::map<std::string, std::string>& settings, const std::string& key,
                     const std::string& otherwise) {
    const auto found = settings.find(key);
    return found == settings.end() ? otherwise : found->second;
}

std::uint32_t whole(const std::string& text) {
    return static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10));
}

TrainingTable table_of(const yaml::Node& root, const yaml::Node& forecast) {
    static const std::vector<std::string> scalings = names_up_to(TableScaling::model);
    forecast.allow({"family", "excluded", "step", "scaling", "series", "columns", "set", "cases", "exclude"});
    TrainingTable table;
    table.id = root.required("id").as_string();
    table.family = forecast.required("family").as_string();
    table.excluded = forecast.text_or("excluded");
    table.scaling = static_cast<TableScaling>(forecast.required("scaling").as_enum(scalings));
    table.series = texts(forecast.get("series"));
    const yaml::Node& step = forecast.required("step");
    step.allow({"column", "unit", "scale"});
    table.step_column = step.required("column").as_string();
    table.step_unit = step.text_or("unit");
    table.step_scale = step.get("scale") == nullptr ? 1 : step.get("scale")->as_double();
    for (const yaml::Node& column : forecast.required("columns").members()) {
        table.columns[column.name] = column.as_string();
    }
    table.set = texts(forecast.get("set"));
    table.cases = cases_of(forecast, "cases");
    table.exclusions = cases_of(forecast, "exclude");
    if (const yaml::Node* assumed = root.get("assumed")) {
        assumed->allow({"set", "cases"});
        table.assumed = texts(assumed->get("set"));
        table.assumed_cases = cases_of(*assumed, "cases");
    }
    const std::vector<std::string> names = texts(&root.required("columns"));
    for (const yaml::Node& row : root.required("rows").items()) {
        if (row.items().size() != names.size()) { row.fail("a row has one cell for each column"); }
        Cells& cells = table.rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const yaml::Node& cell = row.items()[i];
            cells[names[i]] = cell.is_null() ? "null" : cell.as_string();
        }
    }
    return table;
}

}  // namespace

std::vector<TrainingTable> read_training_tables(const std::filesystem::path& folder, std::string_view how) {
    std::vector<TrainingTable> tables;
    for (const auto& file : yaml::files_among(std::filesystem::directory_iterator(folder))) {
        const yaml::Node root = yaml::read(file);
        if (const yaml::Node* forecast = root.get(how)) { tables.push_back(table_of(root, *forecast)); }
    }
    return tables;
}

DerivedStep derive_step(const TrainingTable& table, std::size_t index, const Catalog& catalog) {
    const Cells& row = table.rows.at(index);
    DerivedStep out;
    std::map<std::string, std::string> settings;
    take(settings, table.set, row);
    take(settings, table.assumed, row);
    out.assumptions = table.assumed;
    for (const TableCase& one : table.cases) {
        if (matches(one, row)) { take(settings, one.set, row); }
    }
    for (const TableCase& one : table.assumed_cases) {
        if (matches(one, row)) {
            take(settings, one.set, row);
            out.assumptions.insert(out.assumptions.end(), one.set.begin(), one.set.end());
        }
    }
    for (const auto& [column, key] : table.columns) {
        if (row.at(column) != "null") { settings[key] = row.at(column); }
    }
    // A number of GPUs means whole nodes, or part of one node.
    const std::uint32_t gpus = whole(value_or(settings, "gpus", "0"));
    const std::uint32_t full = node_template(value_or(settings, "cluster.node", ""), catalog).gpus;
    const std::uint32_t each = whole(value_or(settings, "gpus_per_node", std::to_string(full)));
    settings.erase("gpus");
    settings.erase("gpus_per_node");
    settings["cluster.nodes"] = std::to_string(std::max(1U, gpus / each));
    if (std::min(gpus, each) != full) { settings["cluster.gpus_per_node"] = std::to_string(std::min(gpus, each)); }
    if (whole(value_or(settings, "workload.parallelism.pipeline", "1")) == 1) {
        settings.erase("workload.parallelism.chunks");
    }
    settings["workload.check_memory"] = "false";  // the row ran, so the check is off
    std::vector<std::string> list;
    for (const auto& [key, value] : settings) { list.push_back(key + "=" + value); }
    out.scenario =
        parse_scenario("name: row\ncluster: {node: dgx-h100}\nworkload: {kind: training, model: gpt3-175b}\n",
                       fmt::format("{}, row {}", table.id, index + 1), list);
    return out;
}

std::string exclusion(const TrainingTable& table, std::size_t index) {
    for (const TableCase& one : table.exclusions) {
        if (matches(one, table.rows.at(index))) { return one.because; }
    }
    return table.excluded;
}

std::optional<double> measured_step(const TrainingTable& table, std::size_t index, const StepRow& forecast) {
    const std::string& text = table.rows.at(index).at(table.step_column);
    const double value = std::strtod(text.c_str(), nullptr) * table.step_scale;
    if (text == "null" || !(value > 0)) { return std::nullopt; }
    const double tokens = forecast.tokens_per_s * forecast.step_time_s;
    if (table.step_unit == "tokens") { return tokens / (value * forecast.gpus); }
    if (table.step_unit == "all-tokens") { return tokens / value; }
    if (table.step_unit == "samples") { return forecast.global_batch / value; }
    if (table.step_unit == "hardware-tflops") {  // full recomputation: four passes instead of the three of the model
        return forecast.flops_per_gpu * forecast.step_time_s * 4 / 3 / (value * 1e12);
    }
    return value;
}

}  // namespace fabricast::inline validate_training
