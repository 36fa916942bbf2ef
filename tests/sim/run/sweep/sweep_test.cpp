// Points that run, fail, are the same; journals; files.

#include "sim/run/sweep/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/sqlite.hpp"
#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/report/html/page_html.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/report/result_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "sim/run/sweep/journal.hpp"
#include "sim/run/sweep/page.hpp"
#include "sim/run/sweep/result.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/trace_files.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

namespace fs = std::filesystem;

const std::string base_text =
    "name: small\nengine: analytic\ncluster: {node: dgx-h100, nodes: 2}\n"
    "workload: {kind: collective, collective: all_reduce, sizes: [1 MiB, 64 MiB]}\n";

Sweep sweep_of(const std::vector<std::string>& vary, const std::string& text = base_text) {
    std::vector<Variation> variations;
    for (const std::string& argument : vary) { variations.push_back(parse_variation(argument)); }
    return prepare_sweep(scenario_tree(text, "a.yaml"), "a.yaml", variations,
                         [](const Scenario&) { return read_catalog(); });
}

SweepOutcomes outcomes_of(const Sweep& sweep, std::size_t threads = 1) {
    SweepOutcomes outcomes;
    run_points(sweep, distinct_points(sweep), threads, nullptr, [&](std::size_t point, const SweepOutcome& outcome) {
        outcomes.emplace(sweep.read[point].key, outcome);
    });
    return outcomes;
}

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) { return error.what(); }
    return "";
}

}  // namespace

TEST_CASE("a point of a sweep is the run of the changed scenario, to the last bit") {
    const Sweep sweep = sweep_of({"cluster.nodes=1,2,4"});
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep));
    REQUIRE(result.rows.size() == 3 * 2);
    const Report alone = simulate(parse_scenario(base_text, "a.yaml", {"cluster.nodes=4"}), read_catalog());
    const Records records = records_of(alone.rows, row_columns());
    for (std::size_t size = 0; size < 2; ++size) {
        CHECK(result.rows[4 + size].point == 2);
        CHECK(result.rows[4 + size].figures == records.rows[size]);
    }
    CHECK(result.figures == records.columns);
}

// The first point asked is the largest cluster: with several threads it ends last.
TEST_CASE("line 19: a sweep's rows stand in the order in which its points were asked") {
    const Sweep sweep = sweep_of({"cluster.nodes=512,1,64,2", "workload.sizes=[64 MiB],[8 B]"});
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep, 4));
    REQUIRE(result.rows.size() == 4 * 2);
    for (std::size_t point = 0; point < result.rows.size(); ++point) {
        CHECK(result.rows[point].point == point);
        CHECK(result.rows[point].varied[0] == std::vector<std::string>{"512", "1", "64", "2"}[point / 2]);
        CHECK(result.rows[point].varied[1] == (point % 2 == 0 ? "[64 MiB]" : "[8 B]"));
    }
    const std::string csv = csv_text(records_of(result));
    const std::string table = sweep_table(result);
    const Json model = html::page_json(sweep_page(result, scenario_at(sweep, 0)));
    const Json& every = model.at("sections").at(model.at("sections").size() - 2);  // the last is the scenario
    REQUIRE(every.at("title") == "Every point");
    std::size_t in_csv = 0;
    std::size_t in_table = 0;
    for (std::size_t point = 0; point < result.rows.size(); ++point) {
        const std::vector<std::string>& varied = result.rows[point].varied;
        in_csv = csv.find("\n" + std::to_string(point) + "," + varied[0] + ",", in_csv);
        in_table = table.find(" " + varied[0] + "  ", in_table + 1);
        CHECK(in_csv != std::string::npos);
        CHECK(in_table != std::string::npos);
        CHECK(every.at("rows").at(point).at(1) == varied[0]);
    }
}

TEST_CASE("a sweep's page answers with its points, not with rows of a scaling table") {
    const std::string text = base_text + "scaling: {nodes: [1, 2]}\n";
    const auto answer = [](const Sweep& sweep) {
        return sweep_page(sweep_result(sweep, outcomes_of(sweep)), scenario_at(sweep, 0)).answer;
    };
    const std::vector<std::string> vary = {"cluster.nodes=2,4"};
    CHECK(answer(sweep_of(vary, text)) == answer(sweep_of(vary)));  // one node has three times the bandwidth
}

