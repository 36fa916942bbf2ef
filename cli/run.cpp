// fabricast run SCENARIO: runs one scenario and prints its forecast.

#include <algorithm>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/mpi.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "models/evidence.hpp"
#include "sim/plan/collectives/nccl/release.hpp"
#include "sim/report/failed_asserts.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/packet_picture.hpp"
#include "sim/report/result_file.hpp"
#include "sim/report/table.hpp"
#include "sim/report/trace.hpp"
#include "sim/run/best/best_report.hpp"
#include "sim/run/idle_settings.hpp"
#include "sim/run/jobs/mix_report.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/sweep/fingerprint.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"

namespace fabricast::cli {

namespace {

// Prints rows of the table as they arrive, and keeps them for the files.
class TablePrinter {
public:
    TablePrinter(const Scenario& scenario, const Catalog& catalog, const po::variables_map& values,
                 const Outputs& outputs, bool prints)
        : scenario_(scenario),
          catalog_(catalog),
          quiet_(values.contains("quiet") || !prints),
          width_(outputs.width()),
          out_(outputs.words()),
          progress_(pieces_of(scenario), wants_progress(values) && prints) {}

    void add(const Row& row) {
        progress_.clear();
        if (!quiet_) {  // the header is printed with the first row, so that bad input prints nothing
            out_ << (rows_.empty() ? table_header(scenario_, width_, library()) : "") << table_row(row, width_)
                 << std::flush;
        }
        rows_.push_back(row);
        progress_.piece_done();
    }

    void finish(const Report& report) {
        progress_.clear();
        if (!quiet_) {
            out_ << step_table(scenario_, report.steps, width_, library()) << replay_lines(scenario_, report, library())
                 << scaling_table(report.points) << table_footer(scenario_, report) << std::flush;
        }
    }

    const std::vector<Row>& rows() const { return rows_; }
    Progress& progress() { return progress_; }

private:
    const std::string& library() {
        if (library_.empty()) {
            library_ = nccl::library_name(nccl::library_of(catalog_, build(scenario_, catalog_).node.gpu.name));
        }
        return library_;
    }

