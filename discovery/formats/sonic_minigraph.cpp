// SONiC's minigraph.xml: the devices and the cables around one switch, as its deployment states them.

#include "base/xml.hpp"
#include "discovery/format.hpp"
#include "discovery/wired_devices.hpp"

namespace fabricast::inline discovery::formats {

namespace {

std::string text_below(const xml::Element& element, std::string_view name) {
    for (const xml::Element& child : element.children) {
        if (child.name == name) { return child.text; }
    }
    return {};
}

void walk_minigraph(const xml::Element& element, WiredDevices& wired) {
    if (element.name == "DeviceLinkBase") {
        const CableEnd start{text_below(element, "StartDevice"), text_below(element, "StartPort")};
        const CableEnd end{text_below(element, "EndDevice"), text_below(element, "EndPort")};
        if (start.device.empty() || end.device.empty()) { element.fail("a cable with one end"); }
        const std::string kind = text_below(element, "ElementType");
        if (kind != "DeviceInterfaceLink" && kind != "DeviceSerialLink") { wired.drop("cable of kind " + kind); }
        if (kind == "DeviceInterfaceLink") {
            wired.add(start, end, megabits_of(text_below(element, "Bandwidth")), element.place);
        }
        return;
    }
    if (element.name == "Device" && !text_below(element, "Hostname").empty()) {
        const std::string* type = element.get("i:type");
        wired.state(text_below(element, "Hostname"), type == nullptr ? "" : *type, element.place);
    }
    for (const xml::Element& child : element.children) { walk_minigraph(child, wired); }
}

Observations read_minigraph(const SourceText& source) {
    WiredDevices wired;
    walk_minigraph(xml::parse(source.text(), source.file()), wired);
    Observations seen = wired.finish();
    seen.plan = true;
    return seen;
}

}  // namespace

extern const SiteFormat sonic_minigraph;
const SiteFormat sonic_minigraph{"sonic-minigraph", "SONiC's minigraph.xml",
                                 [](const SourceText& source) { return source.is_xml("DeviceMiniGraph"); },
                                 read_minigraph};

}  // namespace fabricast::inline discovery::formats
