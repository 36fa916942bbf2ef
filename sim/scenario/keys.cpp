#include "sim/scenario/keys.hpp"

#include <algorithm>
#include <filesystem>

#include "base/unit_text.hpp"
#include "sim/scenario/assertion.hpp"
#include "sim/scenario/event_keys.hpp"
#include "sim/scenario/packet_keys.hpp"
#include "sim/scenario/rows.hpp"
#include "sim/scenario/sizes.hpp"
#include "sim/scenario/sweep_keys.hpp"
#include "sim/scenario/trace_keys.hpp"
#include "sim/scenario/training_keys.hpp"
#include "sim/scenario/transfer_keys.hpp"

namespace fabricast {

namespace {

using namespace rows;

// A field of the scenario, for reading and for writing: FIELD(launch.mode).
// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define FIELD(member) \
    [](auto& scenario) -> auto& { return scenario.member; }
// A field of a collective; other kinds of workload refuse its key.
#define COLLECTIVE(member) \
    [](auto& scenario) -> auto& { return collective_of(scenario).member; }
// NOLINTEND(bugprone-macro-parentheses)

Key engine_key() {
    Key key{"engine", Form::word, "How the schedule is replayed."};
    key.words = engine_names();
    key.read = [](const Node& node, Scenario& s) { s.engine = all_engines().at(node.as_enum(engine_names())); };
    key.write = [](const Scenario& s) { return Json(traits_of(s.engine).name); };
    return key;
}

Key sizes_key() {
    Key key{"workload.sizes", Form::sizes,
            "Message sizes; of a collective as nccl-tests counts them: the larger buffer of a rank."};
    key.read = [](const Node& node, Scenario& s) { *sizes_of(s.workload) = read_sizes(node); };
    key.write = [](const Scenario& s) {
        Json list = Json::array();
        for (const Bytes size : *sizes_of(s.workload)) {
            list.push_back(text(size));
        }
        return list;
    };
    key.when_absent = "`{from: 8 B, to: 8 GiB, factor: 2}`";
    return key;
}

Key kind_key() {
    Key key{"workload.kind", Form::word, "What the cluster runs."};
    key.words = workload_kinds();
    key.read = [](const Node& node, Scenario& s) {
        if (const std::size_t kind = node.as_enum(workload_kinds()); kind != s.workload.index()) {
            s.workload = workload_of_kind(kind);
        }
    };
    key.write = [](const Scenario& s) { return Json(kind_of(s.workload)); };
    return required(std::move(key));
}

// Light in fibre goes around the earth in less than this. Zero means "not given".
constexpr Duration longest_latency = microseconds(1'000'000);

Json device_json(const NodeDevice& device) {
    Json json = {{"name", device.name}};
    if (!device.part.empty()) {
        json["part"] = device.part;
    }
    if (device.latency.ps != 0) {
        json["latency"] = std::to_string(device.latency.ps) + " ps";
    }
    return json;
}

Json cable_json(const NodeCable& cable) {
    Json json = {{"a", cable.a}, {"b", cable.b}};
    if (!cable.link.name.empty()) {
        json["link"] = cable.link.name;
    }
    if (cable.link.rate.num != 0) {
        // Bytes per second as a plain decimal, so that the rate is exact.
        json["rate"] = Json(cable.link.rate.bytes_per_second()).dump() + " B/s";
    }
    if (cable.link.latency.ps != 0) {
        json["latency"] = std::to_string(cable.link.latency.ps) + " ps";
    }
    json["count"] = cable.count;
    return json;
}

std::vector<Key> graph_keys() {
    Key rate{"cluster.graph.cables.rate", Form::rate, "Line rate after encoding, per direction."};
    rate.read = [](const Node& node, Scenario& s) { s.cluster.graph->cables.back().link.rate = as_rate(node); };
    rate.when_absent = "the link's";
    Key count = whole_key("cluster.graph.cables.count", FIELD(cluster.graph->cables.back().count), 1, 4096,
                          "Parallel cables used as one.");
    count.when_absent = "`1`";
    std::vector<Key> keys =
        list_keys("cluster.graph.devices", FIELD(cluster.graph->devices), "Switches and other devices of the fabric.",
                  device_json,
                  {required(text_key("cluster.graph.devices.name", FIELD(cluster.graph->devices.back().name),
                                     "As cables name it: `leaf1`.")),
                   text_key("cluster.graph.devices.part", FIELD(cluster.graph->devices.back().part),
                            "Its catalogue part.", "none"),
                   within(time_key("cluster.graph.devices.latency", FIELD(cluster.graph->devices.back().latency),
                                   "Of passing through it.", "the part's"),
                          Duration{1}, longest_latency)});
    append(keys,
           list_keys(
               "cluster.graph.cables", FIELD(cluster.graph->cables), "Full-duplex cables between devices.", cable_json,
               {required(text_key("cluster.graph.cables.a", FIELD(cluster.graph->cables.back().a),
                                  "One end: `node0.nic1` or a device's name.")),
                required(text_key("cluster.graph.cables.b", FIELD(cluster.graph->cables.back().b), "The other end.")),
                text_key("cluster.graph.cables.link", FIELD(cluster.graph->cables.back().link.name),
                         "Its catalogue link.", "`cluster.fabric.link`"),
                std::move(rate),
                within(time_key("cluster.graph.cables.latency", FIELD(cluster.graph->cables.back().link.latency),
                                "One way, without serialization.", "the link's"),
                       Duration{1}, longest_latency),
                std::move(count)}));
    return keys;
}

Key assert_key() {
    Key key =
        texts_key("assert", FIELD(asserts),
                  "Statements about the result, as `busbw >= 350 GB/s at 1 GiB` or `efficiency >= 0.9 at 1024 gpus`; "
                  "exit code 5 when one fails.");
    key.read = [](const Node& node, Scenario& s) {
        for (const Node& item : node.items()) {
            asserted::check(item);
            s.asserts.push_back(item.text);
        }
    };
    return key;
}

std::vector<Key> design_keys() {
    Key set = text_map_key(
        "designs.set", FIELD(designs.back().set),
        "Keys that differ, by their paths, as `cluster.fabric.oversubscription: 2`; `null` takes back a key "
        "that the scenario sets.");
    set.may_be_null = true;
    set.read = [](const Node& node, Scenario& s) {
        for (const Node& member : node.members()) {
            s.designs.back().set[member.name] = member.is_null() ? "null" : text_of(member);
        }
    };
    const auto write = [](const DesignSpec& design) { return Json{{"name", design.name}, {"set", design.set}}; };
    std::vector<Key> keys = list_keys(
        "designs", FIELD(designs), "Designs that `study` holds side by side, over this scenario's workload.", write,
        {required(text_key("designs.name", FIELD(designs.back().name), "As the study calls it.")), set});
    keys.push_back(text_map_key(
        "prices", FIELD(prices),
        "What parts cost here, in place of the catalogue's prices, as `quantum-2: 42000 USD`; other figures as "
        "`data-centre/pue: 1.1`."));
    return keys;
}

// Paths are relative to the file that names them, which may be an included one; with --set, to the working folder.
Key calibration_key() {
    Key key = texts_key("calibration", FIELD(calibration),
                        "Overlay files laid over the catalogue, relative to the file that names them.");
    key.read = [](const Node& node, Scenario& s) {
        for (const Node& item : node.items()) {
            const std::filesystem::path folder = std::filesystem::path(*item.place.file).parent_path();
            s.calibration.push_back((folder / text_of(item)).string());
        }
    };
    return key;
}

Key include_key() {
    Key key{"include",
            Form::texts,
            "Files whose keys this one starts from, relative to it and in or below its folder.",
            {},
            {}};
    key.when_absent = "none";
    return key;  // with_includes() removes it from the tree before keys are read
}

std::vector<std::string> fabric_kinds() {
    std::vector<std::string> words;
    for (const Topology& kind : topology_kinds()) {
        words.emplace_back(kind.name);
    }
    return words;
}

constexpr double most_nodes = 1 << 24;

void insert_after(std::vector<Key>& keys, std::string_view path, const std::vector<Key>& more) {
    const auto place = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.path == path; });
    keys.insert(place + 1, more.begin(), more.end());
}

