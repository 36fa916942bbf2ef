#include "sim/report/trace_report.hpp"

#include <cstdio>
#include <functional>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

constexpr std::size_t most_lines = 32;  // lines for ranks; the JSON has all watched ranks

template <class... Args>
std::string format(const char* pattern, Args... args) {
    std::string line(static_cast<std::size_t>(std::snprintf(nullptr, 0, pattern, args...)), '\0');
    std::snprintf(line.data(), line.size() + 1, pattern, args...);
    return line;
}

std::string time_text(double seconds) { return text(seconds, Dimension::time); }

template <class Record>
struct Column {
    const char* name;
    const char* type;
    const char* meaning;
    std::function<Json(const Record&)> value;
};

const std::vector<Column<ReplayUse>>& use_columns() {
    static const std::vector<Column<ReplayUse>> columns = {
        {"group", "string", "The communicator's name in the trace.", [](const ReplayUse& u) { return u.group; }},
        {"ranks", "integer", "In one of them.", [](const ReplayUse& u) { return u.ranks; }},
        {"groups", "integer", "Of this name and size.", [](const ReplayUse& u) { return u.groups; }},
        {"collective", "string", "What they call; sendrecv for messages.",
         [](const ReplayUse& u) { return u.collective; }},
        {"calls", "integer", "On all of them.", [](const ReplayUse& u) { return u.calls; }},
        {"size_bytes", "number", "nccl-tests' size, summed over the calls.",
         [](const ReplayUse& u) { return u.bytes; }},
        {"time_s", "number", "Summed over the calls, from the last rank's arrival on.",
         [](const ReplayUse& u) { return u.time_s; }},
    };
    return columns;
}

const std::vector<Column<ReplayRank>>& rank_columns() {
    static const std::vector<Column<ReplayRank>> columns = {
        {"rank", "integer", "Of the job.", [](const ReplayRank& r) { return r.rank; }},
        {"device", "string", "Where it runs.", [](const ReplayRank& r) { return r.device; }},
        {"compute_s", "number", "Some kernel runs.", [](const ReplayRank& r) { return r.compute_s; }},
        {"comm_s", "number", "Some call runs.", [](const ReplayRank& r) { return r.comm_s; }},
        {"waiting_s", "number", "It waits for others to arrive.", [](const ReplayRank& r) { return r.waiting_s; }},
        {"exposed_comm_s", "number", "Calls and waiting that no kernel hides.",
         [](const ReplayRank& r) { return r.exposed_s; }},
        {"end_s", "number", "Of its last record.", [](const ReplayRank& r) { return r.end_s; }},
    };
    return columns;
}

template <class Record>
Json list_json(const std::vector<Record>& records, const std::vector<Column<Record>>& columns) {
    Json list = Json::array();
    for (const Record& record : records) {
        Json json = Json::object();
        for (const Column<Record>& column : columns) {
            json[column.name] = column.value(record);
        }
        list.push_back(std::move(json));
    }
    return list;
}

template <class Record>
Json list_schema(const std::vector<Column<Record>>& columns) {
    Json properties = Json::object(), needed = Json::array();
    for (const Column<Record>& column : columns) {
        properties[column.name] = {{"type", column.type}, {"description", column.meaning}};
        needed.push_back(column.name);
    }
    return {{"type", "array"},
            {"items",
             {{"type", "object"}, {"properties", properties}, {"required", needed}, {"additionalProperties", false}}}};
}

std::string uses_table(const std::vector<ReplayUse>& uses) {
    if (uses.empty()) {
        return "";
    }
    std::string lines = format("#\n# %-24s %6s %7s  %-14s %8s %10s %12s %14s\n", "group", "ranks", "groups",
                               "collective", "calls", "a call", "in all", "of one group");
    for (const ReplayUse& use : uses) {
        const double groups = std::max<std::uint32_t>(use.groups, 1);
        lines += format("  %-24.24s %6u %7u  %-14s %8llu %10s %12s %14s\n", use.group.empty() ? "-" : use.group.c_str(),
                        use.ranks, use.groups, use.collective.c_str(), static_cast<unsigned long long>(use.calls),
                        text(use.bytes / static_cast<double>(use.calls), Dimension::size).c_str(),
                        text(use.bytes, Dimension::size).c_str(), time_text(use.time_s / groups).c_str());
    }
    return lines;
}

std::string ranks_table(const std::vector<ReplayRank>& members) {
    std::string lines = format("#\n#%7s  %-14s %12s %14s %12s %12s %12s\n", "rank", "device", "computing",
                               "communicating", "waiting", "exposed", "end");
    for (std::size_t i = 0; i < members.size() && i < most_lines; ++i) {
        const ReplayRank& r = members[i];
        lines += format("%8u  %-14s %12s %14s %12s %12s %12s\n", r.rank, r.device.c_str(),
                        time_text(r.compute_s).c_str(), time_text(r.comm_s).c_str(), time_text(r.waiting_s).c_str(),
                        time_text(r.exposed_s).c_str(), time_text(r.end_s).c_str());
    }
    if (members.size() > most_lines) {
        lines += format("# and %zu more\n", members.size() - most_lines);
    }
    return lines;
}

}  // namespace

std::string replay_table(const ReplayReport& replay) {
    std::string lines = "# " + (replay.format == "recording" ? "" : replay.format + " ") + "recording of " +
                        std::to_string(replay.recorded) + (replay.recorded == 1 ? " rank" : " ranks") +
                        ", replayed on " + std::to_string(replay.ranks) + (replay.ranks == 1 ? " GPU\n" : " GPUs\n");
    lines += "makespan " + time_text(replay.makespan_s);
    if (replay.recorded_s) {
        lines += ", recorded " + time_text(*replay.recorded_s);
    }
    if (replay.steps > 1) {
        lines += "; " + std::to_string(replay.steps) + " steps of " + time_text(replay.makespan_s / replay.steps);
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
                 {"communication", list_json(replay.uses, use_columns())},
                 {"members", list_json(replay.members, rank_columns())}};
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
              {"communication", list_schema(use_columns())},
              {"members", list_schema(rank_columns())}}},
            {"required",
             {"format", "recorded_ranks", "ranks", "steps", "makespan_s", "bottleneck", "communication", "members"}},
            {"additionalProperties", false}};
}

}  // namespace fabricast
