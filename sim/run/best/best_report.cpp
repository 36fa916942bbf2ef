#include "sim/run/best/best_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/report/columns.hpp"
#include "sim/report/html/run_page.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::inline best {

namespace {

using html::Unit;

std::string words(const Choice& choice) {
    const Setting& s = choice.setting;
    return fmt::format("{} {} x{}", s.algorithm->name, to_string(s.protocol), s.channels);
}

std::string gain_words(const BestRow& row) {
    if (row.chosen == 0) { return "-"; }
    return fmt::format("{:+.1f} % ({:+.1f} .. {:+.1f}){}", 100 * row.gain.value, 100 * row.gain.low80,
                       100 * row.gain.high80, row.gains() ? "" : ", not sure");
}

Columns<BestRow> columns() {
    using C = report::Column<BestRow>;
    const auto bytes_text = [](double bytes) { return text(Bytes{static_cast<std::int64_t>(bytes)}); };
    const auto of_default = [](const BestRow& r) { return words(r.default_choice()); };
    const auto of_fastest = [](const BestRow& r) { return words(r.fastest()); };
    const auto time = [](const BestRow& r) { return r.default_choice().time_s; };
    const auto least = [](const BestRow& r) { return r.fastest().time_s; };
    return {C([](const BestRow& r) { return r.size.count; })
                .printed("size", 10, "", bytes_text, 0)
                .on_page("size", Unit::size),
            C(of_default).words("NCCL takes", 22),
            C(time).number("time", 10, Unit::time, time_text),
            C(of_fastest).words("fastest", 22),
            C(least).printed("time", 10, "", time_text).on_page("its time", Unit::time),
            C(gain_words).words("NCCL's choice is slower by", 1)};
}

// The name in a tuner file: "allreduce".
std::string tuner_name(Collective collective) {
    std::string name(to_string(collective));
    std::erase(name, '_');
    return name;
}

const CollectiveWorkload& workload_of(const Scenario& scenario) {
    return std::get<CollectiveWorkload>(scenario.workload);
}

}  // namespace

std::string best_table(const Scenario& scenario, const std::vector<BestRow>& rows) {
    return fmt::format("# {}: {} by every algorithm, protocol and number of channels of NCCL {}\n", scenario.name,
                       to_string(workload_of(scenario).collective), scenario.library.nccl) +
           text_table(rows, columns()) +
           "# with 80 % intervals: of the constants, and of how far two forecasts of one site are wrong apart from "
           "each other; 'not sure': it holds 0\n";
}

Json best_json(const Scenario& scenario, const std::vector<BestRow>& rows) {
    const auto choice_json = [](const Choice& c) {
        return Json{{"algorithm", c.setting.algorithm->name},
                    {"protocol", to_string(c.setting.protocol)},
                    {"channels", c.setting.channels},
                    {"time_s", c.time_s}};
    };
    Json json = document_head(scenario);
    json["rows"] = json_list(rows, [&](const BestRow& row) {
        return Json{{"size_bytes", row.size.count},
                    {"default", choice_json(row.default_choice())},
                    {"fastest", choice_json(row.fastest())},
                    {"gain", row.gain},
                    {"choices", json_list(row.choices, choice_json)}};
    });
    return json;
}

html::Page best_page(const Scenario& scenario, const std::vector<BestRow>& rows) {
    html::Page page;
    page.title = scenario.name;
    const auto most = std::ranges::max_element(rows, {}, [](const BestRow& r) { return r.gains() ? r.gain.value : 0; });
    page.answer =
        most != rows.end() && most->gains()
            ? fmt::format("NCCL's own choice is slower than {} by {} at {}.", words(most->fastest()),
                          percent(most->gain.value), text(most->size))
            : std::string("At no size is NCCL's own choice slower than another by more than what is known of either.");
    // The least time of each algorithm and protocol over the numbers of channels.
    std::map<std::string, html::Line> lines;
    html::Line chosen{"NCCL's choice", {}, true};
    for (const BestRow& row : rows) {
        const auto size = static_cast<double>(row.size.count);
        std::map<std::string, double> least;
        for (const Choice& c : row.choices) {
            least.try_emplace(fmt::format("{} {}", c.setting.algorithm->name, to_string(c.setting.protocol)), c.time_s);
        }
        for (const auto& [name, time] : least) {
            html::Line& line = lines[name];
            line.label = name;
            line.points.push_back({size, size / time});
        }
        chosen.points.push_back({size, size / row.default_choice().time_s});
    }
    html::Curves curves{"Every choice",
                        "Size over time of each algorithm and protocol with its best number of channels.",
                        {"size", Unit::size, true},
                        {"algorithm bandwidth", Unit::rate, true},
                        {}};
    for (auto& [name, line] : lines) { curves.lines.push_back(std::move(line)); }
    curves.lines.push_back(std::move(chosen));
    page.sections.emplace_back(std::move(curves));
    page.sections.emplace_back(page_table("NCCL's choice and the fastest",
                                          "With 80 % intervals, of the constants and of how far two forecasts of one "
                                          "site are wrong apart from each other.",
                                          rows, columns()));
    add_provenance(page, scenario);
    return page;
}

std::string tuner_file(const Scenario& scenario, const Fabric& fabric, const std::vector<BestRow>& rows) {
    std::string out = fmt::format(
        "# Written by fabricast {} for {}, NCCL {}, {} GPUs in {}: forecasts, not measurements.\n"
        "# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff\n",
        version(), scenario.name, scenario.library.nccl, fabric.gpu_count(),
        plural(static_cast<std::uint64_t>(fabric.node_count()), "node"));
    for (std::size_t i = 0; i < rows.size();) {
        const BestRow& first = rows[i];
        std::size_t end = i + 1;
        const auto alike = [&](const BestRow& row) {
            return row.gains() && words(row.fastest()) == words(first.fastest());
        };
        while (first.gains() && end < rows.size() && alike(rows[end])) { ++end; }
        if (first.gains()) {
            const std::int64_t last = end < rows.size() ? rows[end].size.count - 1 : rows[end - 1].size.count;
            for (std::size_t r = i; r < end; ++r) {
                out += fmt::format("# {}: {} takes {}, {} {}: {}\n", text(rows[r].size),
                                   words(rows[r].default_choice()), time_text(rows[r].default_choice().time_s),
                                   words(rows[r].fastest()), time_text(rows[r].fastest().time_s), gain_words(rows[r]));
            }
            out += fmt::format("{},{},{},{},{},{},{},{},-1,-1\n", tuner_name(workload_of(scenario).collective),
                               first.size.count, last, first.fastest().setting.algorithm->key,
                               lower_case(to_string(first.fastest().setting.protocol)),
                               first.fastest().setting.channels, fabric.node_count(), fabric.gpu_count());
        }
        i = end;
    }
    return out;
}

}  // namespace fabricast::inline best
