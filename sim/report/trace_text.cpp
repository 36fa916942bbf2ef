#include "sim/report/trace_text.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/report/result_columns.hpp"

namespace fabricast {

namespace {

constexpr std::size_t most_lines = 32;  // lines for ranks; the JSON has all watched ranks

std::string time_text(double seconds) { return text(seconds, Dimension::time); }

std::string uses_table(const std::vector<ReplayUse>& uses) {
    if (uses.empty()) {
        return "";
    }
    const Columns<ReplayUse> columns = replay_use_columns();
    std::string lines = "#\n" + text_heading(columns);
    for (const ReplayUse& use : uses) {
        lines += text_line(use, columns);
    }
    return lines;
}

std::string ranks_table(const std::vector<ReplayRank>& members) {
    const Columns<ReplayRank> columns = replay_rank_columns();
    std::string lines = "#\n" + text_heading(columns);
    for (std::size_t i = 0; i < std::min(members.size(), most_lines); ++i) {
        lines += text_line(members[i], columns);
    }
    if (members.size() > most_lines) {
        lines += fmt::format("# and {} more\n", members.size() - most_lines);
    }
    return lines;
}

}  // namespace

std::string replay_table(const ReplayReport& replay) {
    std::string lines = fmt::format(
        "# {}recording of {}, replayed on {}\nmakespan {}", replay.format == "recording" ? "" : replay.format + " ",
        plural(replay.recorded, "rank"), plural(replay.ranks, "GPU"), time_text(replay.makespan_s));
    if (replay.recorded_s) {
        lines += ", recorded " + time_text(*replay.recorded_s);
    }
    if (replay.steps > 1) {
        lines += fmt::format("; {} steps of {}", replay.steps, time_text(replay.makespan_s / replay.steps));
    }
    lines += "\nbottleneck " + replay.bottleneck + "\n";
    return lines + uses_table(replay.uses) + ranks_table(replay.members);
}

Json replay_json(const ReplayReport& replay) {
    Json json = {{"format", replay.format},
                 {"recorded_ranks", replay.recorded},
                 {"ranks", replay.ranks},
                 {"steps", replay.steps},
                 {"makespan_s", replay.makespan_s},
                 {"bottleneck", replay.bottleneck},
                 {"communication", records_json(replay.uses, replay_use_columns())},
                 {"members", records_json(replay.members, replay_rank_columns())}};
    if (replay.recorded_s) {
        json["recorded_s"] = *replay.recorded_s;
    }
    return json;
}

Json replay_json_schema() {
    const auto whole = [](const char* meaning) { return Json{{"type", "integer"}, {"description", meaning}}; };
    return {{"type", "object"},
            {"properties",
             {{"format", {{"type", "string"}, {"description", "Of the trace."}}},
              {"recorded_ranks", whole("Ranks with a recording of their own.")},
              {"ranks", whole("Ranks that were replayed.")},
              {"steps", whole("Training steps in it.")},
              {"makespan_s", {{"type", "number"}, {"description", "From the first start to the last end."}}},
              {"recorded_s", {{"type", "number"}, {"description", "The same of the recording itself."}}},
              {"bottleneck", {{"type", "string"}, {"description", "The busiest link, or what the time goes into."}}},
              {"communication", records_schema(replay_use_columns())},
              {"members", records_schema(replay_rank_columns())}}},
            {"required",
             {"format", "recorded_ranks", "ranks", "steps", "makespan_s", "bottleneck", "communication", "members"}},
            {"additionalProperties", false}};
}

}  // namespace fabricast
