#pragma once
// Instances of public clouds by name (clouds/clouds.yaml): what a scenario that includes `cloud:NAME` starts from.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline scenario {

std::span<const EmbeddedFile> embedded_clouds();

struct Cloud {
    std::string name, note, source;
    yaml::Node keys;  // of a scenario: `cluster`, `library`
};

// In the order of the file.
const std::vector<Cloud>& clouds();

inline constexpr std::string_view cloud_prefix = "cloud:";

// The keys of the instance that an `include` entry names. Throws InputError at the entry, naming the nearest.
yaml::Node cloud_keys(const yaml::Node& entry);

}  // namespace fabricast::inline scenario
