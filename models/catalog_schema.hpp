#pragma once
// JSON Schemas of the catalogue's files and of overlays: docs/schema/catalogue.json and overlay.json.

#include "base/json.hpp"

namespace fabricast::inline models {

// JSON Schema draft 2020-12. They check structure; whether a part, figure or unit exists is checked by the reader.
Json catalogue_json_schema();
Json overlay_json_schema();

}  // namespace fabricast::inline models
