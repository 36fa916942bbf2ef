#include "discovery/format.hpp"

#include "base/text.hpp"

namespace fabricast::inline discovery {

namespace formats {
#define FABRICAST_SITE_FORMAT(name) extern const SiteFormat name;
#include "site_formats.inc"
#undef FABRICAST_SITE_FORMAT
}  // namespace formats

const std::vector<SiteFormat>& site_formats() {
    static const std::vector<SiteFormat> all = {
#define FABRICAST_SITE_FORMAT(name) formats::name,
#include "site_formats.inc"
#undef FABRICAST_SITE_FORMAT
    };
    return all;
}

Observations observe(const SourceText& source, const std::vector<SiteFormat>& formats) {
    for (const SiteFormat& format : formats) {
        if (!format.fits(source)) { continue; }
        Observations seen = format.read(source);
        seen.format = format.name;
        seen.file = source.file();
        seen.plan = format.plan;
        const bool says_its_end = source.begins_with('<') || source.begins_with('{') || source.begins_with('[');
        if (!says_its_end && !source.lines().back().ended) {
            seen.notes.emplace_back("its last line has no end: the file may be cut short");
        }
        if (seen.empty()) {
            refuse(source.at(1), "this says nothing of a cluster", format.name, "at least one device or cable");
        }
        return seen;
    }
    refuse(source.at(1), "no kind of file that is known",
           source.text().empty() ? "an empty file" : shown(source.lines().front().text),
           joined(names_of(formats, &SiteFormat::name)));
}

}  // namespace fabricast::inline discovery
