// fabricast plan SCENARIO: which layout of a training step is fastest.

#include <optional>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "sim/run/layouts/layout_report.hpp"
#include "sim/run/layouts/layout_search.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "sim/run/sweep/journal.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast::cli {

namespace {

// The forecasts of a search stand in a sweep's journal, as those of this sweep.
Sweep sweep_of_layouts(const Scenario& scenario, const Catalog& catalog) {
    Sweep identity;
    identity.name = scenario.name;
    identity.fingerprint = fingerprint("layouts " + fingerprint(scenario) + fingerprint(catalog));
    return identity;
}

LayoutOutcomes outcomes_in(const Journal& journal) {
    LayoutOutcomes outcomes;
    for (const auto& [words, outcome] : journal.found()) {
        const double seconds = outcome.rows.empty() ? 0 : outcome.rows.front().value("step_time_s", 0.0);
        outcomes[words] = {seconds, outcome.error};
    }
    return outcomes;
}

ExitCode plan_layout(const po::variables_map& values) {
    const Scenario scenario = scenario_of(values);
    Outputs outputs(values, {"json", "csv", "tsv", "html", "journal"});
    outputs.keep(scenario);
    if (values.contains("resume") && !values.contains("journal")) {
        throw UsageError("--resume goes on from a journal (accepted: --journal FILE beside it)");
    }
    const Catalog catalog = catalog_of(values, &scenario);
    LayoutSearchOptions options;
    std::vector<Variation> vary;
    for (const std::string& argument : texts_of(values, "vary")) { vary.push_back(parse_variation(argument)); }
    options.allowed = allowed_layouts(vary);
    options.best = static_cast<std::size_t>(whole_of(values, "best", 12, 1, 1000));
    options.memory_margin = whole_of(values, "margin", 0, 0, 90) / 100.0;
    options.draws = static_cast<std::uint32_t>(whole_of(values, "draws", 16, 0, 100'000));
    if (options.draws > 0 && options.draws < 10) {
        throw UsageError("--draws: fewer than 10 tell nothing (accepted: 0, or 10 and more)");
    }
    options.threads = threads_of(values, &scenario);
    std::optional<Journal> journal;
    if (values.contains("journal")) {
        journal.emplace(text_of(values, "journal"), sweep_of_layouts(scenario, catalog),
                        values.contains("resume") ? Journal::Start::resume : Journal::Start::fresh);
        options.known = outcomes_in(*journal);
        options.finished = [&](const std::string& words, const LayoutOutcome& outcome) {
            journal->append(words, {{Json{{"step_time_s", outcome.seconds}}}, outcome.refused});
        };
    }
    const LayoutSearch search =
        watched(values, [&](const Watch& watch) { return search_layouts(scenario, catalog, options, watch); });
    // Without a layout there is nothing to write: files of an earlier search stay.
    if (search.stopped && search.best.empty()) {
        if (!values.contains("quiet")) { outputs.words() << layouts_table(search) << std::flush; }
        throw Stopped();
    }
    outputs.write_json([&] { return layouts_json(search); });
    outputs.write_table([&] { return layouts_records(search); });
    outputs.write_page([&] { return layouts_page(scenario, search); });
    if (!values.contains("quiet")) { outputs.words() << layouts_table(search) << std::flush; }
    if (search.stopped) { throw Stopped(); }
    if (journal) { journal->complete(); }
    return ok;
}

}  // namespace

const Command plan_command = {
    "plan",
    "which layout of a training step: a search under memory and placement",
    "SCENARIO [--vary PATH=VALUE,VALUE...]... [OPTION...]",
    joined_options(
        {scenario_options(),
         {
             {"vary", texts_value("PATH=VALUE,..."), "the values of one axis of the layout to search; repeatable"},
             {"best", whole_value("N"), "layouts to print (default 12)"},
             {"margin", whole_value("PERCENT"), "of the GPU's memory to leave free (default 0)"},
             {"draws", whole_value("N"), "random draws that tell whether differences are real (default 16; 0: none)"},
             {"journal", text_value("FILE"), "keep every forecast as it is made"},
             {"resume", {}, "go on from the journal"},
             {"json", text_value("FILE"), "write the result as JSON"},
             {"csv", text_value("FILE"), "write a line for each layout as CSV"},
             {"tsv", text_value("FILE"), "the same with tabs, for cut and awk"},
             {"html", text_value("FILE"), "write a report to hand over"},
             {"threads", whole_value("N"), "forecasts side by side (default and 0: every core)"},
             {"quiet", {}, "print no table"},
         }}),
    {{{"scenario", 1}}},
    plan_layout};

}  // namespace fabricast::cli
