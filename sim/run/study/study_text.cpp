#include "sim/run/study/study_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "base/unit_text.hpp"
#include "sim/report/records.hpp"

namespace fabricast {

namespace {

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), pattern, arguments...);
    return text.data();
}

std::string pad(std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}

// Four significant digits and the unit: "1.234 M".
std::string handy(double value, const char* unit) {
    constexpr std::array<std::pair<double, const char*>, 4> steps = {{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, " "}}};
    for (const auto& [step, prefix] : steps) {
        if (std::abs(value) >= step || step == 1) {
            return format("%.4g%s%s", value / step, prefix, unit);
        }
    }
    return {};
}

std::string percent(double low, double value, double high) {
    return format("%+.1f %% (80 %%: %+.1f to %+.1f %%)", 100 * value, 100 * low, 100 * high);
}

// The ends of the interval relative to the value: "-12/+9 %".
std::string spread(const Range& range) {
    if (range.value == 0) {
        return "";
    }
    return format(" %.0f/%+.0f %%", 100 * (range.low80 / range.value - 1) - 1e-9,
                  100 * (range.high80 / range.value - 1));
}

using Cell = std::function<std::string(const DesignResult&)>;

std::string cables_text(const DesignResult& r) {
    std::string text;
    for (const CableClass& kind : r.parts.cables) {
        text += (text.empty() ? "" : ", ") + std::to_string(kind.cables) + " x " + format("%.0f m ", kind.metres) +
                kind.medium;
    }
    return text.empty() ? "none" : text;
}

std::string switches_text(const DesignResult& r) {
    std::string text = std::to_string(r.parts.bill.switch_count());
    std::string tiers;
    for (const SwitchCount& tier : r.parts.bill.switches) {
        tiers += (tiers.empty() ? "" : ", ") + std::to_string(tier.switches) + " " + tier.tier;
    }
    return tiers.empty() ? text : text + " (" + tiers + ")";
}

std::string with_spread(const std::optional<Range>& range, const std::string& text) {
    return range ? text + spread(*range) : "-";
}

std::vector<std::pair<std::string, Cell>> lines(const Study& study) {
    const auto any = [&](auto&& has) { return std::any_of(study.designs.begin(), study.designs.end(), has); };
    std::vector<std::pair<std::string, Cell>> rows = {
        {"network", [](const DesignResult& r) { return r.network; }},
        {"GPUs, nodes", [](const DesignResult& r) { return std::to_string(r.gpus) + ", " + std::to_string(r.nodes); }},
        {"workload", [](const DesignResult& r) { return r.what; }},
        {"time", [](const DesignResult& r) { return text(r.time_s.value, Dimension::time) + spread(r.time_s); }},
    };
    if (any([](const DesignResult& r) { return r.busbw.has_value(); })) {
        rows.emplace_back("bus bandwidth", [](const DesignResult& r) {
            return r.busbw ? text(r.busbw->value, Dimension::rate) + spread(*r.busbw) : "-";
        });
    }
    if (any([](const DesignResult& r) { return r.tokens_per_s.has_value(); })) {
        rows.emplace_back("tokens/s", [](const DesignResult& r) {
            return r.tokens_per_s ? handy(r.tokens_per_s->value, "") + spread(*r.tokens_per_s) : "-";
        });
        rows.emplace_back("MFU", [](const DesignResult& r) { return r.mfu ? format("%.3f", *r.mfu) : "-"; });
    }
    rows.emplace_back("scaling efficiency", [](const DesignResult& r) {
        return r.efficiency ? format("%.1f %% of %u GPUs", 100 * *r.efficiency, r.efficiency_gpus) : "-";
    });
    rows.emplace_back("bottleneck", [](const DesignResult& r) { return r.bottleneck; });
    rows.emplace_back("switches", switches_text);
    rows.emplace_back("cables", cables_text);
    rows.emplace_back("optical modules", [](const DesignResult& r) { return std::to_string(r.parts.modules()); });
    rows.emplace_back("ports left", [](const DesignResult& r) { return std::to_string(r.parts.bill.ports_left()); });
    rows.emplace_back("IT power", [](const DesignResult& r) {
        return with_spread(r.it_watts, r.it_watts ? handy(r.it_watts->value, "W") : "");
    });
    rows.emplace_back("with PUE", [](const DesignResult& r) {
        return with_spread(r.all_watts, r.all_watts ? handy(r.all_watts->value, "W") : "");
    });
    rows.emplace_back("capital", [](const DesignResult& r) {
        return with_spread(r.capital_usd, r.capital_usd ? handy(r.capital_usd->value, "USD") : "");
    });
    rows.emplace_back("of it guessed prices", [](const DesignResult& r) {
        return r.capital_usd ? format("%.0f %%", 100 * r.guessed_share) : "-";
    });
    if (any([](const DesignResult& r) { return r.usd_per_million_tokens.has_value(); })) {
        rows.emplace_back("cost of 1 M tokens", [](const DesignResult& r) {
            return with_spread(r.usd_per_million_tokens,
                               r.usd_per_million_tokens ? format("%.4g USD", r.usd_per_million_tokens->value) : "");
        });
        rows.emplace_back("tokens/J", [](const DesignResult& r) {
            return with_spread(r.tokens_per_joule, r.tokens_per_joule ? format("%.4g", r.tokens_per_joule->value) : "");
        });
    }
    if (any([](const DesignResult& r) { return r.usd_per_busbw.has_value(); })) {
        rows.emplace_back("capital per GB/s", [](const DesignResult& r) {
            return with_spread(r.usd_per_busbw, r.usd_per_busbw ? handy(1e9 * r.usd_per_busbw->value, "USD") : "");
        });
    }
    rows.emplace_back("Pareto set", [](const DesignResult& r) { return std::string(r.best ? "yes" : "no"); });
    return rows;
}

