#include "sim/scenario/graph_ports.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline scenario {

namespace {

constexpr std::string_view cables_key = "cluster.graph.cables";

std::string in_gigabits(Rate rate) {
    return fmt::format("{:g} Gb/s", std::round(rate.bytes_per_second() * 8 / 1e6) / 1e3);
}

bool is_adapter(std::string_view name) {
    const std::size_t dot = name.find('.');
    return dot != std::string_view::npos && number_after(name.substr(0, dot), "node") &&
           number_after(name.substr(dot + 1), "nic");
}

class GraphPorts {
public:
    GraphPorts(const Scenario& scenario, const Catalog& catalog, const Cluster& cluster)
        : scenario_(scenario), catalog_(catalog), cluster_(cluster) {
        for (const NodeDevice& device : cluster.graph.devices) {
            const Part* part = device.part.empty() ? nullptr : catalog.find(device.part);
            if (part != nullptr && part->kind == "switch") {
                switches_.emplace(device.name, Ports{switch_spec(*part)});
            }
            if (part != nullptr && part->kind == "nic") { nics_.emplace(device.name, nic_spec(*part)); }
        }
        const Part* nic = cluster.node.nic_part.empty() ? nullptr : catalog.find(cluster.node.nic_part);
        if (nic != nullptr && nic->kind == "nic") { nic_of_nodes_ = nic_spec(*nic); }
    }

    void check() {
        for (const NodeCable& cable : cluster_.graph.cables) {
            end(cable, cable.a);
            end(cable, cable.b);
        }
        for (const auto& [name, ports] : switches_) {
            if (ports.used > ports.part.radix + 1e-9) {
                fail_at(scenario_, cables_key, fmt::format("'{}' has more cables than ports", name),
                        fmt::format("{} cables, which take {:g} ports", ports.cables, ports.used),
                        fmt::format("{} ports of {} on {}", ports.part.radix, in_gigabits(ports.part.port_rate),
                                    ports.part.name));
            }
        }
    }

private:
    struct Ports {
        SwitchSpec part;
        std::int64_t cables = 0;
        double used = 0;  // ports at full rate; a split one serves several cables
    };

    void end(const NodeCable& cable, const std::string& name) {
        if (const auto found = switches_.find(name); found != switches_.end()) {
            Ports& ports = found->second;
            refuse(cable, ports.part, cable.link.rate, ports.part.port_rate, "switch", &switch_spec);
            ports.cables += cable.count;
            ports.used += static_cast<double>(cable.count) / links_of_port(ports.part, cable.link.rate);
        } else if (const auto nic = nics_.find(name); nic != nics_.end()) {
            const Part* link = catalog_.find(cable.link.name);  // its other cables are PCIe
            if (link != nullptr && link->has("family") && link_family(*link)->network) {
                adapter(cable, nic->second, 1);
            }
        } else if (nic_of_nodes_ && is_adapter(name)) {
            adapter(cable, *nic_of_nodes_, cluster_.node.nic_ports);
        }
    }

    // Parallel cables that are used as one end at one adapter.
    void adapter(const NodeCable& cable, const NicSpec& nic, int ports) const {
        const Rate all{cable.link.rate.num * cable.count, cable.link.rate.den};
        refuse(cable, nic, all, {nic.port_rate.num * ports, nic.port_rate.den}, "nic", &nic_spec);
    }

    template <class Spec>
    void refuse(const NodeCable& cable, const Spec& part, Rate rate, Rate port_rate, std::string_view kind,
                Spec (*spec_of)(const Part&)) const {
        const Part* link = catalog_.find(cable.link.name);
        const std::string family = link != nullptr ? link->word_or("family", "") : "";
        if (!family.empty() && !has_word(part.speaks, family)) {
            fail_at(scenario_, cables_key,
                    fmt::format("{} of the cable from {} to {} speaks {}, not {} as link '{}' does", part.name, cable.a,
                                cable.b, joined(names_of(split(part.speaks, ' '))), family, cable.link.name));
        }
        if (!(port_rate < rate)) { return; }
        std::vector<std::string> faster;
        for (const Part* other : catalog_.of_kind(kind)) {
            const Spec spec = spec_of(*other);
            const bool speaks = family.empty() ? spec.speaks == part.speaks : has_word(spec.speaks, family);
            if (speaks && !(spec.port_rate < rate)) { faster.push_back(spec.name); }
        }
        fail_at(scenario_, cables_key,
                fmt::format("the cable from {} to {} is faster than the ports of {}", cable.a, cable.b, part.name),
                in_gigabits(rate) + " on " + in_gigabits(port_rate),
                fmt::format("up to {}; for {}: {}", in_gigabits(port_rate), in_gigabits(rate),
                            faster.empty() ? "nothing in the catalogue" : joined(faster)));
    }

    const Scenario& scenario_;
    const Catalog& catalog_;
    const Cluster& cluster_;
    std::map<std::string, Ports, std::less<>> switches_;  // by the device's name
    std::map<std::string, NicSpec, std::less<>> nics_;    // adapters of nodes that are drawn in the graph
    std::optional<NicSpec> nic_of_nodes_;
};

}  // namespace

void refuse_unfit_cables(const Scenario& scenario, const Catalog& catalog, const Cluster& cluster) {
    look_up_at(scenario, cables_key, [&] {
        GraphPorts(scenario, catalog, cluster).check();
        return true;
    });
}

}  // namespace fabricast::inline scenario
