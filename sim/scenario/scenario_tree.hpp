#pragma once
// The tree of a scenario before its keys are read. `include:` merges the files that it starts from: maps key by key,
// everything else is replaced; later files win over earlier ones, and the including file wins over all. Then `--set
// path=value` replaces or adds one key, and `path=null` removes it.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline scenario {

// The tree of a scenario's file or text: includes merged, overrides applied, not yet checked. Throws InputError at an
// `include` entry that cannot be read, forms a cycle or lies outside the including file's folder.
yaml::Node scenario_tree(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
yaml::Node scenario_tree(std::string_view text, const std::filesystem::path& file,
                         const std::vector<std::string>& overrides = {});

// The tree with the overrides applied. Throws InputError at `--set:1:COLUMN`, the character in an override.
yaml::Node with_overrides(yaml::Node root, const std::vector<std::string>& overrides);

// Instances of public clouds by name (clouds/clouds.yaml): what a scenario that includes `cloud:NAME` starts from.
std::span<const EmbeddedFile> embedded_clouds();

struct Cloud {
    std::string name, note, source;
    yaml::Node keys;  // of a scenario: `cluster`, `library`
};

// In the order of the file.
const std::vector<Cloud>& clouds();

inline constexpr std::string_view cloud_prefix = "cloud:";  // of an entry of `include` that names one

}  // namespace fabricast::inline scenario
