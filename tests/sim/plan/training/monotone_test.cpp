// Faster parts never slow anything down: every shipped scenario again, with one of the figures that it used at half the
// cost or at twice the rate.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace fabricast;

namespace {

enum class Sense { cost, rate, neither };

bool matches(std::string_view name, std::string_view pattern) {
    if (pattern.starts_with('*')) { return name.ends_with(pattern.substr(1)); }
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

// What a figure without a unit of time or rate is. Tiles and buckets cut work into pieces; the others say up to where
// something holds.
Sense sense_of(const FigureUsed& figure) {
    static const std::vector<std::pair<std::string_view, Sense>> senses = {
        {"*wire", Sense::cost},
        {"*.fill", Sense::cost},
        {"*.copy", Sense::cost},
        {"copy_rate", Sense::rate},
        {"*.rate_factor", Sense::rate},
        {"*_factor", Sense::cost},
        {"ll_post", Sense::cost},
        {"ll.cost", Sense::cost},
        {"*.multicast", Sense::rate},
        {"*.wire_inside", Sense::cost},
        {"tile.start", Sense::cost},
        {"traffic.*", Sense::cost},
        {"elementwise.kernels", Sense::cost},
        {"optimizer.*", Sense::cost},
        {"growth.*", Sense::cost},
        {"scales.*", Sense::cost},
        {"cast.norms", Sense::cost},
        {"cast.inputs", Sense::cost},
        {"cast.products", Sense::cost},
        {"unfused.*", Sense::cost},
        {"expert_imbalance", Sense::cost},
        {"routing.kernels", Sense::cost},
        {"eager.*", Sense::cost},
        {"autocast", Sense::cost},
        {"pace", Sense::cost},
        {"host.*", Sense::cost},
        {"gather.rate", Sense::rate},
        {"gather.rank", Sense::cost},
        {"gather.nics", Sense::rate},
        {"gather.narrow", Sense::cost},
        {"gemm.memory", Sense::rate},
        {"elementwise.memory", Sense::rate},
        {"softmax.memory", Sense::rate},
        {"cast.memory", Sense::rate},
        {"gemm.*", Sense::rate},
        {"conv.*", Sense::rate},
        {"slots", Sense::rate},
        {"window", Sense::rate},
        {"attention.long", Sense::neither},
        {"attention.short*", Sense::neither},
        {"attention.default", Sense::neither},
        {"attention.*", Sense::rate},
        {"tile.*", Sense::neither},
        {"data.*", Sense::neither},
        {"memory.*", Sense::neither},
        {"layers_ahead", Sense::neither},
    };
    if (figure.unit == "s") { return Sense::cost; }
    if (figure.unit == "B/s") { return Sense::rate; }
    if (figure.unit == "B") { return Sense::neither; }
    const auto found =
        std::find_if(senses.begin(), senses.end(), [&](const auto& s) { return matches(figure.figure, s.first); });
    INFO("neither a cost nor a rate: " << figure.part << "/" << figure.figure << " in '" << figure.unit << "'");
    CHECK(found != senses.end());
    return found == senses.end() ? Sense::neither : found->second;
}

std::vector<double> times(const Report& report) {
    std::vector<double> all;
    for (const Row& row : report.rows) { all.push_back(row.time_s); }
    for (const ScalingPoint& point : report.points) { all.push_back(point.step_time_s.value_or(0)); }
    for (const StepRow& step : report.steps) { all.push_back(step.step_time_s); }
    if (report.replay) { all.push_back(report.replay->makespan_s); }
    return all;
}

void multiply(Figure& figure, double factor) {
    for (double& value : figure.value) { value *= factor; }
}

// Every link, device and GPU at once: a link alone may not be faster than its NIC.
Catalog with_parts(bool (*which)(const Part&, std::string_view name, const Figure&), double factor) {
    Catalog catalog = catalogue();
    for (auto& [name, part] : catalog.parts) {
        for (auto& [path, figure] : part.figures) {
            if (which(part, path, figure)) { multiply(figure, factor); }
        }
    }
    return catalog;
}

bool is_hardware(const Part& part) {
    static const std::vector<std::string_view> kinds = {"link", "nic", "switch", "nvswitch", "pcie-switch", "cpu"};
    return std::find(kinds.begin(), kinds.end(), part.kind) != kinds.end();
}

bool is_network_rate(const Part& part, std::string_view name, const Figure& figure) {
    return (is_hardware(part) && figure.unit == "B/s") || name == "nvlink.rate" || name == "signalling";
}

bool is_network_latency(const Part& part, std::string_view, const Figure& figure) {
    return (is_hardware(part) || part.kind == "cable") && figure.unit == "s";
}

bool is_arithmetic(const Part& part, std::string_view name, const Figure&) {
    return part.kind == "gpu" && name.starts_with("flops.");
}

bool is_memory_rate(const Part& part, std::string_view name, const Figure&) {
    return part.kind == "gpu" && name == "memory.bandwidth";
}

struct Scan {
    explicit Scan(Scenario given)
        : scenario(std::move(given)), report(simulate(scenario, catalogue())), base(times(report)) {}

    // NCCL chooses by its own estimate and takes more channels on faster links (tuning.cc, search.cc), of which each
    // costs its proxy a message a step: a row whose choice changed says nothing of the engine.
    void holds(const Catalog& changed, const std::string& what) const {
        const Report faster = simulate(scenario, changed);
        const std::vector<double> now = times(faster);
        REQUIRE(now.size() == base.size());
        for (std::size_t i = 0; i < base.size(); ++i) {
            if (i < report.rows.size() && (faster.rows[i].algorithm != report.rows[i].algorithm ||
                                           faster.rows[i].protocol != report.rows[i].protocol ||
                                           faster.rows[i].channels != report.rows[i].channels)) {
                ++rechosen;
                continue;
            }
            INFO(scenario.name << ", " << what << ": " << 100 * (now[i] / base[i] - 1) << " % in row " << i);
            // Of several kinds of nodes a call takes the costs of the one that is slower alone, which is told before
            // the links are shared: a figure of one kind may change which, and the replays of both differ by up to 7.1
            // % (mixed-h100-a100, with twice the rate of a channel of Simple).
            // What an LL128 tree passes on is cut into whole slices, by the ratio of a ring's rate and its own: that of
            // 17.5 and 9.4 GB/s is taken as two, so a tree as fast as the ring seems up to 8.8 % slower.
            const bool rounded = what.ends_with("/ll128.tree_channel_rate");
            CHECK(now[i] <= (!scenario.cluster.kinds.empty() ? 1.075 : rounded ? 1.09 : 1.001) * base[i]);
        }
    }

    void every_figure() const {
        Catalog changed = catalogue();
        const std::size_t every = testing::thorough() ? 1 : 7;
        std::size_t number = scenario.name.size();  // so that scenarios alike try different ones
        for (const FigureUsed& used : report.figures) {
            const Sense sense = sense_of(used);
            if (sense == Sense::neither || ++number % every != 0) { continue; }
            Figure& figure = changed.parts.at(used.part).figures.at(used.figure);
            const Figure before = figure;
            multiply(figure, sense == Sense::cost ? 0.5 : 2);
            if (used.figure.ends_with("wire")) {  // which carries at least what it is given
                figure.value.front() = std::max(1.0, figure.value.front());
            }
            holds(changed, used.part + "/" + used.figure);
            figure = before;
        }
    }

    Scenario scenario;
    Report report;
    std::vector<double> base;
    mutable std::size_t rechosen = 0;
};

void scan_shipped(bool training) {
    const std::filesystem::path scenarios = std::filesystem::path(FABRICAST_SOURCE_DIR) / "scenarios";
    std::size_t scanned = 0, rows = 0, rechosen = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scenarios)) {
        if (entry.path().extension() != ".yaml") { continue; }
        const Scan scan(read_scenario(entry.path(), {"engine=flow"}));
        if (scan.report.steps.empty() == training) { continue; }
        ++scanned;
        scan.every_figure();
        static const Catalog rates = with_parts(is_network_rate, 2), latencies = with_parts(is_network_latency, 0.5),
                             arithmetic = with_parts(is_arithmetic, 2), memory = with_parts(is_memory_rate, 2);
        scan.holds(rates, "every link's rate");
        scan.holds(latencies, "every link's latency");
        scan.holds(arithmetic, "every GPU's FLOP/s");
        scan.holds(memory, "every GPU's memory bandwidth");
        rows += scan.base.size();
        rechosen += scan.rechosen;
    }
    CHECK(scanned > 8);
    CHECK(rechosen < rows / 4);
}

}  // namespace

TEST_CASE("no training step of a shipped scenario takes longer with half of a cost or twice a rate") {
    scan_shipped(true);
}

TEST_CASE("nothing else of the shipped scenarios takes longer with half of a cost or twice a rate") {
    scan_shipped(false);
}
