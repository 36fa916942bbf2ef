#include "sim/run/jobs/mix_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::inline jobs {

namespace {

using html::Unit;

std::string ratio_text(double ratio) { return fmt::format("{:.3f}", ratio); }

std::string blame_words(const MixedJob& job) {
    if (job.blamed.empty()) { return "nobody"; }
    if (!(job.own_share > 0)) { return fmt::format("{}: {}", job.blamed, job.meeting); }
    return fmt::format("{}: both need {}, {} of it and {}", job.blamed, job.meeting, percent(job.own_share),
                       percent(job.blamed_share));
}

Columns<MixedJob> columns() {
    using C = report::Column<MixedJob>;
    using J = MixedJob;
    return {
        C("job", "Its name.", &J::name).printed("job", -12, "", {}, 2).on_page("job"),
        C("nodes", "Nodes.", &J::nodes).printed("nodes", 6).on_page("nodes", Unit::count),
        C("gpus", "GPUs.", &J::gpus).printed("gpus", 6).on_page("GPUs", Unit::count),
        C("alone_s", "One call in the steady state, on the fabric alone.", &J::alone_s)
            .printed("alone", 11, "", time_text)
            .on_page("alone", Unit::time),
        C("together_s", "The same while all jobs run.", &J::together_s)
            .printed("together", 11, "", time_text)
            .on_page("together", Unit::time),
        C("slowdown", "Together / alone.", &J::slowdown).printed("slowdown", 9, "", ratio_text).on_page("slowdown"),
        C("blamed", "The job that slows it most.", &J::blamed),
        C("meeting", "The link on which they meet.", &J::meeting),
        C("own_share", "Of that link's capacity, that it takes alone.", &J::own_share),
        C("blamed_share", "The same of the other.", &J::blamed_share),
        C(blame_words).printed("slowed by", -60, "", {}, 2).on_page("slowed by"),
        C("what", "What it runs.", &J::what).printed("runs", 0, "", {}, 2).on_page("runs"),
    };
}

// A job's line of the matrix: slower beside which by how much.
Columns<MixedJob> matrix(const JobMix& mix) {
    using C = report::Column<MixedJob>;
    Columns<MixedJob> columns = {
        C("job", "Its name.", &MixedJob::name).printed("beside", -12, "", {}, 2).on_page("of")};
    for (std::size_t j = 0; j < mix.jobs.size(); ++j) {
        const std::string& name = mix.jobs[j].name;
        columns.push_back(
            C("beside_" + name, "Slowdown beside it alone.", [j](const MixedJob& job) { return job.beside[j]; })
                .printed(name, std::max(9, static_cast<int>(name.size()) + 1), "", ratio_text)
                .on_page("beside " + name));
    }
    return columns;
}

}  // namespace

std::string mix_table(const Scenario& scenario, const JobMix& mix, std::size_t width) {
    std::string lines = fmt::format("# {}: {} on {} nodes, each call after call\n", scenario.name,
                                    plural(mix.jobs.size(), "job"), scenario.cluster.nodes) +
                        text_table(mix.jobs, fitted(columns(), width));
    if (mix.jobs.size() > 2) { lines += "#\n" + text_table(mix.jobs, matrix(mix)); }
    for (const std::string& note : mix.notes) { lines += "# " + note + "\n"; }
    return lines;
}

Json mix_json(const Scenario& scenario, const JobMix& mix) {
    Json json = document_head(scenario);
    json["jobs"] = records_json(mix.jobs, columns());
    json["slowdowns"] = records_json(mix.jobs, matrix(mix));
    json["figures"] = records_json(mix.figures, figure_used_columns());
    std::vector<std::string> notes = mix.notes;
    merge_notes(notes, mix.evidence_notes);
    json["notes"] = notes;
    return json;
}

Records mix_records(const JobMix& mix) { return records_of(mix.jobs, columns()); }

html::Page mix_page(const Scenario& scenario, const JobMix& mix) {
    html::Page page;
    page.title = scenario.name;
    const MixedJob& worst = *std::ranges::max_element(mix.jobs, {}, &MixedJob::slowdown);
    page.answer = worst.blamed.empty() ? std::string("No job is slowed by another.")
                                       : fmt::format("Together, job {} takes {} times as long as alone; slowed by {}.",
                                                     worst.name, ratio_text(worst.slowdown), blame_words(worst));
    page.sections.emplace_back(
        page_table("Jobs", "One call in the steady state, alone and while all jobs run.", mix.jobs, columns()));
    page.sections.emplace_back(
        page_table("Which slows which", "Beside one other job alone, against alone.", mix.jobs, matrix(mix)));
    page.figures = mix.figures;
    page.evidence = mix.evidence_notes;
    page.notes = mix.notes;
    add_provenance(page, scenario);
    return page;
}

}  // namespace fabricast::inline jobs
