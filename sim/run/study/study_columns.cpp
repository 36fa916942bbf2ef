#include "sim/run/study/study_columns.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fabricast::inline studies {

namespace {

using html::Unit;
using D = DesignResult;
using C = Column<D>;

// Four significant digits and the unit: "1.234 M".
std::string handy(double value, const char* unit) {
    constexpr std::array<std::pair<double, const char*>, 3> steps = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
    for (const auto& [step, prefix] : steps) {
        if (std::abs(value) >= step) { return fmt::format("{:.4g} {}{}", value / step, prefix, unit); }
    }
    return fmt::format("{:.4g} {}", value, unit);
}

std::string four_digits(double value) { return fmt::format("{:.4g}", value); }
std::string mfu_text(double mfu) { return fmt::format("{:.3f}", mfu); }
std::string token_price_text(double usd) { return four_digits(usd) + " USD"; }
std::string guess_text(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string goodput_text(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string tokens_text(double tokens) { return handy(tokens, ""); }
std::string power_text(double watts) { return handy(watts, "W"); }
std::string money_text(double usd) { return handy(usd, "USD"); }
std::string bandwidth_price_text(double usd) { return handy(1e9 * usd, "USD"); }

std::string cables_text(const D& r) {
    const std::string text = joined(names_of(r.parts.cables, [](const CableClass& kind) {
        return fmt::format("{} x {:.0f} m {}", kind.cables, kind.metres, kind.medium);
    }));
    return text.empty() ? "none" : text;
}

std::string switches_text(const D& r) {
    const std::string tiers = joined(names_of(
        r.parts.bill.switches, [](const SwitchCount& tier) { return fmt::format("{} {}", tier.switches, tier.tier); }));
    const std::uint64_t all = r.parts.bill.switch_count();
    return tiers.empty() ? std::to_string(all) : fmt::format("{} ({})", all, tiers);
}

Json efficiency_text(const D& r) {
    return r.efficiency ? Json(fmt::format("{:.1f} % of {} GPUs", 100 * *r.efficiency, r.efficiency_gpus)) : Json();
}

// A value with its interval.
template <class Field>
C range(const char* name, Field D::*field, const char* heading, std::string (*number_text)(double)) {
    return C(name, "", field).printed(heading, 0, "", number_text);
}

// Those of designs with, and without, a goodput that their tokens are counted with.
auto counted(std::optional<Range> D::*field, bool goodput) {
    return [=](const D& r) { return r.goodput.has_value() == goodput ? Json(r.*field) : Json(); };
}

constexpr bool single = false, interval = true;  // StudyColumn::range
constexpr bool if_known = true;                  // StudyColumn::optional

}  // namespace

const std::vector<StudyColumn>& study_columns() {
    using enum StudyPart;
    const auto guessed_if_priced = [](const D& r) { return r.capital_usd ? Json(r.guessed_share) : Json(); };
    const auto end_of_capital = [](double Range::*end) {
        return [end](const D& r) { return r.capital_usd ? Json((*r.capital_usd).*end) : Json(); };
    };
    static const std::vector<StudyColumn> columns = {
        {C("name", "", &D::name).on_page("design"), speed},
        {C(&D::name).on_page("design"), cost},
        {C("network", "", &D::network).printed("network").on_page("network"), speed},
        {C("nodes", "", &D::nodes).on_page("nodes", Unit::count), cost},
        {C("gpus", "", &D::gpus).on_page("GPUs", Unit::count), speed},
        {C([](const D& r) { return fmt::format("{}, {}", r.gpus, r.nodes); }).printed("GPUs, nodes")},
        {C("workload", "", &D::what).printed("workload")},
        {range("time_s", &D::time_s, "time", time_text).on_page("time", Unit::time), speed, interval},
        {C([](const D& r) { return r.time_s.low80; }).on_page("low", Unit::time), speed},
        {C([](const D& r) { return r.time_s.high80; }).on_page("high", Unit::time), speed},
        {range("busbw_Bps", &D::busbw, "bus bandwidth", rate_text).on_page("busbw", Unit::rate), speed, interval,
         if_known},
        {range("tokens_per_s", &D::tokens_per_s, "tokens/s", tokens_text).on_page("tokens/s", Unit::count), speed,
         interval, if_known},
        {C("mfu", "", &D::mfu).on_page("MFU", Unit::share), speed},
        {C([](const D& r) { return r.tokens_per_s ? Json(r.mfu) : Json(); }).printed("MFU", 0, "", mfu_text), speed,
         single, if_known},
        {range("goodput", &D::goodput, "goodput", goodput_text).on_page("goodput", Unit::share), speed, interval,
         if_known},
        {C("efficiency", "", &D::efficiency).on_page("scaling efficiency", Unit::share), speed},
        {C(efficiency_text).printed("scaling efficiency")},
        {C("efficiency_gpus", "", &D::efficiency_gpus)},
        {C("bottleneck", "", &D::bottleneck).printed("bottleneck").on_page("bottleneck"), speed},
        {C("switches", "", [](const D& r) { return r.parts.bill.switch_count(); }).on_page("switches", Unit::count),
         cost},
        {C(switches_text).printed("switches")},
        {C("cables", "", [](const D& r) { return r.parts.bill.cable_count(); })},
        {C(cables_text).printed("cables")},
        {C("modules", "", [](const D& r) { return r.parts.modules(); })
             .printed("optical modules")
             .on_page("modules", Unit::count),
         cost},
        {C("ports_left", "", [](const D& r) { return r.parts.bill.ports_left(); })
             .printed("ports left")
             .on_page("ports left", Unit::count),
         cost},
        {range("it_W", &D::it_watts, "IT power", power_text).on_page("IT power", Unit::power), cost, interval},
        {range("all_W", &D::all_watts, "with PUE", power_text).on_page("with PUE", Unit::power), cost, interval},
        {range("capital_usd", &D::capital_usd, "capital", money_text).on_page("capital", Unit::money), cost, interval},
        {C(end_of_capital(&Range::low80)).on_page("low", Unit::money), cost},
        {C(end_of_capital(&Range::high80)).on_page("high", Unit::money), cost},
        {C("guessed_share", "", guessed_if_priced)},
        {C(guessed_if_priced).printed("of it guessed prices", 0, "", guess_text).on_page("guessed", Unit::share), cost},
        {C("usd_per_million_tokens", "", &D::usd_per_million_tokens), cost, interval},
        {C(counted(&D::usd_per_million_tokens, false))
             .printed("cost of 1 M tokens", 0, "", token_price_text)
             .on_page("1 M tokens", Unit::money),
         cost, single, if_known},
        {C(counted(&D::usd_per_million_tokens, true))
             .printed("1 M tokens at goodput", 0, "", token_price_text)
             .on_page("1 M tokens at goodput", Unit::money),
         cost, single, if_known},
        {C("tokens_per_joule", "", &D::tokens_per_joule), cost, interval},
        {C(counted(&D::tokens_per_joule, false)).printed("tokens/J", 0, "", four_digits).on_page("tokens/J"), cost,
         single, if_known},
        {C(counted(&D::tokens_per_joule, true))
             .printed("tokens/J at goodput", 0, "", four_digits)
             .on_page("tokens/J at goodput"),
         cost, single, if_known},
        {range("usd_per_busbw_Bps", &D::usd_per_busbw, "capital per GB/s", bandwidth_price_text), speed, interval,
         if_known},
        {C("pareto", "", &D::best)},
        {C([](const D& r) { return r.best ? "yes" : "no"; }).printed("Pareto set")},
    };
    return columns;
}

}  // namespace fabricast::inline studies
