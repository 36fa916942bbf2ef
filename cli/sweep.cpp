// fabricast sweep SCENARIO: many points of one scenario, on all cores or many machines, resumed after a crash.

#include "sim/run/sweep/sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/sqlite.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/mpi.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "models/evidence.hpp"
#include "sim/report/html/page_html.hpp"
#include "sim/run/sweep/journal.hpp"
#include "sim/run/sweep/page.hpp"
#include "sim/run/sweep/result.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"

namespace fabricast::cli {

namespace {

namespace fs = std::filesystem;

// What the command line of `fabricast sweep` asks for.
struct SweepRequest {
    const po::variables_map& values;
    fs::path out;  // if empty, the table is printed, or CSV if `to_stdout`
    bool to_stdout = false;
    std::optional<Shard> shard = {};
    std::size_t threads = 1;

    bool asks(const char* option) const { return values.contains(option); }
};

Shard shard_of(const std::string& text) {
    const std::size_t slash = std::min(text.find('/'), text.size() - 1);
    const auto index = number_in<std::size_t>(text.substr(0, slash));
    const auto count = number_in<std::size_t>(text.substr(slash + 1));
    if (!index || !count || *index < 1 || *index > *count) {
        throw UsageError(error_message("--shard takes a part of a whole", shown(text), "1/8 to 8/8"));
    }
    return {*index - 1, *count};
}

// Throws UsageError; MissingCharts if the page asked for cannot be drawn.
SweepRequest sweep_request(const po::variables_map& values) {
    SweepRequest request{values, text_of(values, "out")};
    request.to_stdout = request.out == "-";
    if (request.to_stdout) { request.out.clear(); }
    request.threads = threads_of(values);
    if (values.contains("shard")) { request.shard = shard_of(text_of(values, "shard")); }
    const bool merges = request.asks("merge");
    if (request.out.empty() && (request.asks("resume") || merges || request.shard)) {
        throw UsageError("--resume, --shard and --merge go with --out FILE");
    }
    if (request.shard && merges) { throw UsageError("--merge puts all shards together: it takes no --shard"); }
    return request;
}

// Fails before a long run, not after it, if the result could not be written to `out`, which may be empty.
void check_out(const fs::path& out) {
    if (out.empty()) { return; }
    const std::optional<ResultKind> kind = result_kind(out);
    if (!kind) {
        throw UsageError(
            error_message("--out has no known ending", shown(out.string()), "a name in .csv, .tsv or .sqlite"));
    }
    if (kind == ResultKind::sqlite && !has_sqlite()) {
        throw MissingSqlite(out.string() + ": this build has no SQLite (accepted: a name that ends in .csv)");
    }
}

Sweep read_sweep(const po::variables_map& values, Outputs& outputs) {
    const fs::path file = scenario_file(values);
    std::vector<Variation> vary;
    for (const std::string& argument : texts_of(values, "vary")) { vary.push_back(parse_variation(argument)); }
    bool kept = false;  // once is enough: all points read the same files
    return prepare_sweep(scenario_tree(file, overrides_of(values)), file, vary, [&](const Scenario& scenario) {
        if (!kept) {
            outputs.keep(scenario);
            kept = true;
        }
        return catalog_of(values, &scenario);
    });
}

// The distinct points of this job's shard that are not done yet.
std::vector<std::size_t> points_to_run(const Sweep& sweep, const SweepRequest& request, const SweepOutcomes& done) {
    std::vector<std::size_t> all = distinct_points(sweep);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool mine = !request.shard || i % request.shard->count == request.shard->index;
        if (mine && !done.contains(sweep.read[all[i]].key)) { left.push_back(all[i]); }
    }
    return left;
}

// Runs `points`, here or on all ranks, and calls `finished` for each.
void run_all(const Sweep& sweep, const std::vector<std::size_t>& points, const SweepRequest& request, Ranks* ranks,
             const std::function<void(std::size_t, const SweepOutcome&)>& finished) {
    if (ranks == nullptr) {
        run_points(sweep, points, request.threads, &stop_flag(), finished);
        return;
    }
    const auto compute = [&](std::size_t point) {
        return outcome_json(run_point(sweep, point, &stop_flag())).dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    ranks->share(points, sweep.one_thread ? 1 : request.threads, stop_flag(), compute,
                 [&](std::size_t point, const std::string& text) { finished(point, outcome_of(Json::parse(text))); });
}

// Writes the table or the file, prints a summary line, and returns the exit code.
ExitCode report(const Sweep& sweep, const SweepOutcomes& outcomes, const SweepRequest& request) {
    const std::string page = text_of(request.values, "html");
    std::ostream& words_to = request.to_stdout || page == "-" ? std::cerr : std::cout;
    const SweepResult result = sweep_result(sweep, outcomes);
    const std::size_t failed = failed_points(result);
    const std::size_t points = sweep.read.size();
    if (!request.out.empty()) {
        write_result(request.out, result);
    } else if (request.to_stdout) {
        write_output("-", csv_text(records_of(result)));
    } else if (!request.asks("quiet")) {
        words_to << sweep_table(result);
    }
    if (!page.empty()) {
        const auto read = std::ranges::find_if(sweep.read, [](const SweepPoint& p) { return !p.key.empty(); });
        const Scenario first = scenario_at(sweep, static_cast<std::size_t>(read - sweep.read.begin()));
        write_output(page, html::page_html(sweep_page(result, first)));
    }
    if (!request.asks("quiet")) {
        const std::size_t distinct = distinct_points(sweep).size();
        words_to << "# " << plural(points, "point")
                 << (distinct < points ? ", " + std::to_string(distinct) + " distinct" : "")
                 << (failed > 0 ? ", " + std::to_string(failed) + " failed" : "")
                 << (request.out.empty() ? "" : ", in " + request.out.string()) << "\n";
        std::vector<std::string> notes = sweep.notes;
        if (const auto idle = std::ranges::find(result.figures, "idle_events"); idle != result.figures.end()) {
            const auto place = static_cast<std::size_t>(idle - result.figures.begin());
            for (const SweepRow& row : result.rows) {
                if (row.error.empty() && row.figures[place].is_string()) {
                    merge_notes(notes, {fmt::format("point {}: {}", row.point, row.figures[place].get<std::string>())});
                }
            }
        }
        for (const std::string& note : notes) { words_to << "# " << note << "\n"; }
    }
    if (failed == points) { throw UsageError("every point failed; the first: " + result.rows.front().error); }
    const auto column = std::ranges::find(result.figures, "failed_asserts");
    if (column == result.figures.end()) { return ok; }
    const auto place = static_cast<std::size_t>(column - result.figures.begin());
    std::size_t unmet = 0, last = points;
    for (const SweepRow& row : result.rows) {
        if (row.error.empty() && !row.figures[place].is_null() && row.point != last) {
            last = row.point;
            ++unmet;
            std::cerr << "point " << row.point << ": assert failed: " << row.figures[place].get<std::string>() << "\n";
        }
    }
    return unmet == 0 ? ok : assert_failed;
}

ExitCode run_sweep(const Sweep& sweep, const SweepRequest& request, Ranks* ranks) {
    SweepOutcomes done;
    const bool resumes = request.asks("resume"), merges = request.asks("merge");
    if (!request.out.empty() && !request.shard && (resumes || merges)) {
        for (const fs::path& path : shard_journals(request.out)) { done.merge(read_journal(path, sweep)); }
    }
    if (merges) {
        if (fs::exists(journal_path(request.out))) { done.merge(read_journal(journal_path(request.out), sweep)); }
        if (const std::size_t missing = points_to_run(sweep, request, done).size(); missing > 0) {
            throw JournalError(request.out.string() + ": " + plural(missing, "point") +
                               " in no journal (accepted: all shards run, or --resume to run the rest here)");
        }
        return report(sweep, done, request);
    }
    std::optional<Journal> journal;
    if (!request.out.empty()) {
        journal.emplace(journal_path(request.out, request.shard), sweep,
                        resumes ? Journal::Start::resume : Journal::Start::fresh);
        done.insert(journal->found().begin(), journal->found().end());
    }
    const std::vector<std::size_t> points = points_to_run(sweep, request, done);
    Progress progress(points.size(), wants_progress(request.values));
    try {
        run_all(sweep, points, request, ranks, [&](std::size_t point, const SweepOutcome& outcome) {
            const std::string& key = sweep.read[point].key;
            if (journal) { journal->append(key, outcome); }
            done.insert_or_assign(key, outcome);
            progress.piece_done();
        });
    } catch (const Stopped&) {
        progress.clear();
        if (journal) {
            std::cerr << plural(done.size(), "finished point") << " kept in "
                      << journal_path(request.out, request.shard).string() << ": go on with --resume\n";
        } else if (!request.asks("quiet")) {
            std::cout << sweep_table(sweep_result(sweep, done));
        }
        throw;
    }
    progress.clear();
    if (request.shard) {
        journal->complete();
        if (!request.asks("quiet")) {
            std::cout << "# shard " << request.shard->index + 1 << " of " << request.shard->count << ": "
                      << plural(points.size(), "point") << " run; --merge when all shards are done\n";
        }
        return ok;
    }
    const ExitCode code = report(sweep, done, request);
    if (journal) { journal->complete(); }
    return code;
}

// Rank 0's part. A failure while other ranks compute aborts all ranks; before and after that, they exit by themselves.
ExitCode lead_ranks(Ranks& ranks, const Sweep& sweep, const SweepRequest& request) {
    try {
        return run_sweep(sweep, request, &ranks);
    } catch (const std::exception& failure) {
        if (ranks.sharing()) { ranks.abort(report_error("fabricast", failure)); }
        ranks.dismiss();
        throw;
    }
}

// The sweep under mpirun: every rank reads the scenario, all ranks must have read the same, and rank 0 leads.
ExitCode sweep_with_ranks(const po::variables_map& values) {
    Ranks ranks;
    std::optional<Sweep> sweep;
    std::optional<SweepRequest> request;
    std::string error;
    std::exception_ptr own;
    try {
        request.emplace(sweep_request(values));
        Outputs outputs(values, {"out", "html"});
        if (ranks.first()) { check_out(request->out); }
        sweep = read_sweep(values, outputs);
    } catch (const std::exception& failure) {
        error = failure.what();
        own = std::current_exception();
    }
    if (!ranks.agree(sweep ? identity_of(*sweep) : "", error)) {
        if (!ranks.first()) { return ok; }  // rank 0 reports the error: mpirun would kill it as soon as another fails
        if (own) { std::rethrow_exception(own); }
        throw UsageError(error);
    }
    if (!ranks.first()) {
        run_all(*sweep, {}, *request, &ranks, [](std::size_t, const SweepOutcome&) {});
        return ok;
    }
    const ExitCode code = lead_ranks(ranks, *sweep, *request);
    ranks.dismiss();
    return code;
}

ExitCode sweep_scenario(const po::variables_map& values) {
    if (several_ranks()) { return sweep_with_ranks(values); }
    const SweepRequest request = sweep_request(values);
    Outputs outputs(values, {"out", "html"});
    check_out(request.out);
    return run_sweep(read_sweep(values, outputs), request, nullptr);
}

}  // namespace

const Command sweep_command = {
    "sweep",
    "many points of a scenario: grid, list or random; resumed after any end",
    "SCENARIO [--vary PATH=VALUE,VALUE...]... [OPTION...]",
    joined_options(
        {{
             {"vary", texts_value("PATH=V1,V2..."), "a key and its values; repeatable: every combination is a point"},
         },
         scenario_options(),
         {
             {"out", text_value("FILE"), "write the result: .csv, .tsv, .sqlite, or - for CSV on standard output"},
             {"html", text_value("FILE"), "write a report to hand over"},
             {"resume", {}, "go on where a sweep with this --out was ended"},
             {"shard", text_value("I/N"), "run only the I-th of N parts, from 1; needs --out"},
             {"merge", {}, "run nothing: put the journals of all shards together into --out"},
             {"threads", whole_value("N"), "points to run side by side (default and 0: every core)"},
             {"quiet", {}, "print no table and no progress"},
         }}),
    {{{"scenario", 1}}},
    sweep_scenario};

}  // namespace fabricast::cli
