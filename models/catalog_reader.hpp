#pragma once
// From YAML to the catalogue: the parts inside the program, a user's own, and overlays that replace figures.
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
//         message_rate: {value: 350 Mmsg/s, low80: 330 Mmsg/s, high80: 370 Mmsg/s, origin: vendor, source: "..."}
//
// A figure is a number with its unit (without one: a count or a ratio), a list of them of one unit, or the long form.
// Every figure ends up with an origin and a source, or the file is refused. An overlay looks the same, but names only
// parts and figures that exist, in units of their dimension.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_error.hpp"
#include "models/catalog.hpp"

namespace fabricast {

// Adds the parts of YAML texts to a catalogue; bases may stand in any of the texts or in the catalogue already.
struct CatalogText {
    std::string file;  // for places in messages
    std::string_view text;
};
void add_parts(Catalog& catalog, const std::vector<CatalogText>& texts);

// Throws InputError unless the name is of small letters, digits, dashes and dots.
void check_part_name(const std::string& name, const SourceLocation& place);

// Replaces figures by part and dotted name. Throws InputError at a part or figure that does not exist (naming the
// nearest) or whose unit is another; the catalogue is then as it was.
void merge_overlay(Catalog& catalog, const std::filesystem::path& file);
void merge_overlay_text(Catalog& catalog, std::string_view text, const std::string& file);

}  // namespace fabricast
