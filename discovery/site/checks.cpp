#include "discovery/site/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "discovery/site/fabric_checks.hpp"
#include "discovery/site/plan_check.hpp"
#include "sim/report/columns.hpp"

namespace fabricast::inline site {

namespace {

// The commonest value, and whether it is common enough to call another one a fault.
template <class Value> struct Usual {
    Value value{};
    bool clear = false;
};

template <class Value> Usual<Value> usual_of(const std::vector<Value>& values, double share) {
    std::map<Value, std::size_t> counts;
    for (const Value& value : values) { ++counts[value]; }
    Usual<Value> usual;
    std::size_t most = 0;
    for (const auto& [value, count] : counts) {
        if (count >= most) {  // of two equally common ones the greater
            most = count;
            usual.value = value;
        }
    }
    usual.clear = values.size() >= 2 && static_cast<double>(most) >= share * static_cast<double>(values.size());
    return usual;
}

struct NamedNode {
    std::string name;
    const NodeSeen* seen = nullptr;
    NodeShape shape;
};

// Inside nodes: NVLinks, PCIe width and speed, sockets. Alike devices of alike nodes are compared with what most of
// them have.
class NodeChecks {
public:
    NodeChecks(const Site& site, const Catalog& catalog, const StatedParts& said) {
        const auto add = [&](const std::string& name, const NodeSeen& seen) {
            if (seen.gpus.empty()) { return; }
            NodeShape shape = shape_of(seen, catalog, said);
            const auto kind = std::pair(shape.gpus, shape.nics);
            kinds_[kind].push_back({name, &seen, std::move(shape)});
        };
        for (const SiteHost& host : site.hosts) {
            if (host.inside) { add(host.name, *host.inside); }
        }
        for (std::size_t i = 0; i < site.unnamed.size(); ++i) { add(unnamed_text(site, i), site.unnamed[i]); }
    }

    std::vector<Finding> run() {
        for (const auto& [kind, nodes] : kinds_) {
            check_nvlinks(nodes);
            check_inactive(nodes);
            check_links(nodes, PciKind::nic);
            check_links(nodes, PciKind::gpu);
            check_rates(nodes);
            check_sockets(nodes);
        }
        return std::move(findings_);
    }

private:
    void add(const NamedNode& node, const char* check, const std::string& device, const std::string& message,
             double share, const SourceLocation& at, Trust trust = Trust::fact) {
        findings_.push_back({check, node.name + "." + device, "", message, at, share, trust});
    }

    // A GPU without NVLinks among peers that have some makes NCCL fall back to PCIe for all of them, without a warning.
    void check_nvlinks(const std::vector<NamedNode>& nodes) {
        std::vector<int> all;
        std::map<std::size_t, std::vector<int>> by_place;
        for (const NamedNode& node : nodes) {
            for (std::size_t g = 0; g < node.seen->gpus.size(); ++g) {
                all.push_back(node.seen->gpus[g].nvlink_count());
                by_place[g].push_back(all.back());
            }
        }
        const Usual<int> usual = usual_of(all, 0.75);
        for (const NamedNode& node : nodes) {
            for (std::size_t g = 0; g < node.seen->gpus.size(); ++g) {
                const GpuSeen& gpu = node.seen->gpus[g];
                const int own = gpu.nvlink_count();
                // In a mesh that is uneven on purpose the same place of other nodes is the peer.
                const Usual<int> place = usual_of(by_place[g], 0.6);
                const bool told = nodes.size() > 2 && place.clear;
                const int peers = told                      ? place.value
                                  : usual.clear || own == 0 ? std::max(usual.value, most(all) * (own == 0))
                                                            : own;
                if (own < peers) {
                    add(node, "nvlinks", fmt::format("gpu{}", gpu.index < 0 ? static_cast<int>(g) : gpu.index),
                        fmt::format("{} NVLinks, its peers have {}", own, peers), static_cast<double>(own) / peers,
                        gpu.at, gpu.nvlinks_stated ? Trust::fact : Trust::hint);
                }
            }
        }
    }

    static int most(const std::vector<int>& all) { return all.empty() ? 0 : *std::ranges::max_element(all); }

