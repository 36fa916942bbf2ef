#pragma once
// Where data was measured, and what is known to be broken there: validate/measurements/{sites,unhealthy}.yaml.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "validate/curves/derive.hpp"

namespace fabricast {

// A site is one machine or one service; its groups say what a fit may call a sibling.
struct SiteEntry {
    std::string site;
    std::string publisher;  // the site itself, unless several sites have one publisher
    SystemGroup group;
};
using Sites = std::map<std::string, SiteEntry, std::less<>>;  // by dataset id

struct UnhealthyPattern {
    std::string match;  // shell glob over dataset ids
    std::string cause;
};

// What is known of a site that forecasts miss: only for reading.
using KnownMisses = std::map<std::string, std::string, std::less<>>;

// Each throws InputError.
KnownMisses read_misses(const std::filesystem::path& path);
Sites read_sites(const std::filesystem::path& path);
std::vector<UnhealthyPattern> read_unhealthy(const std::filesystem::path& path);

// The site of a file: as listed, else its source.
std::string site_of(const Measurement& measurement, const Sites& sites);

// Who published it: as listed, else its site.
std::string publisher_of(const Measurement& measurement, const Sites& sites);

// Why this dataset is known to be degraded, or "".
std::string_view cause_of(std::string_view dataset, const std::vector<UnhealthyPattern>& unhealthy);

// "*" any text, "?" one character.
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace fabricast
