#include "models/library.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 4> generations = {"volta", "ampere", "hopper", "blackwell"};

}  // namespace

std::vector<int> version_numbers(std::string_view version) {
    std::vector<int> numbers;
    const char* at = version.data();
    const char* const end = at + version.size();
    while (true) {
        int number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error != std::errc{} || number < 0 || (stop != end && *stop != '.')) {
            throw CatalogError("'" + std::string(version) +
                               "' is no version (accepted: numbers and points, as 2.27.3)");
        }
        numbers.push_back(number);
        if (stop == end) {
            return numbers;
        }
        at = stop + 1;
    }
}

const Part& nccl_library(const Catalog& catalog, std::string_view version) {
    const std::vector<int> asked = version_numbers(version);
    const Part* best = nullptr;
    std::vector<int> best_version;
    std::string oldest;
    std::vector<int> oldest_version;
    for (const Part* part : catalog.of_kind("library")) {
        if (!part->name.starts_with("nccl-")) {
            continue;
        }
        std::vector<int> numbers = version_numbers(part->word("version"));
        if (oldest.empty() || numbers < oldest_version) {
            oldest = part->name;
            oldest_version = numbers;
        }
        if (numbers <= asked && (best == nullptr || best_version < numbers)) {
            best = part;
            best_version = std::move(numbers);
        }
    }
    if (best == nullptr) {
        throw CatalogError("no NCCL as old as " + std::string(version) + " in the catalogue; the oldest is " +
                           (oldest.empty() ? "none" : oldest));
    }
    return *best;
}

std::string_view nccl_generation(GpuArch arch) {
    switch (arch) {
        case GpuArch::pascal:
        case GpuArch::volta:
        case GpuArch::turing:
            return generations[0];
        case GpuArch::ampere:
        case GpuArch::ada:
            return generations[1];
        case GpuArch::hopper:
            return generations[2];
        case GpuArch::blackwell:
            break;
    }
    return generations[3];
}

const std::vector<double>& generation_row(const Part& library, std::string_view table, GpuArch arch) {
    const auto own = std::find(generations.begin(), generations.end(), nccl_generation(arch));
    for (auto row = own;; --row) {
        const std::string path = std::string(table) + "." + std::string(*row);
        if (library.has(path) || row == generations.begin()) {
            return library.list(path);
        }
    }
}

double nccl_nvlink_bandwidth(const Part& library, int compute_capability) {
    const auto exact = "nvlink.sm" + std::to_string(compute_capability);
    if (library.has(exact)) {
        return library.number(exact, "B/s");
    }
    // 8.6 stands apart in NCCL's table: a bridge of slower links. Later ones without a row count as 8.0.
    static constexpr std::array<int, 5> rows = {100, 90, 80, 70, 60};
    for (const int row : rows) {
        const auto path = "nvlink.sm" + std::to_string(row);
        if (row <= compute_capability && library.has(path)) {
            return library.number(path, "B/s");
        }
    }
    return library.number("nvlink.sm60", "B/s");
}

const std::vector<double>& nccl_search_speeds(const Part& library, std::string_view scope, GpuArch arch) {
    const std::string_view generation = nccl_generation(arch);
    const std::string table = "search." + std::string(scope) + ".";
    if (generation == "blackwell" && library.has(table + "blackwell")) {
        return library.list(table + "blackwell");
    }
    if ((generation == "blackwell" || generation == "hopper") && library.has(table + "hopper")) {
        return library.list(table + "hopper");
    }
    return library.list(table + "pre_hopper");
}

}  // namespace fabricast
