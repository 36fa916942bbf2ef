#include "validate/claims/observe.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "models/link_part.hpp"
#include "models/pcie.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/plan/transfers/places.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "topologies/bisection.hpp"

namespace fabricast::inline claims {

namespace {

[[noreturn]] void unknown(const ClaimFile& file, const std::string& what) {
    throw InputError({std::make_shared<const std::string>(file.file.string()), 1, 1}, what);
}

// The value of this name, or nothing.
std::optional<double> named(std::string_view name,
                            std::initializer_list<std::pair<std::string_view, double>> quantities) {
    const auto* found = std::ranges::find(quantities, name, &std::pair<std::string_view, double>::first);
    return found == quantities.end() ? std::nullopt : std::optional(found->second);
}

double of_link(const Catalog& catalog, const Observation& o, const ClaimFile& file) {
    const Part& part = catalog.at("link", o.name);
    const LinkSpec link = link_spec(part);
    const auto payload = static_cast<double>(link.framing.payload.count);
    const auto header = static_cast<double>(link.framing.header.count);
    if (o.take == "raw") {  // all bits on the lanes, without encoding overhead
        return part.number("signalling", "T/s") * part.number("lanes", "") / 8;
    }
    const double encoded = link.rate.bytes_per_second();
    if (const auto value = named(o.take, {{"encoded", encoded},
                                          {"packets", encoded * payload / (payload + header)},  // no other overhead
                                          {"payload", goodput(link)},
                                          {"efficiency", payload / (payload + header)},
                                          {"header", header}})) {
        return *value;
    }
    if (part.has(o.take)) { return part.number(o.take); }
    unknown(file, "no quantity '" + o.take + "' of link '" + o.name + "'");
}

double of_parts(const Catalog& catalog, const Observation& o, const ClaimFile& file) {
    const auto parts = catalog.of_kind(o.name);
    const std::optional<double> wanted = figure_in_word(o.is);
    if (!wanted) { unknown(file, "no figure '" + o.is + "'"); }
    return static_cast<double>(std::ranges::count_if(
        parts, [&](const Part* part) { return part->has(o.take) && part->number(o.take) == wanted; }));
}

double of_part(const Catalog& catalog, const Observation& o, const ClaimFile& file) {
    const Part* part = catalog.find(o.name);
    if (part == nullptr) { unknown(file, "no part '" + o.name + "'"); }
    if (o.is.empty()) { return part->number(o.take); }
    return has_word(part->word_or(o.take, ""), o.is) ? 1 : 0;
}

// The quantity that `take` names, or nothing if it names none.
std::optional<double> of_step(const StepRow& step, const std::string& take) {
    return named(take, {{"step_time", step.step_time_s},
                        {"samples_per_s", step.samples_per_s},
                        {"mfu", step.mfu},
                        {"exposed", step.exposed_s() / step.step_time_s},  // share of the step time
                        {"efficiency", step.efficiency},                   // of the last row of the table
                        {"speedup", step.efficiency * step.gpus}});
}

// The quantity in a report, for the size asked for or else its last row.
double of_report(const Report& report, const Observation& o, const ClaimFile& file) {
    std::optional<double> value;
    const Bytes size = o.at.empty() ? Bytes{} : parse_bytes(o.at);
    for (const Row& row : report.rows) {
        if (o.at.empty() || row.size == size) {
            value = named(o.take, {{"time", row.time_s}, {"busbw", row.busbw}, {"algorithm", row.algorithm == o.is}});
        }
    }
    for (const PacketTraffic& packets : report.packets) {
        if (!value && (o.at.empty() || packets.size == size)) {
            value = named(o.take, {{"drops", static_cast<double>(packets.use.drops)},
                                   {"pauses", static_cast<double>(packets.use.pauses)},
                                   {"marks", static_cast<double>(packets.use.marks)}});
        }
    }
    if (!report.steps.empty()) { value = of_step(report.steps.back(), o.take); }
    if (!value) { unknown(file, "no quantity '" + o.take + "' of scenario '" + o.name + "' at '" + o.at + "'"); }
    return *value;
}

constexpr std::array<std::string_view, 5> of_machines = {"gpus", "bisection", "pairs_without_nvlink", "slowest_pair",
                                                         "slowest_of_disjoint_pairs"};

double of_exchange(const Exchange& e, const Observation& o) {
    const DataPath& path = e.choice.path;
    const auto value = named(o.take, {{"time", e.one_s},
                                      {"bandwidth", e.bandwidth},
                                      {"together", e.aggregate_bandwidth},
                                      {"dma", static_cast<double>(path.dma_crossings())},
                                      {"copies", static_cast<double>(path.copies())},
                                      {"sender_cores", e.sender_cores},
                                      {"receiver_cores", e.receiver_cores},
                                      {"transport", path.transport == o.is ? 1 : 0}});
    if (!value) { throw CatalogError("no quantity '" + o.take + "' of a transfer"); }
    return *value;
}

// A refused transfer has no transport: 0 if the observation asks for one by name.
double of_transfer(const Observation& o, const Scenario& scenario, const Catalog& catalog) {
    const Workload& workload = scenario.workload;
    const Fabric fabric = fabric_for(workload, Fabric(build(scenario, catalog)), catalog);
    try {
        const Bytes size = o.at.empty() ? sizes_of(workload)->front() : parse_bytes(o.at);
        const PlanContext context{fabric, scenario.library, scenario.launch, catalog};
        return of_exchange(exchange_at(size, workload, context, scenario.engine), o);
    } catch (const NoDataPath&) {
        if (o.take == "transport") { return 0; }
        throw;
    }
}

// Rate of a copy alone on the NVLink path between two GPUs, bytes per second; 0 if there is no direct one.
double nvlink_rate(const Fabric& fabric, std::uint32_t a, std::uint32_t b) {
    const auto path = path_between(fabric, query(fabric.gpu(a), fabric.gpu(b), PathKind::nvlink));
    const bool joined = path && path->count > 0 && !passes(fabric, *path, DeviceKind::gpu);
    return joined ? narrowest(fabric, *path) : 0;
}

// Each GPU of the first half of a node exchanges data with its counterpart in the second half, both ways, all at once.
// Returns the lowest rate of one direction.
double disjoint_pairs(const Fabric& fabric, const Scenario& scenario) {
    constexpr Bytes bytes{1 << 30};
    Schedule schedule;
    const std::uint32_t half = fabric.gpus_per_node() / 2;
    for (std::uint32_t g = 0; g < 2 * half; ++g) {
        const DeviceId from = fabric.gpu(g);
        const DeviceId to = fabric.gpu(g < half ? g + half : g - half);
        schedule.connections.push_back({query(from, to, PathKind::nvlink)});
        schedule.kept.push_back(schedule.add(Transfer{g, bytes, {}}));
    }
    const Timeline timeline = replay(scenario.engine, fabric, schedule, {});
    Time last{};
    for (const OpTimes& op : timeline.kept) { last = std::max(last, op.finish); }
    return static_cast<double>(bytes.count) / to_seconds(last - Time{});
}

double of_machine(const Observation& o, const Scenario& scenario, const Catalog& catalog) {
    const Fabric fabric(build(scenario, catalog));
    if (o.take == "gpus") { return fabric.gpus_per_node(); }
    if (o.take == "bisection") { return bisection_bandwidth(fabric); }
    if (o.take == "slowest_of_disjoint_pairs") { return disjoint_pairs(fabric, scenario); }
    int without = 0;
    double slowest = std::numeric_limits<double>::infinity();
    for (std::uint32_t a = 0; a < fabric.gpus_per_node(); ++a) {
        for (std::uint32_t b = a + 1; b < fabric.gpus_per_node(); ++b) {
            const double rate = nvlink_rate(fabric, a, b);
            without += rate > 0 ? 0 : 1;
            slowest = std::min(slowest, rate);
        }
    }
    return o.take == "slowest_pair" ? slowest : without;
}

}  // namespace

double Observer::of_run(const Observation& o) {
    const auto text = file_.scenarios.find(o.name);
    if (text == file_.scenarios.end()) { unknown(file_, "no scenario '" + o.name + "'"); }
    std::vector<std::string> set = o.set;
    if (seed_ > 0) { set.push_back("seed=" + std::to_string(seed_)); }
    const bool inline_text = text->second.find('\n') != std::string::npos;
    Scenario scenario = inline_text ? parse_scenario(text->second, file_.file.parent_path() / (o.name + ".yaml"), set)
                                    : read_scenario(file_.file.parent_path() / text->second, set);
    if (std::ranges::find(of_machines, o.take) != of_machines.end()) { return of_machine(o, scenario, catalog_); }
    if (std::holds_alternative<TransferWorkload>(scenario.workload)) { return of_transfer(o, scenario, catalog_); }
    if (auto* sizes = sizes_of(scenario.workload); sizes != nullptr && !o.at.empty()) { *sizes = {parse_bytes(o.at)}; }
    return of_report(simulate(scenario, catalog_), o, file_);
}

double Observer::one(const Observation& o) {
    switch (o.source) {
        case Observation::Source::link: return of_link(catalog_, o, file_);
        case Observation::Source::part: return of_part(catalog_, o, file_);
        case Observation::Source::count: return of_parts(catalog_, o, file_);
        case Observation::Source::run: break;
    }
    const std::string key = fmt::format("{}|{}|{}|{}|{}", o.name, o.take, o.at, o.is, fmt::join(o.set, "|"));
    if (const auto kept = kept_.find(key); kept != kept_.end()) { return kept->second; }
    return kept_[key] = of_run(o);
}

double Observer::value(const Observation& o) {
    double value = o.times * one(o);
    for (const Observation& more : o.plus) { value += this->value(more); }
    for (const Observation& below : o.over) { value /= this->value(below); }
    return value;
}

}  // namespace fabricast::inline claims
