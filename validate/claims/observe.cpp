#include "validate/claims/observe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/input_error.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "models/link_part.hpp"
#include "models/pcie.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "topologies/bisection.hpp"
#include "validate/claims/observe_path.hpp"

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

// Each function returns the quantity that `take` names, or nothing if it names none of these.
std::optional<double> of_packets(const PacketUse& use, const std::string& take) {
    return named(take, {{"drops", static_cast<double>(use.drops)},
                        {"pauses", static_cast<double>(use.pauses)},
                        {"marks", static_cast<double>(use.marks)}});
}

std::optional<double> of_row(const Row& row, const Observation& o) {
    return named(o.take, {{"time", row.time_s}, {"busbw", row.busbw}, {"algorithm", row.algorithm == o.is ? 1 : 0}});
}

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
        if (o.at.empty() || row.size == size) { value = of_row(row, o); }
    }
    for (const PacketTraffic& packets : report.packets) {
        if (!value && (o.at.empty() || packets.size == size)) { value = of_packets(packets.use, o.take); }
    }
    if (!report.steps.empty()) { value = of_step(report.steps.back(), o.take); }
    if (!value) { unknown(file, "no quantity '" + o.take + "' of scenario '" + o.name + "' at '" + o.at + "'"); }
    return *value;
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
    if (is_path_quantity(o.take, scenario)) { return of_path(o, scenario, catalog_); }
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
