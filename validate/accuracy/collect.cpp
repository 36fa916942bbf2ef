#include "validate/accuracy/collect.hpp"

#include <algorithm>
#include <set>

#include "base/text_file.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline validate_accuracy {
namespace {

std::vector<std::filesystem::path> measurement_files(const std::filesystem::path& folder) {
    std::error_code error;
    const std::filesystem::recursive_directory_iterator entries(folder, error);
    if (error) { throw IoError("the folder " + folder.string() + " cannot be read: " + error.message()); }
    std::vector<std::filesystem::path> files = yaml::files_among(entries);
    std::erase_if(files, is_training_table);
    return files;
}

}  // namespace

Collection collect(const std::filesystem::path& folder, const Catalog& catalog, FabricCache& cache,
                   const std::filesystem::path& measurements) {
    const Sites sites = read_sites(measurements / "sites.yaml");
    const std::vector<UnhealthyPattern> unhealthy = read_unhealthy(measurements / "unhealthy.yaml");
    Collection collection;
    std::set<std::string> seen;
    for (const std::filesystem::path& file : measurement_files(folder)) {
        try {
            const Measurement measurement = read_measurement(file);
            if (measurement.kind != "nccl") {
                continue;  // measurements of links and NICs, not of collectives
            }
            if (!seen.insert(measurement.id).second) {
                collection.skipped.push_back({file.string(), "a dataset of this id was read before"});
                continue;
            }
            collection.curves.push_back({compare(measurement, builtin_aliases(), catalog, cache),
                                         site_of(measurement, sites), publisher_of(measurement, sites),
                                         std::string(cause_of(measurement.id, unhealthy))});
        } catch (const std::runtime_error& error) { collection.skipped.push_back({file.string(), error.what()}); }
    }
    std::ranges::sort(collection.curves, {}, [](const CollectedCurve& c) { return c.comparison.id; });
    return collection;
}

std::vector<ComparedRow> accuracy_rows(const Collection& collection) {
    std::vector<ComparedRow> rows;
    for (const CollectedCurve& curve : collection.curves) {
        const Derived& derived = curve.comparison.derived;
        for (const ComparedSize& size : curve.comparison.sizes) {
            ComparedRow row;
            row.table = curve.comparison.id;
            row.site = curve.site;
            row.publisher = curve.publisher;
            row.nodes = derived.scenario.cluster.nodes;
            row.part = row.nodes > 1 ? "between" : "inside";
            row.group = derived.group;
            row.size = size.measured.size;
            row.measured = size.measured.seconds;
            row[Forecast::ours] = size.ours.seconds;
            row[Forecast::null_alphabeta] = size.null_alphabeta;
            row[Forecast::null_tuning] = size.null_tuning;
            if (!size.measured.left_out.empty()) {
                row.use = RowUse::unusable;
                row.why = size.measured.left_out;
            } else if (!curve.cause.empty()) {
                row.use = RowUse::excluded;
                row.why = "unhealthy";
            }
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace fabricast::inline validate_accuracy
