#pragma once
// A user's own parts and nodes beside the built-in ones.

#include <filesystem>

#include "models/catalog.hpp"

namespace fabricast::inline topologies {

// The built-in catalogue with the parts of every *.yaml file of a user's folder, in the order of file names. Parts may
// inherit from a part of the catalogue but not take its name, and may only have figures and words that exist for their
// kind. A file with `gpu: PART` or `gpus: {part: PART}` at its top level is a node template, in the format of
// topologies/nodes. Throws InputError; IoError if the folder cannot be listed.
Catalog read_catalog(const std::filesystem::path& folder);

}  // namespace fabricast::inline topologies