    const Scenario& scenario_;
    const Catalog& catalog_;
    std::string library_;  // what the collectives' is called; empty: not asked for yet
    bool quiet_;
    std::size_t width_;
    std::ostream& out_;
    std::vector<Row> rows_;
    Progress progress_;
};

// Whether an output needs the time spans of operations, not only the figures.
bool wants_spans(const po::variables_map& values, const Scenario& scenario) {
    return values.contains("trace") ||
           (values.contains("html") && (std::holds_alternative<TrainingWorkload>(scenario.workload) ||
                                        std::holds_alternative<TraceWorkload>(scenario.workload)));
}

void write_files(const Outputs& outputs, const Scenario& scenario, const Catalog& catalog, const Report& report) {
    outputs.write_json([&] { return result_json(scenario, report); });
    outputs.write_table([&] { return result_records(scenario, report); });
    outputs.write("trace", [&] { return chrome_trace(report.trace, report.packets); });
    outputs.write("svg", [&] { return packet_picture(report); });
    outputs.write_page([&] {
        const Fabric fabric(build(scenario, catalog));
        return html::run_page(scenario, report, fabric, link_events(scenario, fabric, catalog));
    });
}

// What NCCL could choose, beside what it does choose.
ExitCode run_best(const po::variables_map& values, const Scenario& scenario, const Outputs& outputs) {
    for (const char* name : {"csv", "tsv", "trace", "svg"}) {
        if (values.contains(name)) { throw UsageError("--best has no --{} (accepted: --json, --tuner, --html)", name); }
    }
    const Catalog catalog = catalog_of(values, &scenario);
    const std::vector<BestRow> rows = watched(values, [&](const Watch& watch) {
        return best_choices(scenario, catalog, {.threads = threads_of(values, &scenario), .seed = scenario.seed},
                            watch);
    });
    if (!values.contains("quiet")) { outputs.words() << best_table(scenario, rows); }
    outputs.write_json([&] { return best_json(scenario, rows); });
    outputs.write_page([&] { return best_page(scenario, rows); });
    outputs.write("tuner", [&] { return tuner_file(scenario, Fabric(build(scenario, catalog)), rows); });
    return ok;
}

// Several jobs that share the cluster.
ExitCode run_jobs(const po::variables_map& values, const Scenario& scenario, const Outputs& outputs) {
    for (const char* name : {"trace", "svg", "best", "tuner"}) {
        if (values.contains(name)) {
            throw UsageError("a scenario with jobs has no --{} (accepted: --json, --csv, --html)", name);
        }
    }
    const Catalog catalog = catalog_of(values, &scenario);
    const JobMix mix = watched(
        values, [&](const Watch& watch) { return mix_jobs(scenario, catalog, threads_of(values, &scenario), watch); });
    if (!values.contains("quiet")) { outputs.words() << mix_table(scenario, mix, outputs.width()) << std::flush; }
    outputs.write_json([&] { return mix_json(scenario, mix); });
    outputs.write_table([&] { return mix_records(mix); });
    outputs.write_page([&] { return mix_page(scenario, mix); });
    return ok;
}

// Ranks share each packet replay, one thread each; nothing else is shared.
void check_shared(const po::variables_map& values, const Scenario& scenario) {
    if (!std::holds_alternative<Packet>(scenario.engine)) {
        throw UsageError(error_message("several ranks share a run of engine packet only",
                                       std::string(traits_of(scenario.engine).name),
                                       "--engine packet, one process, or sweep"));
    }
    if (!scenario.jobs.empty() || values.contains("best")) {
        throw UsageError("several ranks share neither jobs nor --best (accepted: one process)");
    }
    if (whole_of(values, "threads", 1, 0, std::numeric_limits<int>::max()) > 1) {
        throw UsageError("a rank of a run has one thread (accepted: --threads 1, and more ranks)");
    }
}

// That the other ranks have read the same.
void check_alike(ReplayPeers& peers, const std::string& read) {
    const auto bytes = std::as_bytes(std::span(read));
    const Peers::Message own(bytes.begin(), bytes.end());
    const std::vector<Peers::Message> from_each = peers.tell_all(own);
    for (std::uint32_t r = 0; r < from_each.size(); ++r) {
        if (r != peers.rank() && from_each[r] != own) {
            throw UsageError("ranks {} and {} read different scenarios or catalogues", std::min(r, peers.rank()),
                             std::max(r, peers.rank()));
        }
    }
}

// With `peers`, as one of several ranks, of which only the first prints and writes.
ExitCode run_with(const po::variables_map& values, ReplayPeers* peers) {
    Scenario scenario = scenario_of(values);
    const bool prints = peers == nullptr || peers->rank() == 0;
    if (peers != nullptr) {
        check_shared(values, scenario);
        scenario.packet.peers = peers;
    }
    if (values.contains("svg")) {
        if (!std::holds_alternative<Packet>(scenario.engine)) {
            throw UsageError("--svg draws queues and pauses: only engine packet has them (accepted: engine: packet)");
        }
        scenario.packet.series = true;
    }
    using Names = std::vector<std::string>;
    Outputs outputs(values, prints ? Names{"json", "csv", "tsv", "trace", "svg", "html", "tuner"} : Names{});
    outputs.keep(scenario);
    if (!scenario.jobs.empty()) { return run_jobs(values, scenario, outputs); }
    if (values.contains("best")) { return run_best(values, scenario, outputs); }
    if (values.contains("tuner")) { throw UsageError("--tuner writes what --best finds (accepted: with --best)"); }
    const Catalog catalog = catalog_of(values, &scenario);
    if (peers != nullptr) { check_alike(*peers, fingerprint(scenario) + fingerprint(catalog)); }
    if (!scenario.places.contains("packet.series")) {  // for the animation and the counters of engine packet
        // A training step with series is simulated whole, which takes many times as long: --trace alone does not ask
        // for it.
        const bool counters = values.contains("trace") && !std::holds_alternative<TrainingWorkload>(scenario.workload);
        scenario.packet.series |= values.contains("html") || counters;
    }
    TablePrinter printer(scenario, catalog, values, outputs, prints);
    const Watch watch = printer.progress().watch();
    const SimulateOptions options{peers != nullptr ? 1 : threads_of(values, &scenario), wants_spans(values, scenario)};
    try {
        Report report = simulate(
            scenario, catalog, watch, [&](const Row& row) { printer.add(row); }, options);
        merge_notes(report.notes, idle_in_bill(scenario, catalog));
        if (peers != nullptr) { merge_notes(report.notes, peers->notes()); }
        printer.finish(report);
        if (prints) { write_files(outputs, scenario, catalog, report); }
        check_asserts(scenario, report);
        return ok;
    } catch (const CannotEnd& error) {
        if (!prints) { throw; }
        outputs.write("svg", [&] { return deadlock_picture(error.what()); });
        outputs.write_page([&] {
            const Fabric fabric(build(scenario, catalog));
            return html::deadlock_page(scenario, fabric, error.what());
        });
        throw;
    } catch (const Stopped&) {
        if (!prints) { throw; }
        // Finished rows are kept: they are already on the screen, and the files note that rows are missing.
        Report part;
        part.scenario = scenario.name;
        part.rows = printer.rows();
        part.notes = {"stopped before all sizes were run"};
        write_files(outputs, scenario, catalog, part);
        throw;
    }
}

// The run under mpirun: every rank reads the scenario and does the same, but for the islands that it simulates.
ExitCode run_over_ranks(const po::variables_map& values) {
    const Ranks ranks;
    ReplayPeers peers;
    ExitCode code = ok;
    std::string error;
    std::exception_ptr own;
    try {
        code = run_with(values, &peers);
    } catch (const PeerFailed& failure) {
        code = failure.exit_code;  // which `peers` remembers
    } catch (const std::exception& failure) {
        const auto* ours = dynamic_cast<const Error*>(&failure);
        code = ours != nullptr ? ours->exit_code : internal_or_io;
        error = failure.what();
        own = std::current_exception();
    }
    peers.end(code, error);
    if (!ranks.first()) { return ok; }  // rank 0 reports the error
    if (own) { std::rethrow_exception(own); }
    if (peers.failure()) { throw *peers.failure(); }
    return code;
}

ExitCode run_scenario(const po::variables_map& values) {
    return several_ranks() ? run_over_ranks(values) : run_with(values, nullptr);
}

}  // namespace

const Command run_command = {
    "run",
    "forecast a scenario: time, bottleneck, scaling",
    "SCENARIO [OPTION...]",
    scenario_options({
        {"json", text_value("FILE"), "write the result as JSON"},
        {"csv", text_value("FILE"), "write the rows as CSV"},
        {"tsv", text_value("FILE"), "the same with tabs, for cut and awk"},
        {"trace", text_value("FILE"), "write a Chrome/Perfetto trace"},
        {"svg", text_value("FILE"), "draw queues and pauses (engine packet)"},
        {"html", text_value("FILE"), "write a report to hand over"},
        {"best", {}, "every algorithm, protocol and number of channels beside what NCCL takes"},
        {"tuner", text_value("FILE"), "write what gains as a file for NCCL's example tuner (--best)"},
        {"threads", whole_value("N"), "sizes to run side by side (default and 0: every core)"},
        {"quiet", {}, "print no table"},
    }),
    {{{"scenario", 1}}},
    run_scenario};

}  // namespace fabricast::cli
