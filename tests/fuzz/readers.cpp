// The table of targets: every reader of the program, with what happens next to that which it reads.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>

#include "base/hash.hpp"
#include "discovery/format.hpp"
#include "discovery/site/checks.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/plan/traces/import.hpp"
#include "sim/plan/traces/recording_yaml.hpp"
#include "sim/plan/traces/replayed.hpp"
#include "sim/report/result_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/journal.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/vary.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/trace_files.hpp"
#include "topologies/catalog_folder.hpp"
#include "validate/curves/derive.hpp"
#include "validate/import/formats.hpp"

namespace fabricast::fuzz {

namespace {

const Catalog& catalogue() {
    static const Catalog catalog = models::read_catalog();
    return catalog;
}

const Fabric& eight_gpus() {
    static const Fabric fabric(
        build(parse_scenario("name: f\ncluster: {node: dgx-h100}\nworkload: {kind: collective}\n", "fuzz.yaml"),
              catalogue()));
    return fabric;
}

// Readers that want a file get one in a folder of this process.
std::filesystem::path as_file(std::string_view bytes, const std::string& name) {
    static const test::TempFolder folder;
    return folder.write(name, bytes);
}

void scenario_of_bytes(std::string_view bytes) {
    const Scenario scenario = parse_scenario(bytes, "fuzz.yaml");
    build(scenario, catalogue());
}

void overrides_of_bytes(std::string_view bytes) {
    const std::string text(bytes);
    parse_scenario("name: f\ncluster: {node: dgx-h100}\nworkload: {kind: collective}\n", "fuzz.yaml", {text});
}

void variation_of_bytes(std::string_view bytes) {
    for (const SweepValue& value : parse_variation(bytes).values) { value_json(value); }
}

// Figures of any size, as far as they make a network.
void try_out(const Catalog& catalog) {
    const Scenario two = parse_scenario(
        "name: f\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: collective, sizes: [1 MiB]}\n", "fuzz.yaml");
    simulate(two, catalog);
}

void parts_of_bytes(std::string_view bytes) {
    const std::filesystem::path file = as_file(bytes, "catalog.yaml");
    read_catalog(file.parent_path());
}

bool same_figures(const Part& a, const Part& b) {
    return std::ranges::equal(a.figures, b.figures, [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.unit == y.second.unit && x.second.value == y.second.value &&
               x.second.low80 == y.second.low80 && x.second.high80 == y.second.high80;
    });
}

void overlay_of_bytes(std::string_view bytes) {
    static Catalog catalog = catalogue();  // one for all inputs: a copy for each would be most of the time
    const yaml::Node overlay = yaml::parse(bytes, "overlay.yaml");
    const auto for_each_named = [&](const auto& take) {
        for (const yaml::Node& part : overlay.members()) {
            if (const auto known = catalogue().parts.find(part.name); known != catalogue().parts.end()) {
                take(catalog.parts.at(part.name), known->second);
            }
        }
    };
    try {
        merge_overlay(catalog, overlay);
    } catch (const InputError&) {
        if (overlay.is_map()) {
            for_each_named([](const Part& now, const Part& before) {
                require(same_figures(now, before), "a refused overlay left a mark");
            });
        }
        throw;
    }
    const std::unique_ptr<Catalog, std::function<void(Catalog*)>> restored(
        &catalog, [&](Catalog*) { for_each_named([](Part& now, const Part& before) { now = before; }); });
    try_out(catalog);
}

// What a reader took must read the same after it was written, and describe a system or refuse to.
void use(const Measurement& measurement) {
    Measurement again;
    try {
        again = parse_measurement(to_yaml(measurement), "again.yaml");
    } catch (const InputError& error) { require(false, error.what()); }
    require(again.columns == measurement.columns && again.rows == measurement.rows,
            "a measurement reads differently after it was written");
    derive(measurement);
}

void measurement_of_bytes(std::string_view bytes) {
    for (const Measurement& one : split_series(parse_measurement(bytes, "fuzz.yaml"))) { use(one); }
}

void log_of_bytes(std::string_view bytes, std::string_view format) {
    for (const Measurement& one : import_log(std::string(bytes), "fuzz.log", format)) { use(one); }
}

// As `fabricast import` keeps it.
std::string kept(const Recording& recording) {
    try {
        return recording_yaml(recording);
    } catch (const std::length_error& error) { throw InputError("fuzz", error.what()); }
}

void trace_of_bytes(std::string_view bytes, const TraceFormat& format) {
    const std::filesystem::path file = as_file(bytes, "trace.0");
    Recording recording = import_trace({file, &format, Bytes{1 << 20}});
    std::size_t records = 0;
    for (const RankRecording& rank : recording.ranks) { records += rank.records.size(); }
    if (records > 200) { return; }  // what follows is not a reading, and takes time by their number
    const std::string text = kept(recording);
    Recording again;
    again.names.emplace_back();  // number 0: no name, as import_trace has it
    read_recording(text, "again.yaml", again);
    require(recording_yaml(again) == text, "a recording reads differently after it was written");
    RecordedJob job = recorded_job(recording, eight_gpus().gpu_count(), 0);
    const LibrarySpec library;
    PlannedCalls calls(eight_gpus(), library, catalogue());
    const GpuScaling scaling = gpu_scaling(catalogue(), eight_gpus().node().gpu, "", recording.recorded_on);
    const Replayed replayed = make_replayed(recording, job, eight_gpus(), scaling, calls);
    if (replayed.schedule.size() < 2000) { replay(Flow{}, eight_gpus(), replayed.schedule); }
}

// What stands in a file; a list of a few bytes may name 200,000 hosts.
std::size_t size_of(const Observations& seen) {
    std::size_t all = seen.devices.size() + seen.cables.size();
    for (const GroupSeen& group : seen.groups) { all += group.hosts.size() + group.groups.size(); }
    return all;
}

void site_of_bytes(std::string_view bytes, const SiteFormat& format) {
    const SourceText source(std::string(bytes), "fuzz.txt");
    if (!format.fits(source)) { return; }
    std::vector<Observations> seen;
    seen.push_back(format.read(source));
    if (size_of(seen.front()) > 5000) { return; }  // what follows is not a reading, and takes time by its size
    Site site = join(std::move(seen));
    const Description made =
        describe(site, catalogue(), {"fuzz", "", {"h100-sxm", "connectx-7", "xeon-sapphire-rapids"}, ""});
    check(site, made, catalogue(), {});
    // The scenario that a site makes is one that the program reads.
    build(parse_scenario(made.yaml, "described.yaml"), catalogue());
}

void journal_of_bytes(std::string_view bytes) {
    Sweep sweep;
    sweep.name = "fuzz";
    sweep.fingerprint = "0";
    read_journal(as_file(bytes, "fuzz.journal"), sweep);
}

// What stands behind a checksum, which no change of bytes would meet: the members of a point.
void journal_line_of_bytes(std::string_view bytes) {
    const std::string rest = std::string(bytes) + "}";
    journal_of_bytes(
        fmt::format("{{\"fabricast_journal\":2,\"version\":\"{}\",\"scenario\":\"fuzz\",\"fingerprint\":\"0\"}}\n"
                    "{{\"sum\":\"{:016x}\",{}\n",
                    version(), fnv1a(rest), rest));
}

// gzip and tar, one within the other as recordings come.
void archive_of_bytes(std::string_view bytes) {
    InputFile file(as_file(bytes, "fuzz.tar.gz"));
    do { read_rest(file, 1 << 24); } while (file.next_member());
}

std::vector<Target> all_targets() {
    std::vector<Target> all = {
        {"scenario", scenario_of_bytes, "scenarios/*.yaml tests/cli/bad/*.yaml"},
        {"override", overrides_of_bytes},
        {"variation", variation_of_bytes},
        {"catalogue", parts_of_bytes},
        {"overlay", overlay_of_bytes},
        {"measurement", measurement_of_bytes, "validate/measurements/other/*.yaml"},
        {"journal", journal_of_bytes},
        {"journal-line", journal_line_of_bytes},
        {"archive", archive_of_bytes},
        {"random-scenario", run_random_scenario},
    };
    for (const LogFormat& format : log_formats()) {
        all.push_back({"log-" + std::string(format.name),
                       [name = format.name](std::string_view bytes) { log_of_bytes(bytes, name); },
                       "tests/validate/import/*.txt tests/validate/import/*.json"});
    }
    for (const TraceFormat* format : trace_formats()) {
        all.push_back({"trace-" + std::string(format->name),
                       [format](std::string_view bytes) { trace_of_bytes(bytes, *format); }});
    }
    for (const SiteFormat& format : site_formats()) {
        all.push_back(
            {"site-" + std::string(format.name), [&format](std::string_view bytes) { site_of_bytes(bytes, format); }});
    }
    return all;
}

}  // namespace

const std::vector<Target>& targets() {
    static const std::vector<Target> all = all_targets();
    return all;
}

void require(bool holds, std::string_view what) {
    if (holds) { return; }
    std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

void feed(const Target& target, std::string_view bytes) {
    try {
        target.take(bytes);
    } catch (const Error& error) {
        require(error.exit_code != ExitCode::internal_or_io, error.what());
        require(!error.message.empty() && error.message.find('\n') == std::string::npos, "an error is one line");
        require(!error.place || (error.place->line >= 1 && error.place->column >= 1), "an error's place counts from 1");
    }
}

}  // namespace fabricast::fuzz
