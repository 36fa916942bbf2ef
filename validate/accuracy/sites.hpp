#pragma once
// Where data was measured, and what is known to be broken there: validate/measurements/{sites,unhealthy}.yaml.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "validate/curves/derive.hpp"

namespace fabricast::inline validate_accuracy {

// A site is one machine or one service. Two sites with equal groups are siblings in a fit.
struct SiteEntry {
    std::string site;
    std::string publisher;  // the name of the site, unless several sites have one publisher
    SystemGroup group;
};
using Sites = std::map<std::string, SiteEntry, std::less<>>;  // by dataset id

struct UnhealthyPattern {
    std::string match;  // shell glob over dataset ids
    std::string cause;
};

// Why forecasts miss a site, as far as known, by site. Only printed, never used in a calculation.
using KnownMisses = std::map<std::string, std::string, std::less<>>;

// Each throws InputError.
KnownMisses read_misses(const std::filesystem::path& path);
Sites read_sites(const std::filesystem::path& path);
std::vector<UnhealthyPattern> read_unhealthy(const std::filesystem::path& path);

// The site of a measurement: from the list, or else its source.
std::string site_of(const Measurement& measurement, const Sites& sites);

// The publisher of a measurement: from the list, or else its site.
std::string publisher_of(const Measurement& measurement, const Sites& sites);

// Why this dataset is known to be degraded; "" if it is not.
std::string_view cause_of(std::string_view dataset, const std::vector<UnhealthyPattern>& unhealthy);

}  // namespace fabricast::inline validate_accuracy
