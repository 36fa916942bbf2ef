#include "validate/accuracy/sites.hpp"

namespace fabricast::inline validate_accuracy {

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

SiteEntry site_of(const Measurement& measurement, const Sites& sites) {
    if (const auto listed = sites.find(measurement.id); listed != sites.end()) { return listed->second; }
    std::string_view source = text(measurement.source, "repo");
    source = source.empty() ? text(measurement.source, "url") : source;
    const std::string own(source.empty() ? measurement.id : source);
    return {own, own, {}};
}

std::string_view cause_of(std::string_view dataset, const std::vector<UnhealthyPattern>& unhealthy) {
    for (const UnhealthyPattern& pattern : unhealthy) {
        if (glob_matches(pattern.match, dataset)) { return pattern.cause; }
    }
    return {};
}

}  // namespace fabricast::inline validate_accuracy
