#include "validate/import/nccl_run.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "sim/scenario/scenario.hpp"

namespace fabricast {
namespace {

std::string letters_of(std::string_view words) {
    std::string letters;
    for (const char c : words) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return letters;
}

struct Spelling {
    std::string_view letters, collective;
};
constexpr Spelling spellings[] = {
    {"allreduce", "all_reduce"},   {"allgather", "all_gather"}, {"reducescatter", "reduce_scatter"},
    {"alltoallv", "all_to_all_v"}, {"alltoall", "all_to_all"},  {"broadcast", "broadcast"},
    {"bcast", "broadcast"},        {"sendrecv", "sendrecv"},    {"reduce", "reduce"},
    {"gather", "gather"},          {"scatter", "scatter"},      {"hypercube", "hypercube"}};

// The number after `word`, as in "minBytes 8"; -1 if there is none.
std::int64_t number_behind(std::string_view header, std::string_view word) {
    const std::size_t found = header.find(word);
    if (found == std::string_view::npos) {
        return -1;
    }
    std::string_view rest = header.substr(found + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    return error == std::errc{} ? value : -1;
}

std::int64_t element_size(std::string_view dtype) {
    struct Type {
        std::string_view name;
        std::int64_t bytes;
    };
    constexpr Type types[] = {{"int8", 1},   {"uint8", 1},    {"char", 1},  {"f8e4m3", 1}, {"f8e5m2", 1},
                              {"half", 2},   {"bfloat16", 2}, {"int32", 4}, {"uint32", 4}, {"float", 4},
                              {"double", 8}, {"int64", 8},    {"uint64", 8}};
    for (const Type& type : types) {
        if (type.name == dtype) {
            return type.bytes;
        }
    }
    return 0;
}

std::string collective_of(const NcclRun& run, const LogText& log, const Statements& said, std::string& note) {
    if (const auto stated = said.find("benchmark.collective"); stated != said.end()) {
        return stated->second;
    }
    if (!run.collective.empty()) {
        return run.collective;
    }
    std::string name = nccl_collective(std::filesystem::path(log.file()).stem().string());
    if (name.empty()) {
        throw InputError(run.place,
                         error_message("the log does not say which collective it timed", "",
                                       "--set benchmark.collective=all_reduce, or a file name that says it"));
    }
    note = "collective: told by the file's name only";
    return name;
}

// Before nccl-tests 2.0, the size of all-gather and reduce-scatter was one rank's part. Source: nccl-tests
// all_gather.cu history.
bool counts_one_part(const NcclRun& run, std::string_view collective) {
    const std::int64_t element = element_size(run.dtype);
    if ((collective != "all_gather" && collective != "reduce_scatter") || run.ranks < 2 || element == 0) {
        return false;
    }
    return std::ranges::all_of(run.rows, [&](const NcclRow& r) { return r.size == r.count * element; }) &&
           std::ranges::any_of(run.rows, [](const NcclRow& r) { return r.size > 0; });
}

void put(MeasurementSection& section, const char* key, std::string words, const SourceLocation& place) {
    if (!words.empty()) {
        section[key] = {std::move(words), place};
    }
}

}  // namespace

std::string nccl_collective(std::string_view name) {
    const std::string letters = letters_of(name);
    for (const Spelling& spelling : spellings) {
        if (letters.find(spelling.letters) != std::string::npos) {
            return std::string(spelling.collective);
        }
    }
    return "";
}

std::string nccl_version_of_code(std::int64_t code) {
    if (code <= 0) {
        return "";
    }
    const std::int64_t major = code >= 10000 ? code / 10000 : code / 1000;
    const std::int64_t minor = code >= 10000 ? code / 100 % 100 : code / 100 % 10;
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(code % 100);
}

std::size_t rows_asked(std::string_view header, std::int64_t most_bytes) {
    const std::int64_t from = number_behind(header, "minBytes ");
    const std::int64_t to = std::min(most_bytes, number_behind(header, "maxBytes "));
    const std::int64_t step = number_behind(header, "step: ");
    if (from < 1 || to < from || step < 1) {
        return 0;
    }
    if (header.find("(bytes)") != std::string_view::npos) {
        return static_cast<std::size_t>((to - from) / step) + 1;
    }
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
    m.place = run.place;
    put(m.system, "gpu", run.gpu, run.place);
    const std::size_t hosts = run.hosts.size();
    if (hosts > 0 && run.ranks % hosts == 0) {
        put(m.system, "nodes", std::to_string(hosts), run.place);
        put(m.system, "gpus_per_node", std::to_string(run.ranks / hosts), run.place);
    }
    put(m.software, "nccl", run.nccl, run.place);
    put(m.software, "env", run.env, run.place);
    put(m.source, "date", run.date, run.place);
    put(m.benchmark, "tool", run.tool, run.place);
    put(m.benchmark, "collective", collective, run.place);
    put(m.benchmark, "dtype", run.dtype, run.place);
    put(m.benchmark, "redop", run.redop, run.place);
    put(m.benchmark, "ranks", run.ranks == 0 ? "" : std::to_string(run.ranks), run.place);
    put(m.benchmark, "header", run.header, run.place);
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
        std::vector<std::string>& cells = m.rows.emplace_back();
        cells.push_back(std::to_string(parts ? row.size * run.ranks : row.size));
        cells.insert(cells.end(), row.cells.begin(), row.cells.end());
        m.row_places.push_back(row.place);
    }
    return m;
}

}  // namespace fabricast