std::string trimmed(const std::string& line) { return line.substr(0, line.find_last_not_of(' ') + 1) + "\n"; }

Json range_json(const Range& range) {
    return {{"value", range.value}, {"low80", range.low80}, {"high80", range.high80}};
}

Json optional_json(const std::optional<Range>& range) { return range ? range_json(*range) : Json(); }

Json figure_json(const std::optional<Figure>& figure) {
    if (!figure) {
        return {};
    }
    constexpr std::array<const char*, 5> origins = {"spec", "vendor", "measured", "fitted", "estimated"};
    return {{"value", figure->value.front()},
            {"low80", figure->low80},
            {"high80", figure->high80},
            {"origin", origins.at(static_cast<std::size_t>(figure->origin))},
            {"source", figure->source}};
}

Json parts_json(const PartsList& parts) {
    Json lines = Json::array();
    for (const PartLine& line : parts.lines) {
        lines.push_back({{"what", line.what},
                         {"part", line.part},
                         {"count", line.count},
                         {"price_usd", figure_json(line.price)},
                         {"watts_each", line.watts_each},
                         {"power_W", figure_json(line.watts)}});
    }
    Json switches = Json::array();
    for (const SwitchCount& tier : parts.bill.switches) {
        switches.push_back(
            {{"tier", tier.tier}, {"switches", tier.switches}, {"ports", tier.ports}, {"ports_left", tier.left()}});
    }
    Json cables = Json::array();
    for (const CableClass& kind : parts.cables) {
        cables.push_back({{"between", kind.between},
                          {"medium", kind.medium},
                          {"length_m", kind.metres},
                          {"cables", kind.cables},
                          {"modules", kind.modules}});
    }
    return {{"lines", lines}, {"switches", switches}, {"cables", cables}};
}

Json design_json(const DesignResult& r) {
    return {{"name", r.name},
            {"network", r.network},
            {"nodes", r.nodes},
            {"gpus", r.gpus},
            {"workload", r.what},
            {"time_s", range_json(r.time_s)},
            {"busbw_Bps", optional_json(r.busbw)},
            {"tokens_per_s", optional_json(r.tokens_per_s)},
            {"mfu", r.mfu ? Json(*r.mfu) : Json()},
            {"efficiency", r.efficiency ? Json(*r.efficiency) : Json()},
            {"efficiency_gpus", r.efficiency_gpus},
            {"bottleneck", r.bottleneck},
            {"switches", r.parts.bill.switch_count()},
            {"cables", r.parts.bill.cable_count()},
            {"modules", r.parts.modules()},
            {"ports_left", r.parts.bill.ports_left()},
            {"it_W", optional_json(r.it_watts)},
            {"all_W", optional_json(r.all_watts)},
            {"capital_usd", optional_json(r.capital_usd)},
            {"guessed_share", r.guessed_share},
            {"usd_per_million_tokens", optional_json(r.usd_per_million_tokens)},
            {"tokens_per_joule", optional_json(r.tokens_per_joule)},
            {"usd_per_busbw_Bps", optional_json(r.usd_per_busbw)},
            {"pareto", r.best},
            {"parts", parts_json(r.parts)},
            {"notes", r.notes}};
}

}  // namespace

