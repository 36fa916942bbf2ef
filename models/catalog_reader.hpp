#pragma once
// Reads the catalogue from YAML: built-in parts, a user's own parts, and overlays that replace figures.
//
// A file is a map of part names to parts:
//
//     connectx-7:
//       kind: nic                      # what it is; or `base: PART`, which inherits kind, words and figures
//       note: NDR and 400GbE.
//       speaks: infiniband ethernet    # any other key is a word
//       origin: vendor                 # of every figure below that does not say otherwise
//       source: "NVIDIA ConnectX-7 product brief"
//       figures:
//         port_rate: 400 Gb/s
//         latency.transmit: {value: 0.6 us, low80: 0.5 us, high80: 0.7 us, origin: measured, source: "..."}
//
// A figure is a number with its unit (a count or a ratio has none), a list of numbers in one unit, or the long form. A
// figure must have an origin and a source, its own or its part's, or the file is refused. An overlay looks the same,
// but may only name parts and figures that exist, in units of the same dimension.

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
