#include "sim/scenario/keys.hpp"

#include "base/text.hpp"
#include "sim/scenario/assertion.hpp"
#include "sim/scenario/event_keys.hpp"
#include "sim/scenario/packet_keys.hpp"
#include "sim/scenario/renamed_keys.hpp"
#include "sim/scenario/rows.hpp"
#include "sim/scenario/vary.hpp"
#include "sim/scenario/workload_keys.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

Key engine_key() {
    Key key{{"engine", Form::word, "How the schedule is replayed."}};
    key.words = engine_names();
    key.read = [](const Node& node, Scenario& s) { s.engine = all_engines().at(node.as_enum(engine_names())); };
    key.write = [](const Scenario& s) { return Json(traits_of(s.engine).name); };
    return key;
}

// Light in fibre goes around the earth in less than this. Zero means "not given".
constexpr Duration longest_latency = microseconds(1'000'000);

Rows<NodeCable> cable_rows() {
    const auto read_rate = [](const Node& node, Rate& rate) { rate = as_rate(node); };
    // Bytes per second as a plain decimal, so that the rate is exact.
    const auto write_rate = [](Rate rate) { return Json(rate.bytes_per_second()).dump() + " B/s"; };
    return together<NodeCable>({
        {required(text_key("a", &NodeCable::a, "One end: `node0.nic1` or a device's name.")),
         required(text_key("b", &NodeCable::b, "The other end."))},
        keys_below<NodeCable>(
            "", &NodeCable::link,
            {
                text_key("link", &LinkSpec::name, "Its catalogue link.", "`cluster.fabric.link`"),
                field_key("rate", Form::rate, &LinkSpec::rate, "Line rate after encoding, per direction.", "the link's",
                          read_rate, write_rate),
                within(time_key("latency", &LinkSpec::latency, "One way, without serialization.", "the link's"),
                       Duration{1}, longest_latency),
            }),
        {whole_key("count", &NodeCable::count, 1, 4096, "Parallel cables used as one.", "`1`")},
    });
}

Rows<ExplicitGraph> graph_keys() {
    using G = ExplicitGraph;
    using D = NodeDevice;
    return together<G>({
        list_keys<G>("devices", &G::devices, "Switches and other devices of the fabric.",
                     {required(text_key("name", &D::name, "As cables name it: `leaf1`.")),
                      text_key("part", &D::part, "Its catalogue part.", "none"),
                      within(time_key("latency", &D::latency, "Of passing through it.", "the part's"), Duration{1},
                             longest_latency)}),
        list_keys<G>("cables", &G::cables, "Full-duplex cables between devices.", cable_rows()),
    });
}

std::vector<Key> design_keys() {
    KeyOf<DesignSpec> set = text_map_key("set", &DesignSpec::set,
                                         "Keys that differ, by their paths, as `cluster.fabric.oversubscription: 2`, "
                                         "with values of any form; `null` takes back a key that the scenario sets.");
    set.may_be_null = true;
    set.read = [](const Node& node, DesignSpec& design) {
        for (const Node& member : node.members()) {
            design.set[member.name] = member.is_scalar() ? text_of(member) : flow_text(member);
        }
    };
    set.write = [](const DesignSpec& design) { return Json(design.set); };
    return together(
        {list_keys("designs", &Scenario::designs,
                   "Designs that `study` holds side by side, over this scenario's workload.",
                   {required(text_key("name", &DesignSpec::name, "As the study calls it.")), std::move(set)}),
         {text_map_key("prices", &Scenario::prices,
                       "What parts cost here, in place of the catalogue's prices, as `quantum-2: 42000 USD`; also what "
                       "they draw and what owning costs, as `quantum-2/power.typical: 700 W`, "
                       "`data-centre/pue: 1.1`, and nothing else of a part. `study` counts them.")}});
}

Key include_key() {
    Key key{{"include", Form::texts,
             "Files whose keys this one starts from, relative to it and in or below its folder; `cloud:aws-p5` is an "
             "instance of a cloud (`fabricast catalog list cloud`)."}};
    key.when_absent = "none";
    return key;  // with_includes() removes it from the tree before keys are read
}

constexpr double most_nodes = 1 << 24;

