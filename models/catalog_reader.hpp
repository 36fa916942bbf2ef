#pragma once
// Reads the catalogue from YAML: built-in parts, a user's own parts, and overlays that replace figures.
//
// docs/catalogue.md describes the files. Keys of a part other than those there are words ("speaks: infiniband").

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/yaml.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline models {

// Adds the parts of YAML files to a catalogue. A base may be in any of them or in the catalogue. Throws InputError.
void add_parts(Catalog& catalog, const std::vector<yaml::Node>& files);

// Throws InputError unless the name consists of lower-case letters, digits, dashes and dots.
void check_part_name(const std::string& name, const SourceLocation& place);

// Replaces figures by part and dotted name. Throws InputError at a part or figure that does not exist (naming the
// nearest), or whose unit or number of values differs; the catalogue is then unchanged.
void merge_overlay(Catalog& catalog, const yaml::Node& overlay);

// JSON Schema draft 2020-12. They check structure; whether a part, figure or unit exists is checked by the reader.
Json catalogue_json_schema();
Json overlay_json_schema();

}  // namespace fabricast::inline models