    void check_inactive(const std::vector<NamedNode>& nodes) {
        for (const NamedNode& node : nodes) {
            for (const GpuSeen& gpu : node.seen->gpus) {
                const int all = gpu.nvlink_count() + gpu.inactive;
                const bool found = std::ranges::any_of(findings_, [&](const Finding& finding) {
                    return finding.device == fmt::format("{}.gpu{}", node.name, gpu.index) &&
                           finding.check == "nvlinks";
                });
                if (gpu.inactive > 0 && gpu.nvlink_count() > 0 && !found) {
                    add(node, "nvlinks", fmt::format("gpu{}", gpu.index),
                        fmt::format("{} of its {} NVLinks are inactive", gpu.inactive, all),
                        1 - static_cast<double>(gpu.inactive) / all, gpu.at);
                }
            }
        }
    }

    // What a link carries, from its transfers and its width.
    void check_links(const std::vector<NamedNode>& nodes, PciKind kind) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> rates;  // by vendor and device
        const auto each = [&](auto&& take) {
            for (const NamedNode& node : nodes) {
                for (const PciSeen& pci : node.seen->pci) {
                    const bool used = pci.kind == kind && !end_name(node, pci.bus).empty();
                    if (used && pci.link.known()) { take(node, pci); }
                }
            }
        };
        each([&](const NamedNode&, const PciSeen& pci) { rates[{pci.vendor, pci.device}].push_back(pci.link.rate()); });
        each([&](const NamedNode& node, const PciSeen& pci) {
            const Usual<double> usual = usual_of(rates.at({pci.vendor, pci.device}), 0.6);
            const bool below = pci.capable.known() && pci.link.rate() < pci.capable.rate() * 0.99;
            const bool unlike = usual.clear && pci.link.rate() < usual.value * 0.99;
            if (!below && !unlike) { return; }
            const double full = below ? std::max(pci.capable.rate(), unlike ? usual.value : 0) : usual.value;
            add(node, "width", end_name(node, pci.bus),
                fmt::format(
                    "its slot at {} runs at {} GT/s x{}, {}", pci.bus, pci.link.gigatransfers, pci.link.width,
                    below ? fmt::format("it could run at {} GT/s x{}", pci.capable.gigatransfers, pci.capable.width)
                          : "slower than its peers"),
                pci.link.rate() / full, pci.at);
            findings_.back().bus = pci.bus;
        });
    }

    // "gpu3", "nic0 (mlx5_0)"; empty: neither.
    static std::string end_name(const NamedNode& node, const std::string& bus) {
        const auto gpu = std::ranges::find(node.shape.bus_of_gpu, bus);
        if (gpu != node.shape.bus_of_gpu.end()) { return fmt::format("gpu{}", gpu - node.shape.bus_of_gpu.begin()); }
        const auto nic = std::ranges::find(node.shape.nic_of, bus, &NicSeen::bus);
        if (nic == node.shape.nic_of.end()) { return {}; }
        const auto place = nic - node.shape.nic_of.begin();
        return nic->name.empty() ? fmt::format("nic{}", place) : fmt::format("nic{} ({})", place, nic->name);
    }

    void check_rates(const std::vector<NamedNode>& nodes) {
        std::vector<std::int64_t> rates;
        for (const NamedNode& node : nodes) {
            for (const NicSeen& nic : node.shape.nic_of) {
                if (nic.megabits > 0) { rates.push_back(nic.megabits); }
            }
        }
        const Usual<std::int64_t> usual = usual_of(rates, 0.6);
        for (const NamedNode& node : nodes) {
            for (const NicSeen& nic : node.shape.nic_of) {
                if (!usual.clear || nic.megabits == 0 || nic.megabits >= usual.value) { continue; }
                add(node, "width", end_name(node, nic.bus),
                    fmt::format("its port runs at {} Gb/s, its peers at {} Gb/s", nic.megabits / 1000,
                                usual.value / 1000),
                    static_cast<double>(nic.megabits) / static_cast<double>(usual.value), nic.at);
                findings_.back().fact = Fact::rate;
            }
        }
    }

    // The CPU that a NIC hangs on, by the cables of the shape.
    static std::string socket_of(const NodeShape& shape, std::string device) {
        for (int hops = 0; hops < 8 && !device.empty() && !device.starts_with("cpu"); ++hops) {
            device = up_of(shape, device);
        }
        return device;
    }

    // The switch or CPU that a device hangs on; empty: none.
    static std::string up_of(const NodeShape& shape, const std::string& device) {
        const auto up = std::ranges::find_if(shape.cables, [&](const ShapeCable& cable) {
            return cable.from == device && (cable.to.starts_with("switch") || cable.to.starts_with("cpu"));
        });
        return up == shape.cables.end() ? std::string() : up->to;
    }