void read_node(const Node& node, NodeRequest& to) {
    if (node.is_map()) {
        to.node_parts = node;
        to.node = node.text_or("name", "node");
    } else {
        to.node = text_of(node);
    }
}

Json node_json(const NodeRequest& node) {
    if (node.node_parts) { return texts_json(*node.node_parts); }
    return node.node.empty() ? Json() : Json(node.node);
}

// A node by its template's name, or made of parts; read when the cluster is built, for the catalogue has them.
KeyOf<ClusterRequest> node_key() {
    KeyOf<ClusterRequest> key{{"node", Form::text_or_map,
                               "Node template: `fabricast catalog list` shows them. Or its parts, as in "
                               "[catalogue.md](catalogue.md#a-node-made-of-parts)."}};
    key.read = read_node;
    key.write = [](const ClusterRequest& cluster) { return node_json(cluster); };
    return key;
}

// How many nodes, or how many of each kind.
KeyOf<ClusterRequest> nodes_key() {
    KeyOf<ClusterRequest> key = whole_key("nodes", &ClusterRequest::nodes, 1, most_nodes,
                                          "Number of nodes. Or a list of `{node, count}`, for nodes of several kinds "
                                          "([topologies.md](topologies.md#nodes-of-several-kinds)).");
    key.form = Form::nodes;
    key.read = [read = key.read](const Node& node, ClusterRequest& cluster) {
        if (!node.is_list()) { return read(node, cluster); }
        if (node.items().empty()) { node.fail("must not be empty", "a list of {node, count}"); }
        cluster.nodes = 0;
        for (const Node& item : node.items()) {
            item.allow({"node", "count"});
            NodesRequest& kind = cluster.kinds.emplace_back();
            kind.place = item.place;
            read_node(item.required("node"), kind);
            kind.count = static_cast<std::uint32_t>(
                item.required("count").as_int(1, static_cast<std::int64_t>(most_nodes) - cluster.nodes));
            cluster.nodes += kind.count;
        }
    };
    key.write = [](const ClusterRequest& cluster) {
        if (cluster.kinds.empty()) { return Json(cluster.nodes); }
        Json kinds = Json::array();
        for (const NodesRequest& kind : cluster.kinds) {
            kinds.push_back({{"node", node_json(kind)}, {"count", kind.count}});
        }
        return kinds;
    };
    return key;
}

std::vector<Key> cluster_keys() {
    using C = ClusterRequest;
    std::vector<Key> keys = map_keys(
        "cluster", &Scenario::cluster, "The machine.",
        together<C>({
            {
                node_key(),
                nodes_key(),
                whole_key("gpus_per_node", &C::gpus_per_node, 1, 65535, "Use only the first so many GPUs of each node.",
                          "all"),
                map_key<C>("fabric", "The network between the nodes."),
                choice_key("fabric.kind", &C::fabric_kind, names_of(topology_kinds(), &Topology::name), "Its shape.",
                           "`none` for one node, else `rail-optimized`"),
                text_key("fabric.link", &C::link, "Catalogue link from node to leaf.",
                         "the first network link of `graph`, else the node's own NIC port"),
                text_key("fabric.trunk", &C::trunk, "Catalogue link between switches.", "as `link`"),
                text_key("fabric.switch", &C::switch_part, "Catalogue switch.", "the usual one of the link"),
                whole_key("fabric.radix", &C::radix, 2, 65536, "Ports of one switch at the link's rate.",
                          "the switch's"),
                number_key("fabric.oversubscription", &C::oversubscription, 0.125, 64,
                           "Bandwidth down to bandwidth up, at the leaf of a Clos or the router of a dragonfly."),
                whole_key("fabric.tiers", &C::tiers, 1, 4, "Tiers of switches, of a Clos.",
                          "as many as the size needs"),
                whole_key("fabric.scalable_unit", &C::scalable_unit, 1, most_nodes,
                          "Nodes on one set of leaves, of a Clos.", "as many as the leaves have ports for"),
                whole_key("fabric.spines", &C::spines, 1, most_nodes, "Switches of the second tier in all, of a Clos.",
                          "the fewest that have a port for each cable"),
                whole_key("fabric.planes", &C::planes, 2, 16,
                          "Cables of a NIC, each to a fabric of its own, of `dual-plane`.", "2"),
                whole_key("fabric.management_ports", &C::management_ports, 0, 65536,
                          "Cables of fabric managers to free ports of the leaves: they count in the bill of materials.",
                          "none"),
                choice_key("fabric.routing", &C::routing,
                           {"adaptive", "ecmp", "ecmp-one-seed", "min-hop", "up-down", "fat-tree"},
                           "How flows choose among equal paths; `ecmp-one-seed`: all switches of a tree hash alike; "
                           "the last three: a subnet manager's tables, of an explicit fabric.",
                           "`adaptive` on InfiniBand, `ecmp` elsewhere"),
                wholes_key("fabric.shape", &C::shape, 1, 65536,
                           "Torus: nodes in each dimension. Dragonfly: groups, routers a group, nodes a router.",
                           "the builder's choice"),
                within(time_key("fabric.cable_latency", &C::cable_latency, "Propagation along one cable.",
                                "the catalogue's"),
                       Duration{1}, longest_latency),
            },
            part_keys("graph", &C::graph, "The fabric device by device, with `cluster.fabric.kind: explicit`.",
                      graph_keys()),
            {text_map_key("options", &C::node_options,
                          "Switches of the node template, as `peer_to_peer: false` or `slot: pcie-gen4-x8`."),
             text_key("hosts", &C::hosts,
                      "The nodes' names in their order, as Slurm lists hosts: `rack1-[01-18],login`.", "`node[0-N]`"),
             text_key("place", &C::place,
                      "The nodes that are used, such a list in the order of ranks; the others stay in the network.",
                      "all")},
        }));
    keys.front().required = true;
    return keys;
}