std::string study_table(const Study& study) {
    std::string out = "# " + std::to_string(study.designs.size()) +
                      (study.designs.size() == 1 ? " design" : " designs") + ", best " +
                      std::string(to_string(study.order)) + " first\n";
    const auto rows = lines(study);
    std::vector<std::size_t> widths;
    for (const DesignResult& design : study.designs) {
        std::size_t width = design.name.size();
        for (const auto& [name, cell] : rows) {
            width = std::max(width, cell(design).size());
        }
        widths.push_back(width);
    }
    std::string head = pad("#", 22);
    for (std::size_t d = 0; d < study.designs.size(); ++d) {
        head += pad(study.designs[d].name, widths[d] + 3);
    }
    out += trimmed(head);
    for (const auto& [name, cell] : rows) {
        std::string line = pad(name, 22);
        for (std::size_t d = 0; d < study.designs.size(); ++d) {
            line += pad(cell(study.designs[d]), widths[d] + 3);
        }
        out += trimmed(line);
    }
    for (const Difference& d : study.differences) {
        out += "# " + d.design + " against " + d.against + ": time " +
               percent(d.time.low80, d.time.value, d.time.high80) + ": " + std::string(to_string(d.verdict)) + "; " +
               format("%.0f %%", 100 * d.shared) + " of the time is spent alike\n";
        if (d.priced) {
            out += "#   capital " + percent(d.capital.low80, d.capital.value, d.capital.high80) + "; " +
                   (study.designs.front().usd_per_million_tokens ? "cost of a token " : "capital per bus bandwidth ") +
                   percent(d.value.low80, d.value.value, d.value.high80) + "\n";
        }
    }
    std::vector<std::string> notes;
    for (const DesignResult& design : study.designs) {
        for (const std::string& note : design.notes) {
            if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
                notes.push_back(note);
                out += "# " + note + "\n";
            }
        }
    }
    return out;
}

Json study_json(const Study& study) {
    Json designs = Json::array();
    for (const DesignResult& design : study.designs) {
        designs.push_back(design_json(design));
    }
    Json differences = Json::array();
    for (const Difference& d : study.differences) {
        Json json = {{"design", d.design},
                     {"against", d.against},
                     {"time", range_json(d.time)},
                     {"verdict", to_string(d.verdict)},
                     {"shared", d.shared}};
        json["capital"] = d.priced ? range_json(d.capital) : Json();
        json["value"] = d.priced ? range_json(d.value) : Json();
        differences.push_back(std::move(json));
    }
    return {{"schema_version", 1},  {"program", "fabricast"}, {"order", to_string(study.order)},
            {"draws", study.draws}, {"designs", designs},     {"differences", differences}};
}

std::string study_csv(const Study& study) {
    std::string out;
    for (const DesignResult& design : study.designs) {
        std::vector<Json> names;
        std::vector<Json> cells;
        const Json json = design_json(design);
        for (const auto& [name, value] : json.items()) {
            if (value.is_array() || (value.is_object() && !value.contains("value"))) {
                continue;
            }
            const bool ranges = value.is_object() || name.starts_with("time") || name.starts_with("busbw") ||
                                name.starts_with("tokens") || name.ends_with("_W") || name.ends_with("_usd") ||
                                name.starts_with("usd");
            names.emplace_back(name);
            cells.push_back(value.is_object() ? value.at("value") : value);
            if (ranges) {
                for (const char* end : {"low80", "high80"}) {
                    names.emplace_back(name + "_" + end);
                    cells.push_back(value.is_object() ? value.at(end) : Json());
                }
            }
        }
        out += (out.empty() ? csv_line(names) : "") + csv_line(cells);
    }
    return out;
}

}  // namespace fabricast
