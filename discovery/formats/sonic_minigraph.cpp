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
    const auto below = [&](std::string_view name) { return text_below(element, name); };
    if (element.name == "DeviceLinkBase") {
        const CableEnd start{below("StartDevice"), below("StartPort")}, end{below("EndDevice"), below("EndPort")};
        if (start.device.empty() || end.device.empty()) { element.fail("a cable with one end"); }
        const std::string kind = below("ElementType");
        if (kind == "DeviceInterfaceLink") {
            wired.add(start, end, megabits_of(below("Bandwidth")), element.place);
        } else if (kind != "DeviceSerialLink") {
            wired.drop("cable of kind " + kind);
        }
        return;
    }
    if (element.name == "Device" && !below("Hostname").empty()) {
        wired.state(below("Hostname"), element.word("i:type"), element.place);
    }
    for (const xml::Element& child : element.children) { walk_minigraph(child, wired); }
}

Observations read_minigraph(const SourceText& source) {
    WiredDevices wired;
    walk_minigraph(xml::parse(source.text(), source.file()), wired);
    return wired.finish();
}

}  // namespace

extern const SiteFormat sonic_minigraph{"sonic-minigraph", "SONiC's minigraph.xml",
                                        [](const SourceText& source) { return source.is_xml("DeviceMiniGraph"); },
                                        read_minigraph, true};

}  // namespace fabricast::inline discovery::formats