std::vector<Key> library_keys() {
    return together({
        map_keys(
            "library", &Scenario::library, "The communication library.",
            {
                text_key("nccl", &LibrarySpec::nccl, "NCCL's version, `\"2.27\"`."),
                word_key("registered", &LibrarySpec::registered, Registered::window,
                         "How the calls' buffers are registered: `buffer` as nccl-tests does with `-R 1`, `window` in "
                         "symmetric windows as with `-R 2` ([collectives.md](collectives.md#registered-buffers))."),
                text_key("transport", &LibrarySpec::network_plugin, "Network plugin.", "the usual one of the link"),
                text_map_key("env", &LibrarySpec::env, "NCCL's environment, as `NCCL_ALGO: Ring`."),
            }),
        map_keys("launch", &Scenario::launch, "How the calls are made.",
                 {
                     word_key("mode", &LaunchSpec::mode, LaunchMode::framework,
                              "One process a GPU, one thread for all, a thread a GPU, or a framework's loop."),
                     whole_key("iterations", &LaunchSpec::iterations, 1, 1e6, "Timed calls."),
                     word_key("average", &LaunchSpec::average, RankTime::max,
                              "Whose time counts where ranks end at different times (broadcast and reduce), as "
                              "nccl-tests' `-a`: rank 0's, the mean, the first one's or the last one's."),
                 }),
    });
}

std::vector<Key> scaling_keys() {
    using S = ScalingSpec;
    using Step = ScalingStep;
    return part_keys(
        "scaling", &Scenario::scaling, "Adds the scaling table: the largest size at each cluster size.",
        together<S>({
            {
                wholes_key("nodes", &S::nodes, 1, most_nodes, "Node counts.", "`scaling.gpus`"),
                wholes_key("gpus", &S::gpus, 1, 4294967295.0, "GPU counts, whole nodes each.", "`scaling.nodes`"),
                word_key("mode", &S::mode, ScalingMode::strong,
                         "Of a training step: the batch grows with the GPUs, or stays; to stay, "
                         "`workload.global_batch` states it."),
            },
            part_keys("step", &S::step, "A training step: its efficiency joins the scaling table.",
                      {
                          required(time_key("compute", &Step::compute, "Computation of one step.")),
                          required(size_key("bytes", &Step::bytes, "Communicated by one step, in one call.")),
                          number_key("overlap", &Step::overlap, 0, 1,
                                     "Share of communication that may hide behind computation."),
                      }),
        }));
}