TEST_CASE("a sweep says of which points no time shows an event") {
    const Sweep sweep = sweep_of({"workload.sizes=[1 GiB],[64 MiB]", "engine=flow"},
                                 base_text + "events: [{device: leaf0, share: 0.5, until: 1 us}]\n");
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep));
    const auto place = std::ranges::find(result.figures, "idle_events") - result.figures.begin();
    REQUIRE(place < std::ssize(result.figures));
    CHECK_THAT(result.rows.at(0).figures.at(static_cast<std::size_t>(place)).dump(), ContainsSubstring("is not timed"));
}

TEST_CASE("points that ask the same thing, however it is written, run once and keep a row each") {
    const Sweep sweep = sweep_of({"workload.sizes=[1 MiB],[1024 KiB],[1048576 B],[2 MiB]"});
    CHECK(distinct_points(sweep) == std::vector<std::size_t>{0, 3});
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep));
    REQUIRE(result.rows.size() == 4);
    CHECK(result.rows[0].figures == result.rows[2].figures);
    CHECK(result.rows[0].figures != result.rows[3].figures);
    CHECK(result.rows[1].varied.front() == "[1024 KiB]");
}

TEST_CASE("a point that cannot be read, and one that fails when it runs, are rows with their error") {
    // No fabric joins two nodes; a broadcast has no root 99.
    const Sweep sweep = sweep_of({"cluster.fabric.kind=rail-optimized,none", "workload.root=0,99"});
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep));
    REQUIRE(result.rows.size() == 2 + 1 + 1 + 1);
    CHECK(result.rows[0].error.empty());
    CHECK_THAT(result.rows[2].error, ContainsSubstring("'root' is not a rank"));
    CHECK_THAT(result.rows[3].error, ContainsSubstring("several nodes need a fabric"));
    CHECK(result.rows[3].figures == std::vector<Json>(result.figures.size()));
    CHECK(failed_points(result) == 3);
    CHECK_THAT(sweep_table(result), ContainsSubstring("failed: "));
}

TEST_CASE("the number of threads changes nothing, and a stop keeps what was done") {
    const Sweep sweep = sweep_of({"cluster.nodes=1,2,3,4,5,6,7,8"});
    CHECK(csv_text(records_of(sweep_result(sweep, outcomes_of(sweep, 1)))) ==
          csv_text(records_of(sweep_result(sweep, outcomes_of(sweep, 3)))));
    std::atomic<bool> stop{false};
    std::size_t done = 0;
    CHECK_THROWS_AS(run_points(sweep, distinct_points(sweep), 2, &stop,
                               [&](std::size_t, const SweepOutcome&) {
                                   if (++done == 3) stop = true;  // and stays so
                               }),
                    Stopped);
    CHECK(done >= 3);
    CHECK(done < 8);
}

TEST_CASE("training, traces and collectives with a scaling table have columns of their own") {
    const std::string training =
        "name: t\ncluster: {node: dgx-h100, nodes: 1}\n"
        "workload: {kind: training, model: llama-3.1-8b, global_batch: 32, recompute: full, parallelism: {tensor: "
        "8}}\n";
    const Sweep one = sweep_of({"cluster.nodes=1,2"}, training);
    const SweepResult steps = sweep_result(one, outcomes_of(one));
    REQUIRE(steps.rows.size() == 2);
    const auto at = [&](const char* name) {
        return static_cast<std::size_t>(std::find(steps.figures.begin(), steps.figures.end(), name) -
                                        steps.figures.begin());
    };
    CHECK(steps.rows[0].figures.at(at("step_time_s")) > steps.rows[1].figures.at(at("step_time_s")));
    CHECK(steps.rows[0].figures.at(at("efficiency")).is_null());  // there is nothing to compare with
    const Sweep two =
        sweep_of({"seed=1,2"}, base_text + "scaling: {nodes: [1, 2]}\nassert: [\"busbw(1 MiB) > 1 TB/s\"]\n");
    const SweepResult scaled = sweep_result(two, outcomes_of(two));
    CHECK(scaled.rows.size() == 2 * (2 + 2));
    CHECK(scaled.figures.back() == "failed_asserts");
    CHECK_THAT(scaled.rows[0].figures.back().get<std::string>(), ContainsSubstring("busbw(1 MiB) > 1 TB/s: found"));
}

