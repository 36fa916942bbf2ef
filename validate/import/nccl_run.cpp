#include "validate/import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import {
namespace {

// In letters only. A name that contains another one comes first.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"allreduce", "all_reduce"},   {"allgather", "all_gather"}, {"reducescatter", "reduce_scatter"},
    {"alltoallv", "all_to_all_v"}, {"alltoall", "all_to_all"},  {"broadcast", "broadcast"},
    {"bcast", "broadcast"},        {"sendrecv", "sendrecv"},    {"reduce", "reduce"},
    {"gather", "gather"},          {"scatter", "scatter"},      {"hypercube", "hypercube"}};

// The number after `word`, as in "minBytes 8"; -1 if there is none.
std::int64_t number_behind(std::string_view header, const std::string& word) {
    const auto match = Pattern(word + " *(-?[0-9]+)", Pattern::Case::counts).first_in(header);
    return match ? count_in_word(*(*match)[1]).value_or(-1) : -1;
}

// In bytes; 0 if the type is unknown.
std::int64_t element_size(std::string_view dtype) {
    constexpr std::pair<std::string_view, std::int64_t> types[] = {
        {"int8", 1},  {"uint8", 1},  {"char", 1},  {"f8e4m3", 1}, {"f8e5m2", 1}, {"half", 2},  {"bfloat16", 2},
        {"int32", 4}, {"uint32", 4}, {"float", 4}, {"double", 8}, {"int64", 8},  {"uint64", 8}};
    const auto* type = std::ranges::find(types, dtype, &std::pair<std::string_view, std::int64_t>::first);
    return type == std::end(types) ? 0 : type->second;
}

std::string collective_of(const NcclRun& run, const LogText& log, const Statements& said, std::string& note) {
    if (const auto stated = said.find("benchmark.collective"); stated != said.end()) { return stated->second; }
    if (!run.collective.empty()) { return run.collective; }
    std::string name = nccl_collective(std::filesystem::path(log.file()).stem().string());
    if (name.empty()) {
        refuse(run.place, "the log does not say which collective it timed", "",
               "--set benchmark.collective=all_reduce, or a file name that says it");
    }
    note = "collective: told by the file's name only";
    return name;
}

// Before nccl-tests 2.0, the size of all-gather and reduce-scatter was one rank's part (history of all_gather.cu).
bool counts_one_part(const NcclRun& run, std::string_view collective) {
    const std::int64_t element = element_size(run.dtype);
    if ((collective != "all_gather" && collective != "reduce_scatter") || run.ranks < 2 || element == 0) {
        return false;
    }
    return std::ranges::all_of(
               run.rows,
               [&](const NcclRow& r) { return r.count <= r.size / element && r.size == r.count * element; }) &&
           std::ranges::any_of(run.rows, [](const NcclRow& r) { return r.size > 0; });
}

}  // namespace

std::string nccl_collective(std::string_view name) {
    std::string letters = lower_case(name);
    std::erase_if(letters, [](char c) { return c < 'a' || c > 'z'; });
    for (const auto& [spelling, collective] : spellings) {
        if (holds(letters, spelling)) { return std::string(collective); }
    }
    return "";
}

std::string nccl_version_of_code(std::int64_t code) {
    if (code <= 0) { return ""; }
    const std::int64_t major = code >= 10000 ? code / 10000 : code / 1000;
    const std::int64_t minor = code >= 10000 ? code / 100 % 100 : code / 100 % 10;
    return fmt::format("{}.{}.{}", major, minor, code % 100);
}

std::size_t rows_asked(std::string_view header, std::int64_t most_bytes) {
    const std::int64_t from = number_behind(header, "minBytes ");
    const std::int64_t to = std::min(most_bytes, number_behind(header, "maxBytes "));
    const std::int64_t step = number_behind(header, "step: ");
    if (from < 1 || to < from || step < 1) { return 0; }
    if (holds(header, "(bytes)")) { return static_cast<std::size_t>((to - from) / step) + 1; }
    std::size_t rows = 0;
    for (double size = static_cast<double>(from); size <= static_cast<double>(to) && step > 1;
         size *= static_cast<double>(step)) {
        ++rows;
    }
    return rows;
}

Measurement measurement_of(const NcclRun& run, const LogText& log, const Statements& said) {
    Measurement m;
    std::string note;
    const std::string collective = collective_of(run, log, said, note);
    m.id = collective;
    m.kind = "nccl";
    state(m.system, run.place, {{"gpu", run.gpu}});
    const std::size_t hosts = run.hosts.size();
    if (hosts > 0 && run.ranks % hosts == 0) {
        state(m.system, run.place,
              {{"nodes", std::to_string(hosts)}, {"gpus_per_node", std::to_string(run.ranks / hosts)}});
    }
    state(m.software, run.place, {{"nccl", run.nccl}, {"cuda", run.toolkit}, {"env", run.env}});
    state(m.source, run.place, {{"date", run.date}});
    state(m.benchmark, run.place,
          {{"tool", run.tool},
           {"collective", collective},
           {"dtype", run.dtype},
           {"redop", run.redop},
           {"ranks", run.ranks == 0 ? "" : std::to_string(run.ranks)},
           {"header", run.header}});
    const bool parts = counts_one_part(run, collective);
    if (parts) {
        note += std::string(note.empty() ? "" : "; ") +
                "sizes were one rank's part, as old versions print them, and are the whole's here";
    }
    m.notes = note;
    m.columns = {"size_bytes", "time_us", "algbw_GBps", "busbw_GBps"};
    if (run.in_place) {
        m.columns.insert(m.columns.end(), {"inplace_time_us", "inplace_algbw_GBps", "inplace_busbw_GBps"});
    }
    for (const NcclRow& row : run.rows) {
        std::vector<std::string> cells = row.cells;
        cells.insert(cells.begin(), std::to_string((Bytes{row.size} * (parts ? run.ranks : 1)).count));
        add_row(m, std::move(cells), row.place);
    }
    return m;
}

}  // namespace fabricast::inline validate_import
