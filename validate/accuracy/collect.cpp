#include "validate/accuracy/collect.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
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

// The site of a measurement and its publisher: from the list, or else its source, which is both.
SiteEntry site_of(const Measurement& measurement, const Sites& sites) {
    if (const auto listed = sites.find(measurement.id); listed != sites.end()) { return listed->second; }
    std::string_view source = text(measurement.source, "repo");
    source = source.empty() ? text(measurement.source, "url") : source;
    const std::string own(source.empty() ? measurement.id : source);
    return {own, own, {}};
}

// Why this dataset is known to be degraded; "" if it is not.
std::string_view cause_of(std::string_view dataset, const std::vector<UnhealthyPattern>& unhealthy) {
    for (const UnhealthyPattern& pattern : unhealthy) {
        if (glob_matches(pattern.match, dataset)) { return pattern.cause; }
    }
    return {};
}

std::set<Regime> unexplained_in(const Measurement& measurement, std::uint32_t nodes,
                                const std::vector<Deviation>& deviations) {
    std::set<Regime> regimes;
    for (const Deviation& deviation : deviations) {
        if (nodes >= deviation.nodes_from && glob_matches(deviation.match, measurement.id)) {
            regimes.insert(deviation.regime);
        }
    }
    return regimes;
}

}  // namespace

Sites read_sites(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"publishers", "sites"});
    std::map<std::string, std::string> publishers;  // by site
    for (const yaml::Node& publisher : root.required("publishers").members()) {
        for (const yaml::Node& site : publisher.items()) {
            if (root.required("sites").get(site.as_string()) == nullptr) {
                site.fail("no site " + shown(site.as_string()) + " is listed below");
            }
            publishers[site.as_string()] = publisher.name;
        }
    }
    Sites sites;
    for (const yaml::Node& site : root.required("sites").members()) {
        const std::string& publisher = publishers.try_emplace(site.name, site.name).first->second;
        for (const yaml::Node& group : site.items()) {
            group.allow({"generation", "nccl", "fabric", "datasets"});
            const SystemGroup words{group.required("generation").as_string(), group.required("nccl").as_string(),
                                    group.required("fabric").as_string()};
            for (const yaml::Node& dataset : group.required("datasets").items()) {
                if (!sites.emplace(dataset.as_string(), SiteEntry{site.name, publisher, words}).second) {
                    dataset.fail("dataset " + shown(dataset.as_string()) + " stands in two sites");
                }
            }
        }
    }
    return sites;
}

KnownMisses read_misses(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"misses"});
    KnownMisses misses;
    for (const yaml::Node& site : root.required("misses").members()) { misses[site.name] = site.as_string(); }
    return misses;
}

std::vector<UnhealthyPattern> read_unhealthy(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"unhealthy"});
    std::vector<UnhealthyPattern> patterns;
    for (const yaml::Node& entry : root.required("unhealthy").items()) {
        entry.allow({"match", "cause"});
        patterns.push_back({entry.required("match").as_string(), entry.required("cause").as_string()});
    }
    return patterns;
}

std::vector<Deviation> read_deviations(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"deviations"});
    std::vector<Deviation> deviations;
    for (const yaml::Node& entry : root.required("deviations").items()) {
        entry.allow({"match", "nodes_from", "regime", "at_least_pct", "reason"});
        deviations.push_back({entry.required("match").as_string(),
                              static_cast<std::uint32_t>(entry.required("nodes_from").as_int(1, 1 << 20)),
                              static_cast<Regime>(entry.required("regime").as_enum({"small", "mid", "large"})),
                              entry.required("at_least_pct").as_double(), entry.required("reason").as_string()});
    }
    return deviations;
}

Collection collect(const std::filesystem::path& folder, const Catalog& catalog, FabricCache& cache,
                   const std::filesystem::path& measurements) {
    const Sites sites = read_sites(measurements / "sites.yaml");
    const std::vector<UnhealthyPattern> unhealthy = read_unhealthy(measurements / "unhealthy.yaml");
    const std::vector<Deviation> deviations = read_deviations(measurements / "deviations.yaml");
    Collection collection;
    std::set<std::string> seen;
    for (const std::filesystem::path& file : measurement_files(folder)) {
        try {
            for (const Measurement& measurement : split_counts(read_measurement(file))) {
                if (measurement.kind != "nccl") { continue; }  // measurements of links and NICs, not of collectives
                if (!seen.insert(measurement.id).second) {
                    collection.skipped.push_back({file.string(), std::string(read_before)});
                    continue;
                }
                const SiteEntry where = site_of(measurement, sites);
                Comparison comparison = compare(measurement, catalog, cache);
                const std::uint32_t nodes = comparison.derived.scenario.cluster.nodes;
                collection.curves.push_back({std::move(comparison), where.site, where.publisher,
                                             std::string(cause_of(measurement.id, unhealthy)),
                                             unexplained_in(measurement, nodes, deviations)});
            }
        } catch (const NotACurve& error) {
            collection.skipped.push_back({file.string(), error.message});
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