std::vector<Key> goodput_keys() {
    using G = GoodputSpec;
    constexpr Duration longest = microseconds(std::int64_t{30} * 86400 * 1'000'000);
    std::vector<Key> keys = part_keys(
        "goodput", &Scenario::goodput,
        "Adds what failures and checkpoints leave of a month ([training.md](training.md)).",
        together<G>({{
            required(within(time_key("checkpoint", &G::checkpoint, "How long writing a checkpoint stops the job."),
                            Duration{1}, longest)),
            within(time_key("restart", &G::restart, "From a failure to computing again.", "the catalogue's"),
                   Duration{1}, longest),
            within(time_key("every", &G::every, "Computing between two checkpoints.", "the best (Daly 2006)"),
                   Duration{1}, longest),
        }}));
    for (Key& key : keys) { key.of_kind = "training"; }
    return keys;
}

std::vector<Key> job_keys() {
    KeyOf<JobSpec> workload = map_key<JobSpec>("workload", "What it runs: the keys of `workload`.");
    workload.like = "workload";
    workload.when_absent = "the scenario's";
    workload.read = [](const Node& node, JobSpec& job) { job.workload = node; };
    workload.write = [](const JobSpec& job) { return job.workload ? texts_json(*job.workload) : Json(); };
    KeyOf<JobSpec> nodes = required(text_key("nodes", &JobSpec::nodes, "Its nodes, as `cluster.place`."));
    nodes.read = [](const Node& node, JobSpec& job) {
        job.nodes = text_of(node);
        job.place = node.place;
    };
    return list_keys(
        "jobs", &Scenario::jobs,
        "Jobs that share the cluster, each call after call ([jobs.md](jobs.md)); `workload` may then be absent.",
        {required(text_key("name", &JobSpec::name, "As reports call it.")), std::move(nodes), std::move(workload)});
}

Json map_json(const Scenario& scenario, std::string_view path) {
    Json map = Json::object();
    for (const Key* key : keys_inside(path)) {
        if (!belongs(*key, scenario)) { continue; }
        Json value = key->write ? key->write(scenario) : Json();
        if (key->form == Form::map && (!key->write || !value.is_null())) {
            value = map_json(scenario, key->path);
            if (value.empty()) { continue; }
        }
        if (!value.is_null()) { map[std::string(leaf_of(key->path))] = std::move(value); }
    }
    return map;
}

}  // namespace

const std::vector<Key>& scenario_keys() {
    static const std::vector<Key> keys = together({
        {required(text_key("name", &Scenario::name, "Names the scenario in reports.")), include_key()},
        cluster_keys(),
        workload_keys(),
        library_keys(),
        scaling_keys(),
        goodput_keys(),
        event_keys(),
        job_keys(),
        {texts_key("calibration", &Scenario::calibration,
                   "Overlay files laid over the catalogue, relative to the file that names them.", path_of),
         texts_key("assert", &Scenario::asserts,
                   "Statements about the result, as `busbw >= 350 GB/s at 1 GiB` or `efficiency >= 0.9 at 1024 gpus`; "
                   "exit code 5 when one fails.",
                   asserted::checked),
         engine_key()},
        packet_keys(),
        {whole_key("seed", &Scenario::seed, 0, 9007199254740991.0, "Of everything random: ECMP hashes.")},
        sweep_keys(),
        design_keys(),
    });
    return keys;
}

bool belongs(const Key& key, const Scenario& scenario) {
    return key.of_kind.empty() || has_word(key.of_kind, kind_of(scenario.workload));
}

const Key* find_key(std::string_view path) {
    path = present_name(path);
    for (const Key& key : scenario_keys()) {
        if (key.path == path) { return &key; }
    }
    return nullptr;
}

std::vector<const Key*> keys_inside(std::string_view path) {
    std::vector<const Key*> inside;
    for (const Key& key : scenario_keys()) {
        if (parent_of(key.path) == path) { inside.push_back(&key); }
    }
    return inside;
}

Json to_json(const Scenario& scenario) { return map_json(scenario, ""); }

}  // namespace fabricast::inline scenario