TEST_CASE("a point of a trace is another once a file of the trace has changed") {
    const TempFolder folder;
    const auto of = [&](const fs::path& trace) {
        return fingerprint(parse_scenario(
            "name: t\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: trace, file: \"" + trace.string() + "\"}\n",
            "t.yaml"));
    };
    const fs::path first = folder.write("rank0.yaml", "recording: 1\n"), all = folder.path() / "rank*.yaml";
    const std::string file = of(first), whole = of(folder.path()), pattern = of(all);
    CHECK(of(first) == file);
    folder.write("rank1.yaml", "recording: 1\n");
    CHECK(of(first) == file);
    CHECK(of(folder.path()) != whole);
    CHECK(of(all) != pattern);
    folder.write("rank0.yaml", "recording: 1\nworld: 2\n");
    CHECK(of(first) != file);
    CHECK(of(folder.path() / "absent.yaml") != file);
}

TEST_CASE("a point of a transfer has a row for each size, as run gives them") {
    const std::string text =
        "name: message\ncluster: {node: dgx-a100, nodes: 2}\nworkload: {kind: transfer, from: node0.gpu0, to: "
        "node1.gpu3, sizes: [8 B, 1 MiB]}\n";
    const Sweep sweep = sweep_of({"cluster.fabric.link=infiniband-edr,infiniband-hdr"}, text);
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep));
    REQUIRE(result.rows.size() == 4);
    const auto time = std::find(result.figures.begin(), result.figures.end(), "time_s") - result.figures.begin();
    const Report alone = simulate(scenario_at(sweep, 1), read_catalog());
    CHECK(result.rows[3].figures.at(static_cast<std::size_t>(time)).get<double>() == alone.rows.at(1).time_s);
}

TEST_CASE("a sweep says once that a key has an old name") {
    const Sweep sweep = sweep_of(
        {"seed=1,2"},
        "name: t\ncluster: {node: dgx-a100}\nworkload: {kind: transfer, from: node0.gpu0, to: node0.memory0, beside: "
        "[node0.gpu1 -> node0.memory0], sizes: [1 MiB]}\n");
    REQUIRE(sweep.notes.size() == 1);
    CHECK_THAT(sweep.notes[0], ContainsSubstring("`workload.beside` is now called"));
}

TEST_CASE("a journal cut at any byte loses at most the line it was cut in") {
    const ScratchFolder scratch("journal_cut");
    const fs::path path = scratch.path / "r.csv.journal";
    const Sweep sweep = sweep_of({"cluster.nodes=1,2,4"});
    const SweepOutcomes outcomes = outcomes_of(sweep);
    {
        Journal journal(path, sweep, Journal::Start::fresh);
        for (const auto& [key, outcome] : outcomes) { journal.append(key, outcome); }
    }
    const std::string whole = text_of(path);
    for (std::size_t cut = 0; cut <= whole.size(); cut += cut + 1 < whole.size() ? 7 : 1) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, cut);
        const auto lines =
            static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<long>(cut), '\n'));
        Journal journal(path, sweep, Journal::Start::resume);
        CHECK(journal.found().size() == (lines > 0 ? lines - 1 : 0));
        for (const auto& [key, outcome] : outcomes) {
            if (!journal.found().contains(key)) { journal.append(key, outcome); }
        }
        CHECK(text_of(path) == whole);
    }
}

