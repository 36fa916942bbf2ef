#include "discovery/site/node_text.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace fabricast::inline site {

namespace {

// "gpu12" -> "gpu", 12; "nvswitch" -> itself, -1.
std::pair<std::string, int> numbered(const std::string& name) {
    const std::size_t digits = name.find_first_of("0123456789");
    if (digits == std::string::npos) { return {name, -1}; }
    return {name.substr(0, digits), std::atoi(name.c_str() + digits)};
}

std::string range_text(const std::string& kind, int first, int last) {
    if (first < 0) { return kind; }
    return first == last ? fmt::format("{}{}", kind, first) : fmt::format("{}{}-{}", kind, first, last);
}

// Templates list NVLinks first, then what joins sockets, switches, GPUs and NICs.
int cable_rank(const ShapeCable& cable) {
    static constexpr std::array<std::string_view, 4> order = {"cpu", "switch", "gpu", "nic"};
    if (cable.link.starts_with("nvlink")) { return -1; }
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (cable.from.starts_with(order[i])) { return static_cast<int>(i); }
    }
    return 4;
}

struct CableRun {
    std::string from_kind, to_kind, link;
    int count = 1;
    std::vector<std::pair<int, int>> ends;  // numbers of both ends
};

// Cables of one kind, link and count, in the order of their first ends.
std::vector<CableRun> runs_of(std::vector<ShapeCable> cables) {
    std::stable_sort(cables.begin(), cables.end(), [](const ShapeCable& a, const ShapeCable& b) {
        return std::pair(cable_rank(a), numbered(a.from).second) < std::pair(cable_rank(b), numbered(b.from).second);
    });
    std::vector<CableRun> runs;
    for (const ShapeCable& cable : cables) {
        const auto [from, number] = numbered(cable.from);
        const auto [to, other] = numbered(cable.to);
        const auto same = std::ranges::find_if(runs, [&, f = from, t = to](const CableRun& run) {
            return std::tie(run.from_kind, run.to_kind, run.link, run.count) == std::tie(f, t, cable.link, cable.count);
        });
        CableRun& run = same != runs.end() ? *same : runs.emplace_back(CableRun{from, to, cable.link, cable.count, {}});
        run.ends.emplace_back(number, other);
    }
    return runs;
}

// How many of the ends from `first` on are one line: consecutive devices, shared out evenly among consecutive others.
std::size_t length_of_line(const CableRun& run, std::size_t first) {
    const auto& ends = run.ends;
    std::size_t longest = 1;
    for (std::size_t length = 2; first + length <= ends.size(); ++length) {
        if (ends[first + length - 1].first != ends[first].first + static_cast<int>(length) - 1) { break; }
        const int others = ends[first + length - 1].second - ends[first].second + 1;
        bool even = others > 0 && static_cast<int>(length) % others == 0;
        for (std::size_t i = 0; i < length && even; ++i) {
            even =
                ends[first + i].second == ends[first].second + static_cast<int>(i) * others / static_cast<int>(length);
        }
        longest = even ? length : longest;
    }
    return longest;
}

std::vector<std::string> cable_lines(const NodeShape& shape) {
    std::vector<std::string> lines;
    for (const CableRun& run : runs_of(shape.cables)) {
        for (std::size_t first = 0; first < run.ends.size();) {
            const std::size_t length = length_of_line(run, first);
            const auto& [low, to_low] = run.ends[first];
            const auto& [high, to_high] = run.ends[first + length - 1];
            std::string line = fmt::format("{{from: {}, to: {}", range_text(run.from_kind, low, high),
                                           range_text(run.to_kind, to_low, to_high));
            if (!run.link.empty()) { line += ", link: " + run.link; }
            if (run.count > 1) { line += fmt::format(", count: {}", run.count); }
            lines.push_back(line + "}");
            first += length;
        }
    }
    return lines;
}

std::vector<std::string> device_lines(const NodeShape& shape) {
    std::vector<std::string> lines;
    for (std::size_t first = 0; first < shape.devices.size();) {
        const auto [kind, low] = numbered(shape.devices[first].first);
        std::size_t last = first;
        while (last + 1 < shape.devices.size() && shape.devices[last + 1].second == shape.devices[first].second &&
               numbered(shape.devices[last + 1].first) == std::pair(kind, low + static_cast<int>(last + 1 - first))) {
            ++last;
        }
        const std::string name = range_text(kind, low, numbered(shape.devices[last].first).second);
        const std::string& part = shape.devices[first].second;
        lines.push_back(part.empty() ? fmt::format("{{name: {}}}", name)
                                     : fmt::format("{{name: {}, part: {}}}", name, part));
        first = last + 1;
    }
    return lines;
}

class NodeWriter {
public:
    NodeWriter(std::size_t indent, bool commented) : indent_(indent, ' '), commented_(commented) {}

    void line(const std::string& text, const PartFound* found = nullptr) {
        out_ += indent_ + text;
        if (commented_ && found != nullptr) { out_ += fmt::format("  # {}: {}", to_string(found->trust), found->why); }
        out_ += "\n";
    }
    void list(const std::string& key, const std::vector<std::string>& items) {
        if (items.empty()) { return; }
        line(key + ":");
        for (const std::string& item : items) { line("  - " + item); }
    }
    std::string take() { return std::move(out_); }

private:
    std::string indent_, out_;
    bool commented_;
};

}  // namespace

std::string node_yaml(const NodeShape& shape, const std::string& name, std::size_t indent, bool commented) {
    NodeWriter out(indent, commented);
    out.line("name: " + name);
    if (commented) {
        for (const std::string& note : shape.notes) { out.line("# " + note); }
    }
    out.line("gpu: " + shape.gpu.name, &shape.gpu);
    out.line(fmt::format("gpus: {}", shape.gpus));
    out.line("cpu: " + shape.cpu.name, &shape.cpu);
    if (shape.nics > 0) {
        out.line("nic: " + shape.nic.name, &shape.nic);
        out.line(fmt::format("nics: {}", shape.nics));
        out.line("port: " + shape.port);
        if (shape.ports > 1) { out.line(fmt::format("ports: {}", shape.ports)); }
    }
    if (!shape.peers) { out.line("peer_to_peer: false"); }
    if (!shape.gpu_direct) { out.line("gpu_direct: false"); }
    out.list("devices", device_lines(shape));
    out.list("cables", cable_lines(shape));
    if (!shape.mesh.empty()) {
        out.line("mesh:");
        out.line("  link: " + shape.mesh_link);
        out.line("  links:");
        for (const std::vector<int>& row : shape.mesh) { out.line(fmt::format("    - [{}]", fmt::join(row, ", "))); }
    }
    return out.take();
}

}  // namespace fabricast::inline site
