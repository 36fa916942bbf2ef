#pragma once
// The kinds of files that a site has: how one is told by sight, and how it is read. Each is one source of formats/, and
// a word in CMakeLists.txt.

#include <string_view>
#include <vector>

#include "discovery/observation.hpp"
#include "discovery/source_text.hpp"

namespace fabricast::inline discovery {

struct SiteFormat {
    std::string_view name;     // "nccl-topology"
    std::string_view summary;  // for the documentation: what it is, and which command writes it
    bool (*fits)(const SourceText& source);
    // Throws InputError at the first line that does not belong in such a file.
    Observations (*read)(const SourceText& source);
    bool plan = false;  // whether it says what was intended, not what was found
};

// In the order in which their `fits` is called.
const std::vector<SiteFormat>& site_formats();

// Reads a file as the first format that fits. Throws InputError at 1:1 if none does.
Observations observe(const SourceText& source, const std::vector<SiteFormat>& formats = site_formats());

}  // namespace fabricast::inline discovery
