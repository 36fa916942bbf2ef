#include "sim/engines/packet/logical_processes.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"

namespace fabricast::inline packet {

namespace {

// Packets over each port when all flows of the schedule have been sent. Calls visit(port, shape) for the ports of each
// shape of pipelines.
template <class Visit> std::vector<double> packets_over_ports(const Traffic& traffic, Visit&& visit) {
    std::vector<double> packets(traffic.network.port_count, 0);
    const auto add = [&](std::uint32_t pattern, double bytes) {
        const Route& route = traffic.route_patterns[pattern];
        const double each = bytes / traffic.flow_patterns[pattern].unit / route.variants;
        for (std::uint32_t variant = 0; variant < route.variants; ++variant) {
            for (const std::uint32_t p : traffic.network.ports_of(route, variant)) { packets[p] += each; }
        }
    };
    for (std::uint32_t c = 0; c < traffic.connections.size(); ++c) {
        double bytes = 0;
        for (std::uint32_t m = traffic.connections[c].begin; m < traffic.connections[c].end; ++m) {
            bytes += static_cast<double>(traffic.message_bytes[traffic.message_ops[m]]);
        }
        add(c, bytes);
    }
    for (std::uint32_t n = 0; n < traffic.shapes.size(); ++n) {
        const Shape& shape = traffic.shapes[n];
        for (std::uint32_t i = 0; i < shape.count; ++i) {
            const Stream& stream = traffic.stream_patterns[shape.first + i];
            const double bytes = static_cast<double>(stream.pieces) * static_cast<double>(stream.piece_bytes);
            add(traffic.flow_pattern(shape, i), bytes * shape.uses);
            const Route& route = traffic.route_patterns[traffic.flow_pattern(shape, i)];
            for (const std::uint32_t p : traffic.network.ports_of(route)) { visit(p, n); }
        }
    }
    return packets;
}

class Partition {
public:
    Partition(const Traffic& traffic, const LogicalProcesses& islands, std::uint32_t domains)
        : net_(traffic.network),
          islands_(islands),
          domain_(islands.count(), none),
          load_(domains, 0),
          work_(islands.count(), 0),
          company_(islands.count(), 0) {
        std::vector<std::uint32_t> last(islands.count(), none);  // shape that was seen there
        packets_ = packets_over_ports(traffic, [&](std::uint32_t p, std::uint32_t shape) {
            if (std::exchange(last[from(p)], shape) != shape) {
                company_[from(p)] = mix(company_[from(p)] + shape + 1);
            }
        });
        for (std::uint32_t p = 0; p < net_.port_count; ++p) {
            work_[from(p)] += packets_[p];
            total_ += packets_[p];
        }
    }

    std::vector<std::uint32_t> make() {
        share_out_cluster();
        while (std::ranges::find(domain_, none) != domain_.end()) { add_neighbours(); }
        return std::move(domain_);
    }

private:
    std::uint32_t from(std::uint32_t port) const { return islands_.of[net_.ports[port].from_node]; }
    std::uint32_t to(std::uint32_t port) const { return islands_.of[net_.ports[port].to_node]; }

    void put(std::uint32_t island, std::uint32_t domain) {
        domain_[island] = domain;
        load_[domain] += work_[island];
    }

    // Shares out the nodes of the cluster. Those that take part in the same pipelines, as a stage of a training step,
    // are busy at the same time, when others may be idle: each such company is divided among all domains.
    void share_out_cluster() {
        std::vector<std::vector<std::uint32_t>> companies;
        std::unordered_map<std::uint64_t, std::size_t> numbers;
        for (std::uint32_t i = 0; i < islands_.count(); ++i) {
            if (net_.nodes[islands_.nodes_of(i).front()].is_switch) { continue; }
            const auto [at, fresh] = numbers.try_emplace(company_[i], companies.size());
            if (fresh) { companies.emplace_back(); }
            companies[at->second].push_back(i);
        }
        std::vector<std::uint32_t> others;  // of companies that are too small
        for (const std::vector<std::uint32_t>& company : companies) {
            if (company.size() < load_.size()) {
                others.insert(others.end(), company.begin(), company.end());
            } else {
                share_out(company);
            }
        }
        std::ranges::sort(others);
        share_out(others);
    }

    // In runs of equal work by their numbers: neighbours here are neighbours in the fabric. The run with the most work
    // goes to the domain that has least so far.
    void share_out(const std::vector<std::uint32_t>& company) {
        struct Run {
            double work = 0;
            std::vector<std::uint32_t> islands;
        };
        std::vector<Run> runs(load_.size());
        double all = 0, before = 0;
        for (const std::uint32_t island : company) { all += work_[island]; }
        for (std::size_t i = 0; i < company.size(); ++i) {
            const double work = work_[company[i]];
            const double middle = all > 0 ? (before + work / 2) / all
                                          : (static_cast<double>(i) + 0.5) / static_cast<double>(company.size());
            Run& run =
                runs[std::min(runs.size() - 1, static_cast<std::size_t>(middle * static_cast<double>(runs.size())))];
            run.work += work;
            run.islands.push_back(company[i]);
            before += work;
        }
        std::vector<std::uint32_t> idlest(load_.size());
        std::iota(idlest.begin(), idlest.end(), 0U);
        std::ranges::stable_sort(idlest, {}, [&](std::uint32_t domain) { return load_[domain]; });
        std::ranges::stable_sort(runs, std::greater(), &Run::work);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            for (const std::uint32_t island : runs[i].islands) { put(island, idlest[i]); }
        }
    }

