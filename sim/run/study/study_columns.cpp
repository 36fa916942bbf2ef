#include "sim/run/study/study_columns.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "base/unit_text.hpp"

namespace fabricast::inline studies {

namespace {

using html::Unit;
using D = DesignResult;
using Value = Column<D>::Value;

// Four significant digits and the unit: "1.234 M".
std::string handy(double value, const char* unit) {
    constexpr std::array<std::pair<double, const char*>, 3> steps = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const auto& [step, prefix] : steps) {
        if (std::abs(value) >= step) { return fmt::format("{:.4g} {}{}", value / step, prefix, unit); }
    }
    return fmt::format("{:.4g} {}", value, unit);
}

std::string tokens_text(double tokens) { return handy(tokens, ""); }
std::string power_text(double watts) { return handy(watts, "W"); }
std::string money_text(double usd) { return handy(usd, "USD"); }
std::string bandwidth_price_text(double usd) { return handy(1e9 * usd, "USD"); }

std::string cables_text(const D& r) {
    std::string text;
    for (const CableClass& kind : r.parts.cables) {
        text += fmt::format("{}{} x {:.0f} m {}", text.empty() ? "" : ", ", kind.cables, kind.metres, kind.medium);
    }
    return text.empty() ? "none" : text;
}

std::string switches_text(const D& r) {
    std::string tiers;
    for (const SwitchCount& tier : r.parts.bill.switches) {
        tiers += fmt::format("{}{} {}", tiers.empty() ? "" : ", ", tier.switches, tier.tier);
    }
    const std::uint64_t all = r.parts.bill.switch_count();
    return tiers.empty() ? std::to_string(all) : fmt::format("{} ({})", all, tiers);
}

Json efficiency_text(const D& r) {
    return r.efficiency ? Json(fmt::format("{:.1f} % of {} GPUs", 100 * *r.efficiency, r.efficiency_gpus)) : Json();
}

StudyColumn column(const char* name, Value value) { return {{name, "", std::move(value)}}; }
StudyColumn only_printed(const char* heading, Value value) { return {Column<D>(std::move(value)).printed(heading)}; }
StudyColumn only_on_page(StudyPart part, const char* label, Unit unit, Value value) {
    return {Column<D>(std::move(value)).on_page(label, unit), part};
}

// A value with its interval.
StudyColumn range(const char* name, std::function<std::optional<Range>(const D&)> value, const char* heading,
                  std::string (*number_text)(double)) {
    const auto json = [value](const D& r) { return value(r) ? range_json(*value(r)) : Json(); };
    return {Column<D>(name, "", json).printed(heading, 0, "", number_text), StudyPart::speed, true};
}

// Shown on the page, in one of its two tables.
StudyColumn on_page(StudyColumn column, StudyPart part, const char* label, Unit unit = Unit::none) {
    column.on_page(label, unit);
    column.part = part;
    return column;
}

// Printed only if a design of the study has a value.
StudyColumn if_known(StudyColumn column) {
    column.optional = true;
    return column;
}

}  // namespace

Json range_json(const Range& range) {
    return {{"value", range.value}, {"low80", range.low80}, {"high80", range.high80}};
}

const std::vector<StudyColumn>& study_columns() {
    using enum StudyPart;
    const auto end_of_capital = [](double Range::*end) {
        return [end](const D& r) { return r.capital_usd ? Json((*r.capital_usd).*end) : Json(); };
    };
    static const std::vector<StudyColumn> columns = {
        on_page(column("name", &D::name), speed, "design"),
        only_on_page(cost, "design", Unit::none, &D::name),
        on_page({Column<D>("network", "", &D::network).printed("network")}, speed, "network"),
        on_page(column("nodes", &D::nodes), cost, "nodes", Unit::count),
        on_page(column("gpus", &D::gpus), speed, "GPUs", Unit::count),
        only_printed("GPUs, nodes", [](const D& r) { return fmt::format("{}, {}", r.gpus, r.nodes); }),
        {Column<D>("workload", "", &D::what).printed("workload")},
        on_page(range("time_s", &D::time_s, "time", time_text), speed, "time", Unit::time),
        only_on_page(speed, "low", Unit::time, [](const D& r) { return r.time_s.low80; }),
        only_on_page(speed, "high", Unit::time, [](const D& r) { return r.time_s.high80; }),
        if_known(on_page(range("busbw_Bps", &D::busbw, "bus bandwidth", rate_text), speed, "busbw", Unit::rate)),
        if_known(
            on_page(range("tokens_per_s", &D::tokens_per_s, "tokens/s", tokens_text), speed, "tokens/s", Unit::count)),
        on_page(column("mfu", [](const D& r) { return or_null(r.mfu); }), speed, "MFU", Unit::share),
        if_known({Column<D>([](const D& r) {
                      return r.tokens_per_s ? or_null(r.mfu) : Json();
                  }).printed("MFU", 0, "", [](double mfu) { return fmt::format("{:.3f}", mfu); })}),
        on_page(column("efficiency", [](const D& r) { return or_null(r.efficiency); }), speed, "scaling efficiency",
                Unit::share),
        only_printed("scaling efficiency", efficiency_text),
        column("efficiency_gpus", &D::efficiency_gpus),
        on_page({Column<D>("bottleneck", "", &D::bottleneck).printed("bottleneck")}, speed, "bottleneck"),
        on_page(column("switches", [](const D& r) { return r.parts.bill.switch_count(); }), cost, "switches",
                Unit::count),
        only_printed("switches", switches_text),
        column("cables", [](const D& r) { return r.parts.bill.cable_count(); }),
        only_printed("cables", cables_text),
        on_page({Column<D>("modules", "", [](const D& r) { return r.parts.modules(); }).printed("optical modules")},
                cost, "modules", Unit::count),
        on_page(
            {Column<D>("ports_left", "", [](const D& r) { return r.parts.bill.ports_left(); }).printed("ports left")},
            cost, "ports left", Unit::count),
        on_page(range("it_W", &D::it_watts, "IT power", power_text), cost, "IT power", Unit::power),
        on_page(range("all_W", &D::all_watts, "with PUE", power_text), cost, "with PUE", Unit::power),
        on_page(range("capital_usd", &D::capital_usd, "capital", money_text), cost, "capital", Unit::money),
        only_on_page(cost, "low", Unit::money, end_of_capital(&Range::low80)),
        only_on_page(cost, "high", Unit::money, end_of_capital(&Range::high80)),
        column("guessed_share", &D::guessed_share),
        on_page({Column<D>([](const D& r) { return r.capital_usd ? Json(r.guessed_share) : Json(); })
                     .printed("of it guessed prices", 0, "",
                              [](double share) { return fmt::format("{:.0f} %", 100 * share); })},
                cost, "guessed", Unit::share),
        if_known(on_page(range("usd_per_million_tokens", &D::usd_per_million_tokens, "cost of 1 M tokens",
                               [](double usd) { return fmt::format("{:.4g} USD", usd); }),
                         cost, "1 M tokens", Unit::money)),
        if_known(on_page(range("tokens_per_joule", &D::tokens_per_joule, "tokens/J",
                               [](double tokens) { return fmt::format("{:.4g}", tokens); }),
                         cost, "tokens/J")),
        if_known(range("usd_per_busbw_Bps", &D::usd_per_busbw, "capital per GB/s", bandwidth_price_text)),
        column("pareto", &D::best),
        only_printed("Pareto set", [](const D& r) { return r.best ? "yes" : "no"; }),
    };
    return columns;
}

}  // namespace fabricast::inline studies
