#include "validate/import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "sim/plan/collectives/collective.hpp"
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
bool counts_one_part(const NcclRun& run, std::string_view collective, std::uint32_t ranks) {
    const std::int64_t element = element_size(run.dtype);
    if ((collective != "all_gather" && collective != "reduce_scatter") || ranks < 2 || element == 0) { return false; }
    return std::ranges::all_of(
               run.rows,
               [&](const NcclRow& r) { return r.count <= r.size / element && r.size == r.count * element; }) &&
           std::ranges::any_of(run.rows, [](const NcclRow& r) { return r.size > 0; });
}

// As the user states them, else as the log lists them; 0 if neither does.
std::uint32_t ranks_of(const NcclRun& run, const Statements& said) {
    const auto stated = said.find("benchmark.ranks");
    const std::int64_t ranks = stated == said.end() ? 0 : count_in_word(stated->second).value_or(0);
    return ranks > 0 && ranks <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(ranks)
                                                                           : run.ranks;
}

// busbw / algbw of one row, as far as the printed digits tell it.
struct Ratio {
    double low = 0, high = 0;
    double algbw = 0;  // the larger, the more digits
    SourceLocation place;
};

// Of a row's cells from `at` on: time, algbw, busbw. None if they were not measured or tell nothing.
std::optional<Ratio> ratio_in(const NcclRow& row, std::size_t at) {
    const auto algbw = figure_in_word(row.cells[at + 1]), busbw = figure_in_word(row.cells[at + 2]);
    if (!algbw || !busbw) { return std::nullopt; }
    // As in check_printed(): the tool may round the last digit either way.
    const double a = 2 * rounding_of(row.cells[at + 1]), b = 2 * rounding_of(row.cells[at + 2]);
    if (*algbw <= a) { return std::nullopt; }
    return Ratio{(*busbw - b) / (*algbw + a), (*busbw + b) / (*algbw - a), *algbw, row.place};
}

// The numbers of ranks that have such a ratio: factor n -> `most` * (n - 1) / n, with `most` 2 for all-reduce, else 1.
std::string ranks_with(const Ratio& ratio, Collective collective) {
    const double most = collective == Collective::all_reduce ? 2 : 1;
    const double from = std::max(1.0, std::ceil(most / (most - ratio.low)));
    if (busbw_factor(collective, 1) != 0 || ratio.low >= most) { return "no number of ranks has it"; }
    if (ratio.high >= most) { return fmt::format("{:.0f} ranks or more have it", from); }
    const double to = std::floor(most / (most - ratio.high));
    return from > to    ? "no number of ranks has it"
           : from == to ? fmt::format("{:.0f} ranks have it", from)
                        : fmt::format("{:.0f} to {:.0f} ranks have it", from, to);
}

// nccl-tests computes busbw from algbw and the number of ranks: a log whose list of ranks was cut, or whose ranks were
// split into groups, would else be read as a run of another machine.
void check_ratio(const NcclRun& run, std::string_view name, std::uint32_t ranks) {
    const auto* const known = std::ranges::find(collective_names, name);
    if (known == collective_names.end()) { return; }  // hypercube
    const auto collective = static_cast<Collective>(known - collective_names.begin());
    const double factor = busbw_factor(collective, ranks);
    std::optional<Ratio> clearest;
    for (const NcclRow& row : run.rows) {
        for (std::size_t at = 0; at + 2 < row.cells.size(); at += 3) {
            const auto ratio = ratio_in(row, at);
            const bool contradicts = ratio && (factor < ratio->low - 1e-6 || factor > ratio->high + 1e-6);
            if (contradicts && (!clearest || ratio->algbw > clearest->algbw)) { clearest = ratio; }
        }
    }
    if (!clearest) { return; }
    refuse(clearest->place, fmt::format("busbw / algbw of {} is not that of the ranks listed", name),
           fmt::format("about {:.3f}: {}", (clearest->low + clearest->high) / 2, ranks_with(*clearest, collective)),
           fmt::format("{:.3f}, as {} ranks have it; or --set benchmark.ranks=N", factor, ranks));
}

// Each process lists nThread x nGpus ranks (nccl-tests, src/common.cu).
void check_list(const NcclRun& run, std::uint32_t ranks) {
    const std::int64_t each = number_behind(run.header, "nThread ") * number_behind(run.header, "nGpus ");
    if (each > 0 && ranks % each != 0) {
        refuse(run.place, "ranks are missing from the log's list", fmt::format("{} ranks", ranks),
               fmt::format("a multiple of nThread x nGpus = {}; or --set benchmark.ranks=N", each));
    }
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
    const std::uint32_t ranks = ranks_of(run, said);
    if (ranks > 0) {
        check_ratio(run, collective, ranks);
        check_list(run, ranks);
    }
    m.id = collective;
    m.kind = "nccl";
    state(m.system, run.place, {{"gpu", run.gpu}});
    const std::size_t hosts = run.hosts.size();
    if (hosts > 0 && ranks % hosts == 0) {
        state(m.system, run.place,
              {{"nodes", std::to_string(hosts)}, {"gpus_per_node", std::to_string(ranks / hosts)}});
    }
    state(m.software, run.place, {{"nccl", run.nccl}, {"cuda", run.toolkit}, {"env", run.env}});
    state(m.source, run.place, {{"date", run.date}});
    state(m.benchmark, run.place,
          {{"tool", run.tool},
           {"collective", collective},
           {"dtype", run.dtype},
           {"redop", run.redop},
           {"ranks", ranks == 0 ? "" : std::to_string(ranks)},
           {"header", run.header}});
    const bool parts = counts_one_part(run, collective, ranks);
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
        cells.insert(cells.begin(), std::to_string((Bytes{row.size} * (parts ? ranks : 1)).count));
        add_row(m, std::move(cells), row.place);
    }
    return m;
}

}  // namespace fabricast::inline validate_import