    // Switches next to islands that have a domain go to the domain with which they exchange most packets; but if that
    // makes little difference, or the domain has too much to do, to the one with the least to do.
    void add_neighbours() {
        std::vector<double> shared(islands_.count() * load_.size(), 0);
        std::vector<bool> reached(islands_.count(), false);
        for (std::uint32_t p = 0; p < net_.port_count; ++p) {
            for (const auto& [mine, other] : {std::pair(from(p), to(p)), std::pair(to(p), from(p))}) {
                if (domain_[mine] == none && domain_[other] != none) {
                    shared[mine * load_.size() + domain_[other]] += packets_[p];
                    reached[mine] = true;
                }
            }
        }
        const bool any = std::ranges::find(reached, true) != reached.end();
        for (std::uint32_t i = 0; i < islands_.count(); ++i) {
            if (domain_[i] == none && (reached[i] || !any)) { put(i, best(i, &shared[i * load_.size()])); }
        }
    }

    std::uint32_t best(std::uint32_t island, const double* shared) const {
        const auto idlest = static_cast<std::uint32_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
        const auto nearest = static_cast<std::uint32_t>(std::max_element(shared, shared + load_.size()) - shared);
        const bool full = load_[nearest] + work_[island] > 1.02 * total_ / static_cast<double>(load_.size());
        return full || shared[nearest] < 1.25 * shared[idlest] ? idlest : nearest;
    }

    const Network& net_;
    const LogicalProcesses& islands_;
    std::vector<double> packets_;
    std::vector<std::uint32_t> domain_;
    std::vector<double> load_, work_;
    std::vector<std::uint64_t> company_;  // per island: equal for those in which the same pipelines send
    double total_ = 0;
};

// Until what a neighbour does in the step can reach the node: by a packet, or by a signal to one of its ports. Only for
// what forwards packets: flows' ends hear of each other without packets, several paths of a flow may meet at different
// nodes, and a service may belong to several of them. A film keeps the order in which nodes are run.
std::vector<Ps> times_ahead(const Traffic& traffic, const Packet& options, const LogicalProcesses& islands) {
    const Network& net = traffic.network;
    std::vector<Ps> ahead(net.nodes.size(), never);
    std::vector<bool> keeps_step(net.nodes.size(), !traffic.readers.empty() || !net.epochs.empty() || options.series);
    const auto at_most = [&](std::uint32_t node, Ps time) { ahead[node] = std::min(ahead[node], time); };
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        if (islands.of[port.from_node] == islands.of[port.to_node]) {
            at_most(port.to_node, port.latency);
            at_most(port.from_node, net.ingress[p].return_latency);
        }
        if (port.lanes > 1) { keeps_step[port.from_node] = true; }
        if (port.control == Control::pfc) { at_most(port.to_node, port.serialization(pause_bytes(options)) / 2); }
    }
    for (const Route& route : traffic.route_patterns) {
        if (route.hops == 0) { continue; }
        keeps_step[net.ports[net.ports_of(route).front()].from_node] = true;
        keeps_step[net.ports[net.ports_of(route).back()].to_node] = true;
        for (std::uint32_t way = 0; way < route.variants && route.variants > 1; ++way) {
            for (const std::uint32_t p : net.ports_of(route, way)) { keeps_step[net.ports[p].from_node] = true; }
        }
    }
    for (std::uint32_t n = 0; n < ahead.size(); ++n) {
        const Ps step = islands.step[islands.of[n]];
        ahead[n] = keeps_step[n] || net.nodes[n].serves ? step : std::max(step, ahead[n]);
    }
    return ahead;
}

}  // namespace

LogicalProcesses make_islands(const Traffic& traffic, const Packet& options, std::uint32_t domains) {
    const Network& net = traffic.network;
    LogicalProcesses islands;
    std::vector<std::uint32_t> order(net.nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return net.island[node]; });
    islands.of.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        islands.of[order[i]] = islands.count();
        const bool last = i + 1 == order.size() || net.island[order[i + 1]] != net.island[order[i]];
        if (last) { islands.end.push_back(static_cast<std::uint32_t>(i + 1)); }
    }
    islands.nodes = std::move(order);
    islands.step.assign(islands.count(), never);
    for (std::uint32_t p = 0; p < net.port_count; ++p) {
        const Port& port = net.ports[p];
        const std::uint32_t from = islands.of[port.from_node];
        Ps& least = from == islands.of[port.to_node] ? islands.step[from] : islands.window;
        least = std::min(least, port.latency);
    }
    islands.ahead = times_ahead(traffic, options, islands);
    islands.domain = Partition(traffic, islands, domains).make();
    return islands;
}

}  // namespace fabricast::inline packet