std::vector<Key> collective_keys() {
    std::vector<Key> keys = {
        word_key("workload.collective", COLLECTIVE(collective), Collective::scatter, "The operation."),
        word_key("workload.algorithm", COLLECTIVE(algorithm), Algorithm::hierarchical,
                 "`auto`: what NCCL of the stated version picks."),
        word_key("workload.protocol", COLLECTIVE(protocol), Protocol::simple,
                 "`auto`: what NCCL of the stated version picks."),
        sizes_key(),
        word_key("workload.dtype", COLLECTIVE(dtype), DataType::float8, "Type of an element."),
        flag_key("workload.in_place", COLLECTIVE(in_place), "The output buffer is the input buffer."),
        whole_key("workload.root", COLLECTIVE(root), 0, 4294967295.0,
                  "Rank at the root of broadcast, reduce, gather and scatter."),
    };
    for (Key& key : keys) {
        key.of_kind = key.path == "workload.sizes" ? "collective transfer" : "collective";
    }
    return keys;
}

std::vector<Key> make_keys() {
    std::vector<Key> keys = {
        required(text_key("name", FIELD(name), "Names the scenario in reports.")),
        include_key(),
        required(map_key("cluster", "The machine.")),
        text_key("cluster.node", FIELD(cluster.node), "Node template: `fabricast catalog list` shows them."),
        whole_key("cluster.nodes", FIELD(cluster.nodes), 1, most_nodes, "Number of nodes."),
        whole_key("cluster.gpus_per_node", FIELD(cluster.gpus_per_node), 1, 65535,
                  "Use only the first so many GPUs of each node.", "all"),
        map_key("cluster.fabric", "The network between the nodes."),
        choice_key("cluster.fabric.kind", FIELD(cluster.fabric_kind), fabric_kinds(), "Its shape.",
                   "`none` for one node, else `rail-optimized`"),
        text_key("cluster.fabric.link", FIELD(cluster.link), "Catalogue link from node to leaf.",
                 "the first network link of `graph`, else the node's own NIC port"),
        text_key("cluster.fabric.trunk", FIELD(cluster.trunk), "Catalogue link between switches.", "as `link`"),
        text_key("cluster.fabric.switch", FIELD(cluster.switch_part), "Catalogue switch.", "the usual one of the link"),
        whole_key("cluster.fabric.radix", FIELD(cluster.radix), 2, 65536, "Ports of one switch at the link's rate.",
                  "the switch's"),
        number_key("cluster.fabric.oversubscription", FIELD(cluster.oversubscription), 0.125, 64,
                   "Bandwidth down to bandwidth up, at the leaf."),
        whole_key("cluster.fabric.tiers", FIELD(cluster.tiers), 1, 4, "Tiers of switches.",
                  "as many as the size needs"),
        whole_key("cluster.fabric.scalable_unit", FIELD(cluster.scalable_unit), 1, most_nodes,
                  "Nodes on one set of leaves, of a Clos.", "as many as the leaves have ports for"),
        whole_key("cluster.fabric.spines", FIELD(cluster.spines), 1, most_nodes,
                  "Switches of the second tier in all, of a Clos.", "the fewest that have a port for each cable"),
        whole_key("cluster.fabric.management_ports", FIELD(cluster.management_ports), 0, 65536,
                  "Cables of fabric managers to free ports of the leaves: they count in the bill of materials.",
                  "none"),
        choice_key("cluster.fabric.routing", FIELD(cluster.routing), {"adaptive", "ecmp", "ecmp-one-seed"},
                   "How flows choose among equal paths; `ecmp-one-seed`: all switches of a tree hash alike.",
                   "`adaptive` on InfiniBand, `ecmp` elsewhere"),
        wholes_key("cluster.fabric.shape", FIELD(cluster.shape), 1, 65536,
                   "Torus: nodes in each dimension. Dragonfly: groups, routers a group, nodes a router.",
                   "the builder's choice"),
        within(time_key("cluster.fabric.cable_latency", FIELD(cluster.cable_latency), "Propagation along one cable.",
                        "the catalogue's"),
               Duration{1}, longest_latency),
        part_key("cluster.graph", FIELD(cluster.graph),
                 "The fabric device by device, with `cluster.fabric.kind: explicit`."),
        text_map_key("cluster.options", FIELD(cluster.node_options),
                     "Switches of the node template, as `peer_to_peer: false`."),
        required(map_key("workload", "What it runs.")),
        kind_key(),
        map_key("library", "The communication library."),
        text_key("library.nccl", FIELD(library.nccl), "NCCL's version, `\"2.27\"`."),
        text_key("library.transport", FIELD(library.network_plugin), "Network plugin.", "the usual one of the link"),
        text_map_key("library.env", FIELD(library.env), "NCCL's environment, as `NCCL_ALGO: Ring`."),
        map_key("launch", "How the calls are made."),
        word_key("launch.mode", FIELD(launch.mode), LaunchMode::framework,
                 "One process a GPU, one thread for all, a thread a GPU, or a framework's loop."),
        whole_key("launch.iterations", FIELD(launch.iterations), 1, 1e6, "Timed calls."),
        part_key("scaling", FIELD(scaling), "Adds the scaling table: the largest size at each cluster size."),
        wholes_key("scaling.nodes", FIELD(scaling->nodes), 1, most_nodes, "Node counts.", "`scaling.gpus`"),
        wholes_key("scaling.gpus", FIELD(scaling->gpus), 1, 4294967295.0, "GPU counts, whole nodes each.",
                   "`scaling.nodes`"),
        word_key("scaling.mode", FIELD(scaling->mode), ScalingMode::strong,
                 "Of a training step: the batch grows with the GPUs, or stays."),
        part_key("scaling.step", FIELD(scaling->step), "A training step: its efficiency joins the scaling table."),
        required(time_key("scaling.step.compute", FIELD(scaling->step->compute), "Computation of one step.")),
        required(size_key("scaling.step.bytes", FIELD(scaling->step->bytes), "Communicated by one step, in one call.")),
        number_key("scaling.step.overlap", FIELD(scaling->step->overlap), 0, 1,
                   "Share of communication that may hide behind computation."),
        calibration_key(),
        assert_key(),
        engine_key(),
        whole_key("seed", FIELD(seed), 0, 9007199254740991.0, "Of everything random: ECMP hashes."),
    };
    insert_after(keys, "workload.kind", transfer_keys());
    insert_after(keys, "workload.kind", trace_keys());
    insert_after(keys, "workload.kind", training_keys());
    insert_after(keys, "workload.kind", collective_keys());
    insert_after(keys, "cluster.graph", graph_keys());
    insert_after(keys, "scaling.step.overlap", event_keys());
    insert_after(keys, "engine", packet_keys());
    insert_after(keys, "seed", design_keys());
    insert_after(keys, "seed", sweep_keys());
    return keys;
}

#undef COLLECTIVE
#undef FIELD

}  // namespace

const std::vector<Key>& scenario_keys() {
    static const std::vector<Key> keys = make_keys();
    return keys;
}

}  // namespace fabricast