TEST_CASE("a journal of something else, damaged, unfinished or in use is refused with words") {
    const ScratchFolder scratch("journal_other");
    const fs::path path = scratch.path / "r.csv.journal";
    const Sweep sweep = sweep_of({"cluster.nodes=1,2"});
    const SweepOutcomes outcomes = outcomes_of(sweep);
    const auto open = [&](const Sweep& of, Journal::Start start) {
        return message_of([&] { const Journal journal(path, of, start); });
    };
    {
        Journal journal(path, sweep, Journal::Start::fresh);
        journal.append(outcomes.begin()->first, outcomes.begin()->second);
        CHECK_THAT(open(sweep, Journal::Start::resume), ContainsSubstring("is being written by another sweep"));
    }
    CHECK_THAT(open(sweep, Journal::Start::fresh), ContainsSubstring("holds 1 finished points of an unfinished sweep"));
    // More points of the same scenario go on from the same journal; another scenario does not.
    CHECK(open(sweep_of({"cluster.nodes=1,2,8"}), Journal::Start::resume).empty());
    CHECK_THAT(open(sweep_of({"cluster.nodes=1,2"}, base_text + "seed: 2\n"), Journal::Start::resume),
               ContainsSubstring("is the journal of another state of the scenario"));
    const std::string whole = text_of(path);
    const auto rewritten = [&](const std::string& from, const std::string& to) {
        std::string text = whole;
        text.replace(text.find(from), from.size(), to);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    };
    rewritten("\"version\":\"" + std::string(version()), "\"version\":\"0.0.0");
    CHECK_THAT(open(sweep, Journal::Start::resume), ContainsSubstring("is the journal of another version"));
    rewritten("{\"fabricast_journal\":2", "{\"fabricast_journal\":1");
    CHECK_THAT(open(sweep, Journal::Start::resume),
               ContainsSubstring("is the journal of another form (found 1 of fabricast \"" + std::string(version()) +
                                 "\", this sweep has 2)"));
    rewritten("{\"fabricast_journal\"", "fabricast_journal\"");
    CHECK_THAT(open(sweep, Journal::Start::resume), ContainsSubstring("is damaged in line 1"));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << "{\"a\":1}\n";
    CHECK_THAT(open(sweep, Journal::Start::resume), ContainsSubstring("is not a journal of a sweep"));
    {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << whole;
        Journal journal(path, sweep, Journal::Start::resume);
        journal.complete();
    }
    CHECK(open(sweep, Journal::Start::fresh).empty());  // done: a new one may begin
}

TEST_CASE("a value changed in a journal is noticed, and the point run again where it was the last") {
    const ScratchFolder scratch("journal_sum");
    const fs::path path = scratch.path / "r.csv.journal";
    const Sweep sweep = sweep_of({"cluster.nodes=1,2"});
    const SweepOutcomes outcomes = outcomes_of(sweep);
    {
        Journal journal(path, sweep, Journal::Start::fresh);
        for (const auto& [key, outcome] : outcomes) { journal.append(key, outcome); }
    }
    const std::string whole = text_of(path);
    const auto changed = [&](std::size_t from) {
        std::string text = whole;
        const std::size_t digit = text.find_first_of("123456789", text.find("\"rows\"", from));
        text[digit] = text[digit] == '9' ? '8' : '9';
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    };
    changed(0);
    CHECK_THAT(message_of([&] { const Journal journal(path, sweep, Journal::Start::resume); }),
               ContainsSubstring("is damaged in line 2"));
    changed(whole.rfind('\n', whole.size() - 2));
    CHECK(Journal(path, sweep, Journal::Start::resume).found().size() == outcomes.size() - 1);
}

TEST_CASE("the same result gives the same SQLite file, with the table of the CSV") {
    if (!has_sqlite()) { SKIP_TEST("this build has no SQLite"); }
    const ScratchFolder scratch("sqlite");
    const Sweep sweep = sweep_of({"cluster.nodes=1,2", "workload.root=0,99"});
    const SweepResult result = sweep_result(sweep, outcomes_of(sweep));
    write_result(scratch.path / "a.sqlite", result);
    write_result(scratch.path / "b.db", result);
    const std::string bytes = text_of(scratch.path / "a.sqlite");
    CHECK(bytes.starts_with("SQLite format 3"));
    CHECK(bytes == text_of(scratch.path / "b.db"));
    CHECK_THAT(bytes, ContainsSubstring("\"cluster.nodes\", \"workload.root\""));
    CHECK_THAT(bytes, ContainsSubstring("'root' is not a rank"));
    CHECK_THROWS_AS(write_result(scratch.path / "no" / "a.sqlite", result), IoError);
    CHECK(std::distance(fs::directory_iterator(scratch.path), {}) == 2);  // nothing half-written
}
