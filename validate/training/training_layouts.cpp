#include "validate/training/training_layouts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sim/scenario/keys.hpp"

namespace fabricast::inline validate_training {

namespace {

// Two runs of one layout are about this far apart; a smaller difference ranks nothing.
constexpr double no_matter = 0.01;
constexpr double asked_within = 0.04;

bool of_layout(std::string_view key) {
    return key.starts_with("workload.parallelism") || key == "workload.micro_batch" || key == "workload.sharding" ||
           key == "workload.recompute";
}

// What a row has in common with others of its group, and its layout.
std::pair<std::string, std::string> group_and_layout(const TrainingForecast& f, const Catalog& catalog) {
    Json scenario = to_json(derive_step(*f.table, f.row, catalog).scenario);
    Json layout = Json::object();
    Json& workload = scenario.at("workload");
    for (const char* key : {"parallelism", "micro_batch", "sharding", "recompute"}) {
        if (workload.contains(key)) { layout[key] = workload.at(key); }
        workload.erase(key);
    }
    std::string group = f.table->id + scenario.dump();
    for (const std::string& column : f.table->series) {
        const auto mapped = f.table->columns.find(column);
        const bool cut = mapped != f.table->columns.end() && of_layout(mapped->second);
        group += cut ? "" : "|" + f.table->rows[f.row].at(column);
    }
    return {group, layout.dump()};
}

double mean(double sum, std::size_t count) { return sum / static_cast<double>(std::max<std::size_t>(1, count)); }

// Of one table.
struct TableLayouts {
    std::size_t groups = 0, layouts = 0, within = 0;
    double over_best = 0, worst = 0;
    LayoutGroup::Pairs pairs;

    void add(const LayoutGroup& group) {
        const double over = group.chosen_over_best();
        const LayoutGroup::Pairs more = group.pairs();
        ++groups;
        layouts += group.entries.size();
        within += over <= asked_within ? 1 : 0;
        over_best += over;
        worst = std::max(worst, over);
        pairs.all += more.all;
        pairs.right += more.right;
    }
    double right_pct() const { return 100.0 * pairs.right / std::max(1, pairs.all); }
};

std::map<std::string, TableLayouts> by_table(const std::vector<LayoutGroup>& groups) {
    std::map<std::string, TableLayouts> tables;
    for (const LayoutGroup& group : groups) { tables[group.table].add(group); }
    return tables;
}

}  // namespace

double LayoutGroup::chosen_over_best() const {
    const auto rank = [](const Entry& entry) { return std::pair(!entry.fits, entry.forecast_s); };
    const Entry& chosen = *std::ranges::min_element(entries, {}, rank);
    return chosen.measured_s / std::ranges::min_element(entries, {}, &Entry::measured_s)->measured_s - 1;
}

LayoutGroup::Pairs LayoutGroup::pairs() const {
    Pairs pairs;
    for (std::size_t a = 0; a < entries.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const double measured = std::log(entries[a].measured_s / entries[b].measured_s);
            if (std::abs(measured) < no_matter) { continue; }
            ++pairs.all;
            pairs.right += measured * std::log(entries[a].forecast_s / entries[b].forecast_s) > 0 ? 1 : 0;
        }
    }
    return pairs;
}

std::vector<LayoutGroup> layout_groups(const std::vector<TrainingForecast>& forecasts, const Catalog& catalog) {
    std::map<std::string, LayoutGroup> groups;
    for (const TrainingForecast& f : forecasts) {
        if (!f.compared()) { continue; }
        const auto [key, layout] = group_and_layout(f, catalog);
        LayoutGroup& group = groups[key];
        group.table = f.table->id;
        auto entry = std::ranges::find(group.entries, layout, &LayoutGroup::Entry::layout);
        if (entry == group.entries.end()) {
            group.entries.push_back({layout, 0, f.forecast_s, 0, f.memory_share <= 1});
            entry = std::prev(group.entries.end());
        }
        entry->measured_s = (entry->measured_s * entry->runs + f.measured_s) / (entry->runs + 1);
        ++entry->runs;
    }
    std::vector<LayoutGroup> several;
    for (auto& [key, group] : groups) {
        if (group.entries.size() > 1) { several.push_back(std::move(group)); }
    }
    return several;
}

std::vector<NamedFigure> layout_figures(const std::vector<LayoutGroup>& groups) {
    const std::map<std::string, TableLayouts> tables = by_table(groups);
    TableLayouts all;
    for (const LayoutGroup& group : groups) { all.add(group); }
    double over = 0, right = 0;
    std::size_t with_pairs = 0;
    for (const auto& [name, table] : tables) {
        over += 100 * mean(table.over_best, table.groups);
        right += table.pairs.all > 0 ? table.right_pct() : 0;
        with_pairs += table.pairs.all > 0 ? 1 : 0;
    }
    return {{"layout_groups", static_cast<double>(all.groups), ""},
            {"layout_rows", static_cast<double>(all.layouts), ""},
            {"layout_best_within_pct", mean(over, tables.size()), "%"},
            {"layout_best_within_worst_pct", 100 * all.worst, "%"},
            {"layout_best_within_4pct_groups_pct", 100 * mean(static_cast<double>(all.within), all.groups), "%"},
            {"layout_pairs", static_cast<double>(all.pairs.all), ""},
            {"layout_pairs_right_pct", mean(right, with_pairs), "%"},
            {"layout_all_pairs_right_pct", all.right_pct(), "%"}};
}

std::string layouts_section(const std::vector<LayoutGroup>& groups) {
    std::string lines =
        "\n## Layouts\n\n"
        "Rows of one table that differ only in their layout form a group. Chosen over best: the measured time of the "
        "layout\n"
        "that the forecast puts first, over the measured best. A pair counts where its times differ by 1 % or "
        "more.\n\n" +
        markdown_head({"table", "groups", "layouts", "chosen over best, mean %", "worst %", "pairs", "right %"});
    for (const auto& [name, table] : by_table(groups)) {
        lines += markdown_row({name, fmt::to_string(table.groups), fmt::to_string(table.layouts),
                               percent_cell(mean(table.over_best, table.groups)), percent_cell(table.worst),
                               fmt::to_string(table.pairs.all), fmt::format("{:.1f}", table.right_pct())});
    }
    return lines;
}

}  // namespace fabricast::inline validate_training
