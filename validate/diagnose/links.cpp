#include "validate/diagnose/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/percentile.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/scenario/build.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/log_text.hpp"
#include "validate/import/printed_unit.hpp"

namespace fabricast::inline diagnosis {
namespace {

// Shares of the narrowest link's payload rate that healthy machines reach: nvbandwidth and p2pBandwidthLatencyTest on
// A100 and H100, ib_write_bw on HDR and RoCE (validate/measurements/p2p and rdma).
constexpr double usual_share = 0.93;
constexpr double least_share = 0.80;
constexpr double most_share = 1.10;
// A cause explains a rate if the logarithms differ by less than this.
constexpr double explains = 0.16;

// The best row of a size table, or the median cell of a matrix without its diagonal (a device with itself).
double rate_of(const Measurement& m, bool between_devices) {
    std::vector<double> rates;
    const bool matrix = !m.columns.empty() && m.columns[0] == "src_gpu";
    for (std::size_t r = 0; r < m.rows.size(); ++r) {
        for (std::size_t c = 1; c < m.columns.size(); ++c) {
            const PrintedUnit printed = printed_unit(m.columns[c]);
            const double unit = printed.time || holds(m.columns[c], "peak") ? 0 : printed.si;
            const bool itself = matrix && between_devices && c - 1 == r;
            if (const double rate = unit * figure_in_word(m.rows[r][c]).value_or(0); rate > 0 && !itself) {
                rates.push_back(rate);
            }
        }
    }
    return rates.empty() ? 0 : *percentile(rates, matrix ? 50 : 100);
}

Scenario scenario_of(const Measurement& m, const LinkTest& test, const std::optional<Scenario>& cluster,
                     const std::string& node) {
    if (cluster) { return *cluster; }
    Scenario s;
    s.name = m.id;
    s.file = m.file;
    s.cluster.nodes = test.to.starts_with("node1") ? 2 : 1;
    s.cluster.node = node;
    const Alias* gpu = first_match(builtin_aliases().gpus, text(m.system, "gpu"));
    std::uint32_t most = 0;
    for (const NodeAlias& known : builtin_aliases().nodes) {
        const bool same = gpu != nullptr && known.gpu == gpu->word("gpu") && known.intra == gpu->word("intra");
        if (node.empty() && same && known.network.empty() && known.gpus > most) {
            most = known.gpus;
            s.cluster.node = known.node;
        }
    }
    if (s.cluster.node.empty()) {
        refuse(m.place, "the log does not say which machine this is", shown(text(m.system, "gpu")),
               "--node NAME or --cluster FILE");
    }
    return s;
}

struct Narrowest {
    double rate = 0;
    std::string link;
};

Narrowest narrowest_of(const Suspect& suspect, const LinkTest& test) {
    const Fabric fabric(suspect.cluster);
    PathQuery query{.src = fabric.device(test.from), .dst = fabric.device(test.to)};
    query.gpu_direct = suspect.cluster.node.gpu_direct;
    const Path path = fabric.path(query);
    Narrowest found;
    for (const LinkId id : path.span()) {
        // A link that the path crosses twice has half of its rate for each crossing.
        const auto times = std::ranges::count(path.span(), id);
        const double rate = fabric.link(id).capacity / static_cast<double>(times);
        if (found.rate == 0 || rate < found.rate) { found = {rate, fabric.link_name(id)}; }
    }
    return found;
}

}  // namespace

std::optional<LinkTest> link_test_of(const Measurement& m) {
    const std::string words = std::string(text(m.benchmark, "tool")) + " " + std::string(text(m.benchmark, "test"));
    const std::string_view tool = text(m.benchmark, "tool");
    if (holds(text(m.benchmark, "test"), "atency") || holds(tool, "_lat") || holds(tool, "Latency Test") ||
        holds(tool, "gdrcopy")) {
        return std::nullopt;
    }
    LinkTest test;
    if (holds(words, "host_to_device") || holds(words, "Host to Device")) {
        test = {"node0.memory0", "node0.gpu0"};
    } else if (holds(words, "device_to_host") || holds(words, "Device to Host")) {
        test = {"node0.gpu0", "node0.memory0"};
    } else if (holds(words, "device_to_device") || holds(words, "P2P=Enabled")) {
        test = {"node0.gpu0", "node0.gpu1"};
    } else if (holds(words, "OSU MPI-CUDA Bandwidth")) {
        test = {"node0.gpu0", text(m.system, "nodes") == "1" ? "node0.gpu1" : "node1.gpu0"};
    } else if (holds(words, "_bw") || holds(words, "OSU MPI Bandwidth")) {
        test = {"node0.memory0", "node1.memory0"};
    } else {
        return std::nullopt;
    }
    if (holds(words, "bidirectional") || holds(words, "Bidirectional") || holds(words, " -b") ||
        holds(words, "Bi-Directional")) {
        refuse(m.place, "a test of both directions at once", words, "a test of one direction");
    }
    test.rate = rate_of(m, test.to == "node0.gpu1");
    return test.rate > 0 ? std::optional(test) : std::nullopt;
}

LinkDiagnosis diagnose_link(const Measurement& measurement, const LinkTest& test,
                            const std::optional<Scenario>& cluster, const std::string& node, const Catalog& catalog) {
    const Scenario scenario = scenario_of(measurement, test, cluster, node);
    const Suspect healthy{scenario, build(scenario, catalog)};
    LinkDiagnosis d;
    d.test = test;
    const Narrowest path = narrowest_of(healthy, test);
    d.narrowest = path.rate;
    d.link = path.link;
    const double share = test.rate / path.rate;
    if (share >= least_share && share <= most_share) { return d; }
    const auto off = [&](double narrowest) { return std::abs(std::log(test.rate / (usual_share * narrowest))); };
    for (const Cause& cause : causes()) {
        Suspect suspect = healthy;
        // Access control does not affect traffic of host memory, because that is not peer traffic.
        const bool of_host = holds(test.from, "memory") || holds(test.to, "memory");
        // A slow part of unknown degree would explain any rate, so it explains nothing.
        if ((of_host && cause.name == "acs") || cause.degree == Degree::share || !cause.apply(suspect, 1)) { continue; }
        try {
            const double narrowest = narrowest_of(suspect, test).rate;
            if (off(narrowest) < explains) { d.fitting.push_back({&cause, narrowest}); }
        } catch (const ClusterError&) {
        } catch (const Unreachable&) {}
    }
    std::ranges::stable_sort(d.fitting, {}, [&](const LinkCause& c) { return off(c.narrowest); });
    d.verdict = d.fitting.empty() ? Finding::none_fits : Finding::likely_cause;
    return d;
}

std::string to_text(const LinkDiagnosis& d, const std::string& id) {
    std::string out = id + ": " + d.test.from + " to " + d.test.to + "\n";
    out += fmt::format("  measured {}, the narrowest link ({}) carries {}: {:.0f} %, usual are {:.0f} to 100 %\n",
                       text(d.test.rate, Dimension::rate), d.link, text(d.narrowest, Dimension::rate),
                       100 * d.test.rate / d.narrowest, 100 * least_share);
    if (d.verdict == Finding::nothing_wrong) { return out + "  nothing wrong\n"; }
    if (d.verdict == Finding::none_fits) {
        return out + "  none of my causes fits: " +
               (d.test.rate > d.narrowest ? "faster than the path can be; is this the machine?\n"
                                          : "nothing that I can simulate explains this rate\n");
    }
    for (const LinkCause& c : d.fitting) {
        out += fmt::format("  likely: {} (then {}); see {}\n", c.cause->words, text(c.narrowest, Dimension::rate),
                           c.cause->check);
    }
    return out;
}

Json to_json(const LinkDiagnosis& d, const std::string& id) {
    Json json{{"schema_version", 1},
              {"id", id},
              {"verdict", to_string(d.verdict)},
              {"measured_Bps", d.test.rate},
              {"narrowest_Bps", d.narrowest},
              {"link", d.link}};
    json["causes"] = Json::array();
    for (const LinkCause& c : d.fitting) {
        json["causes"].push_back({{"cause", c.cause->name}, {"narrowest_Bps", c.narrowest}});
    }
    return json;
}

}  // namespace fabricast::inline diagnosis
