#pragma once
// Keys that have a new name. The old one is still read, for one release, with a note in the report. To rename a key,
// add a row to the table in renamed_keys.cpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"

namespace fabricast::inline scenario {

// The present name of a key: "workload.concurrent" for "workload.beside"; any other path itself.
std::string_view present_name(std::string_view path);

// The map at `path` ("" for the whole tree) with present names, and a note for each old one; nullopt if it has none.
// Throws InputError at an old name whose present name is given too.
std::optional<yaml::Node> with_present_names(const yaml::Node& map, std::string_view path,
                                             std::vector<std::string>& notes);

}  // namespace fabricast::inline scenario
