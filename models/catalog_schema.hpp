#pragma once
// JSON Schemas of the catalogue's files and of overlays: docs/schema/catalogue.json and overlay.json.

#include "base/json.hpp"

namespace fabricast {

// Draft 2020-12. They accept the shape that the reader accepts; whether a part, a figure or a unit exists is the
// reader's alone.
Json catalogue_json_schema();
Json overlay_json_schema();

}  // namespace fabricast
