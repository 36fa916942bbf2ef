#pragma once
// A user's own parts and nodes beside those inside the program.

#include <filesystem>

#include "models/catalog.hpp"

namespace fabricast {

// The catalogue inside the program, and a user's folder.
Catalog read_catalog(const std::filesystem::path& folder);

// Adds the parts of every *.yaml file of a user's folder, by name. They may inherit from a part of the catalogue but
// not take its name, and have the figures and words of their kind. A file that says `gpu: PART` at its top is a node
// template, written as those of topologies/nodes. Throws InputError; IoError where the folder cannot be listed.
void add_folder(Catalog& catalog, const std::filesystem::path& folder);

}  // namespace fabricast