    void check_sockets(const std::vector<NamedNode>& nodes) {
        const std::size_t nics = nodes.front().shape.nics;
        for (std::size_t n = 0; n < nics && nodes.size() > 2; ++n) {
            std::vector<std::string> sockets;
            for (const NamedNode& node : nodes) { sockets.push_back(socket_of(node.shape, fmt::format("nic{}", n))); }
            const Usual<std::string> usual = usual_of(sockets, 0.6);
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (!usual.clear || sockets[i] == usual.value) { continue; }
                add(nodes[i], "socket", end_name(nodes[i], nodes[i].shape.nic_of[n].bus),
                    fmt::format("it hangs on {}, on other nodes on {}", sockets[i], usual.value), 0.5,
                    nodes[i].seen->at);
            }
        }
        if (nodes.size() <= 2) {
            for (const NamedNode& node : nodes) { check_balance(node); }
        }
    }

    // Of one node alone: as many NICs as GPUs, the GPUs halved between two sockets, the NICs not.
    void check_balance(const NamedNode& node) {
        const NodeShape& shape = node.shape;
        std::map<std::string, std::vector<std::size_t>> gpus, nics;
        for (std::size_t g = 0; g < shape.gpus; ++g) { gpus[socket_of(shape, fmt::format("gpu{}", g))].push_back(g); }
        for (std::size_t n = 0; n < shape.nics; ++n) { nics[socket_of(shape, fmt::format("nic{}", n))].push_back(n); }
        const bool paired = shape.nics == shape.gpus && shape.gpus >= 4 && gpus.size() == 2;
        if (!paired || gpus.begin()->second.size() != gpus.rbegin()->second.size()) { return; }
        for (const auto& [socket, own] : nics) {
            if (own.size() <= shape.nics / 2 || !gpus.contains(socket)) { continue; }
            // The one that shares its switch with no GPU, if there is one.
            std::size_t wrong = own.back();
            for (const std::size_t n : own) {
                if (up_of(shape, fmt::format("nic{}", n)).starts_with("cpu")) { wrong = n; }
            }
            add(node, "socket", end_name(node, shape.nic_of[wrong].bus),
                fmt::format("{} has {} of {} adapters, but half of the GPUs", socket, own.size(), shape.nics), 0.5,
                shape.nic_of[wrong].at, Trust::hint);
        }
    }

    std::map<std::pair<std::size_t, std::size_t>, std::vector<NamedNode>> kinds_;  // by GPUs and NICs
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check(const Site& site, const Description& description, const Catalog& catalog,
                           const StatedParts& said) {
    std::vector<Finding> all = site.findings;
    for (const std::vector<Finding>& some :
         {NodeChecks(site, catalog, said).run(), check_fabric(site, description.wiring),
          check_plan(site, description.wiring), check_contradictions(site)}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

Json site_json(const Site& site, const Description& made, const std::vector<Finding>& findings) {
    using C = Column<Finding>;
    const Columns<Finding> columns = {
        C("check", "What was checked.", &Finding::check),
        C("device", "Which device it is about.", &Finding::device),
        C("cable", "Which cable; empty: inside a node.", &Finding::cable),
        C("message", "What looks wrong.", &Finding::message),
        C("trust", "How sure it is.", [](const Finding& f) { return to_string(f.trust); }),
        C("at", "Where a file says so.", [](const Finding& f) { return f.at.file ? Json(to_string(f.at)) : Json(); }),
        C("cost", "What it costs a collective.", &Finding::cost),
    };
    std::map<std::string, std::size_t> rates;
    for (const SiteCable& cable : site.cables) { ++rates[std::to_string(cable.megabits)]; }
    const auto adapters = static_cast<std::size_t>(std::ranges::count_if(site.devices, &SiteDevice::adapter));
    return {{"scenario", made.yaml}, {"nodes", made.nodes},          {"node", made.node},
            {"fabric", made.fabric}, {"hosts", site.hosts.size()},   {"switches", site.devices.size() - adapters},
            {"adapters", adapters},  {"cables", site.cables.size()}, {"cables_by_megabits", rates},
            {"missing", made.asked}, {"left_out", site.dropped},     {"findings", records_json(findings, columns)}};
}

}  // namespace fabricast::inline site
