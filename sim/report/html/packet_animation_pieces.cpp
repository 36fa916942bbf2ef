#include "sim/report/html/packet_animation_pieces.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report::html {

namespace {

constexpr std::size_t ring_shown = 64;
constexpr std::size_t most_frames = 128;

using Boxes = std::map<DeviceId, std::uint32_t>;  // around the circle in the order of the devices

Boxes draw_boxes(const std::vector<PieceArrivals>& flows, const Fabric& fabric, Drawing& drawing) {
    Boxes boxes;
    for (const PieceArrivals& flow : flows) {
        for (const DeviceId device : {flow.src, flow.dst}) {
            if (boxes.size() < ring_shown || boxes.contains(device)) { boxes.emplace(device, 0); }
        }
    }
    for (auto& [device, place] : boxes) {
        place = static_cast<std::uint32_t>(drawing.boxes.size());
        drawing.boxes.push_back(
            {fabric.device_name(device), std::string(fabricast::to_string(fabric.kind(device))), -1, 0});
    }
    return boxes;
}

// A wire is busy in the frames of length `width` in which a piece of one of its flows arrives.
void draw_wires(const std::vector<PieceArrivals>& flows, const Fabric& fabric, const Boxes& boxes, Duration width,
                Drawing& drawing) {
    std::map<std::pair<DeviceId, DeviceId>, std::size_t> wires;
    for (const PieceArrivals& flow : flows) {
        if (!boxes.contains(flow.src) || !boxes.contains(flow.dst)) { continue; }
        const auto [place, fresh] = wires.emplace(std::pair{flow.src, flow.dst}, drawing.wires.size());
        if (fresh) {
            Wire& wire = drawing.wires.emplace_back(Wire{boxes.at(flow.src), boxes.at(flow.dst), "flow"});
            wire.there = {fabric.device_name(flow.src) + " -> " + fabric.device_name(flow.dst),
                          std::vector<Load>(most_frames, Load{0})};
        }
        for (const Time time : flow.at) {
            drawing.wires[place->second].there.loads[static_cast<std::size_t>(time.ps / width.ps)].busy = 1;
        }
    }
}

// The frame with the most wires busy: where the animation starts.
std::size_t fullest_frame(const Drawing& drawing) {
    std::vector<std::size_t> come(most_frames);
    for (const Wire& wire : drawing.wires) {
        for (std::size_t f = 0; f < most_frames; ++f) { come[f] += wire.there.loads[f].busy > 0 ? 1 : 0; }
    }
    return static_cast<std::size_t>(std::max_element(come.begin(), come.end()) - come.begin());
}

}  // namespace

Scene pieces_of(const PacketTraffic& traffic, const Fabric& fabric) {
    const std::vector<PieceArrivals>& flows = traffic.use.arrivals;
    Time last;
    for (const PieceArrivals& flow : flows) { last = std::max(last, flow.at.back()); }
    const Duration width{last.ps / static_cast<std::int64_t>(most_frames) + 1};
    Scene scene{"Pieces on their way",
                "Messages, or slices of a pipeline's chunks, of the first flows: a line is hot in the moments in which "
                "one of its pieces comes. In a ring they go round, in a tree up and down. Each frame is " +
                    text(width) + "." + at_size(" At ", traffic, "."),
                {},
                0};
    scene.drawing.circle = true;
    scene.drawing.frame_kind = "time";
    for (std::size_t b = 0; b < most_frames; ++b) {
        const Duration begin = width * static_cast<std::int64_t>(b);
        scene.drawing.frames.push_back(text(begin) + call_at(traffic, Time{} + begin));
    }
    const Boxes boxes = draw_boxes(flows, fabric, scene.drawing);
    draw_wires(flows, fabric, boxes, width, scene.drawing);
    scene.start = fullest_frame(scene.drawing);
    return scene;
}

}  // namespace fabricast::inline report::html
