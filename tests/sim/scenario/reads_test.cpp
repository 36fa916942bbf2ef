// Nothing is told that nothing reads: every figure and word of the catalogue, and every key of a scenario.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "models/catalog.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/plan/transfers/exchange_plan.hpp"
#include "sim/run/simulate.hpp"
#include "sim/run/study/study.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;

namespace {

using fabricast::testing::root;

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// A few sizes of every regime are enough.
void shorten(Scenario& scenario) {
    if (std::vector<Bytes>* sizes = sizes_of(scenario.workload); sizes != nullptr && sizes->size() > 3) {
        *sizes = {sizes->front(), (*sizes)[sizes->size() / 2], sizes->back()};
    }
}

void run_shipped_scenarios() {
    for (const auto& entry : std::filesystem::directory_iterator(root / "scenarios")) {
        if (entry.path().extension() == ".yaml") {
            Scenario scenario = read_scenario(entry.path());
            shorten(scenario);
            simulate(scenario, catalogue());
        }
    }
}

// Three sizes of every collective, launched in every way.
void plan_collectives(const Scenario& base, const Fabric& fabric) {
    using enum Collective;
    for (const Collective collective :
         {all_reduce, all_gather, reduce_scatter, broadcast, reduce, all_to_all, sendrecv}) {
        Scenario s = base;
        collective_of(s).collective = collective;
        s.launch.mode = static_cast<LaunchMode>(static_cast<int>(collective) % 4);
        try {
            const Planner planner(collective_of(s), fabric, s.library, s.launch, catalogue());
            for (const std::int64_t size : {std::int64_t{8}, std::int64_t{1} << 20, std::int64_t{1} << 30}) {
                planner.plan(Bytes{size}, size == 8);  // judging takes the time of twenty plans: once a call
            }
        } catch (const std::runtime_error&) {
            continue;  // a collective that does not fit
        }
    }
}

// What shipped scenarios do not run: other nodes, releases of NCCL, collectives and ways to launch them.
void plan_everywhere() {
    for (const Part& node : node_parts()) {
        Scenario s;
        s.cluster.node = node.name;
        s.library.env["NCCL_COLLNET_ENABLE"] = "1";
        const bool joined = node_template(node.name, catalogue()).nics > 0;
        for (const std::uint32_t nodes : {1U, 2U}) {
            if (nodes > 1 && !joined) { continue; }
            s.cluster.nodes = nodes;
            const Fabric fabric(build(s, catalogue()));
            for (const char* nccl : {"2.8", "2.18", "2.27", "2.30"}) {
                if (joined && (nodes == 1) != (std::string_view(nccl) == "2.18")) { continue; }
                s.library.nccl = nccl;
                plan_collectives(s, fabric);
            }
        }
    }
}

std::vector<HostConditions> conditions() {
    HostConditions harsh;
    harsh.acs = harsh.iommu = harsh.virtualised = true;
    harsh.relaxed_ordering = harsh.pinned = harsh.registration_cache = harsh.offloads = false;
    harsh.interrupt_delay = microseconds(20);
    harsh.numa = harsh.nic = NumaPlace::far;
    HostConditions without;
    without.peer_memory = without.rdma = false;
    without.ats = without.iommu = without.p2p_clique = without.huge_pages = true;
    without.qps = without.cores = 4;
    HostConditions unpinned;
    unpinned.pinned = false;
    unpinned.registration_cache = false;
    HostConditions huge = unpinned;
    huge.pinned = true;
    huge.huge_pages = true;
    return {{}, harsh, without, unpinned, huge};
}

void send_everywhere() {
    for (const char* node :
         {"dgx-h100-storage", "dgx-a100-storage", "rtx4090-8x", "power9-v100-4x", "gh200-4x", "dgx-a100"}) {
        Scenario s;
        s.cluster.node = node;
        s.cluster.nodes = 2;
        if (s.cluster.node == "dgx-a100") {
            s.cluster.node_options["nic"] = "chelsio-t6";
            s.cluster.fabric_kind = "single-switch";
            s.cluster.link = "ethernet-100g";
        }
        const Fabric built(build(s, catalogue()));
        for (const Part* way : catalogue().of_kind("data-path")) {
            for (const char* to :
                 {"node0.gpu0", "node0.gpu1", "node0.memory0", "node1.gpu0", "node1.memory0", "node0.nvme0"}) {
                for (const char* from : {"node0.gpu0", "node0.memory0", "node0.nvme0", "node0.cxl0"}) {
                    for (const HostConditions& host : conditions()) {
                        TransferWorkload transfer;
                        transfer.from = from;
                        transfer.to = to;
                        transfer.sizes = {Bytes{8}, Bytes{1 << 20}};
                        transfer.transport = way->name;
                        transfer.host = host;
                        transfer.operation = host.huge_pages ? TransferOperation::read : transfer.operation;
                        transfer.direction = host.huge_pages ? Direction::both_ways : transfer.direction;
                        try {
                            const Fabric fabric = transfer_fabric(built, transfer, catalogue());
                            const Exchanger exchanger(transfer, fabric, catalogue());
                            for (const Bytes size : transfer.sizes) { exchanger.plan(size); }
                        } catch (const std::runtime_error&) {
                            continue;  // no such device, or no such way between these two
                        }
                    }
                }
            }
        }
    }
}

// Every kind of messaging between GPUs of one node, where an MPI may have a transport of its own.
void send_by_each_messaging() {
    Scenario s;
    s.cluster.node = "dgx-h100";
    const Fabric fabric(build(s, catalogue()));
    for (const Part* messaging : catalogue().of_kind("messaging")) {
        TransferWorkload transfer;
        transfer.from = "node0.gpu0";
        transfer.to = "node0.gpu1";
        transfer.sizes = {Bytes{8}};
        transfer.messaging = messaging->name;
        try {
            Exchanger(transfer, fabric, catalogue()).plan(Bytes{8});
        } catch (const std::runtime_error&) { continue; }
    }
}

// Designs that differ, so that their difference is drawn, at sizes of every regime.
void study_shipped_designs() {
    for (const char* file : {"study-h100-1024.yaml", "study-h100-training.yaml", "trace-training-step.yaml"}) {
        for (const std::int64_t size : {std::int64_t{4096}, std::int64_t{1} << 20, std::int64_t{1} << 30}) {
            Scenario wide = read_scenario(root / "scenarios" / file);
            wide.cluster.nodes = std::min(wide.cluster.nodes, 64U);
            if (std::vector<Bytes>* sizes = sizes_of(wide.workload)) {
                *sizes = {Bytes{size}};
            } else if (size > 4096) {
                continue;
            }
            Scenario narrow = wide;
            narrow.cluster.oversubscription = 2;
            study({{"a", wide, catalogue()}, {"b", narrow, catalogue()}}, {.draws = 10});
        }
    }
    Scenario four = read_scenario(root / "scenarios" / "study-h100-1024.yaml");  // cables of every rate, cores too
    collective_of(four).collective = Collective::all_reduce;
    for (const char* link : {"infiniband-hdr", "ethernet-100g", "ethernet-25g", "infiniband-xdr"}) {
        four.cluster.link = link;
        four.cluster.switch_part = "";
        four.cluster.nodes = 1024;
        four.cluster.node_options["nic"] = link == std::string_view("infiniband-xdr") ? "connectx-8" : "connectx-7";
        try {
            study({{"a", four, catalogue()}}, {.draws = 10});
        } catch (const std::runtime_error&) { continue; }
    }
}

// Nodes that are bought in parts, and cables of 50 Gb/s a lane.
void study_parts() {
    for (const char* node : {"hgx-h100", "dgx-a100", "hgx-a100-4nic", "h100-pcie-2x"}) {
        Scenario s = read_scenario(root / "scenarios" / "study-h100-1024.yaml");
        s.cluster = {};
        s.cluster.node = node;
        s.cluster.nodes = 16;
        study({{"a", s, catalogue()}}, {.draws = 10});
        Catalog close = catalogue();  // a site's own layout, where copper reaches
        close.parts.at("usual-layout").figures.at("node_cable").value = {2};
        study({{"a", s, close}}, {.draws = 10});
    }
}

// What shipped training runs do not say: other precisions, kernels and ways to share.
void train_otherwise() {
    for (const char* words :
         {"precision: tf32, compiled: false", "precision: bf16, attention: flash-2, compiled: false",
          "precision: bf16, sharding: zero-3, framework: megatron-fsdp, offload: {optimizer: true}",
          "precision: fp4, attention: triton", "precision: fp16, attention: triton, fused_loss: false",
          "precision: mxfp8", "precision: fp8, framework: mlperf, adapters: 16, graphs: true",
          "precision: fp16, framework: pytorch-ddp, attention: unfused, compiled: false"}) {
        for (const char* node : {"dgx-h100", "dgx-a100", "dgx-b200"}) {
            for (const char* model : {"llama-2-7b", "resnet-50", "nemotron-h-56b"}) {
                try {
                    const Scenario scenario =
                        parse_scenario(std::string("name: t\ncluster: {node: ") + node +
                                           ", nodes: 2}\nworkload: {kind: training, model: " + model +
                                           ", check_memory: false, " + words + "}\ngoodput: {checkpoint: 30 s}\n",
                                       "otherwise.yaml");
                    simulate(scenario, catalogue());
                } catch (const std::runtime_error&) {
                    continue;  // a GPU without this precision
                }
            }
        }
    }
}

// What NCCL does only where it is told to, or with one GPU on each node; and on a GPU that no data tell of.
void plan_as_told() {
    Scenario far;
    far.cluster.node = "dgx-p100";
    const Fabric old(build(far, catalogue()));
    for (const std::int64_t size : {std::int64_t{1} << 20, std::int64_t{1} << 30}) {
        Planner(collective_of(far), old, far.library, far.launch, catalogue()).plan(Bytes{size});
    }
    for (const auto& [algorithm, gpus] : {std::pair{Algorithm::nvls_tree, 8}, std::pair{Algorithm::pat, 1}}) {
        Scenario s;
        s.cluster.node = "dgx-h100";
        s.cluster.nodes = 4;
        s.cluster.gpus_per_node = static_cast<std::uint32_t>(gpus);
        collective_of(s).collective = gpus == 1 ? Collective::all_gather : Collective::all_reduce;
        collective_of(s).algorithm = algorithm;
        Planner(collective_of(s), Fabric(build(s, catalogue())), s.library, s.launch, catalogue()).plan(Bytes{1 << 20});
    }
}

// A box of parts whose processor launches at a pace of its own.
void plan_on_a_box() {
    simulate(
        parse_scenario("name: box\ncluster: {node: {name: own, gpus: {part: h100-pcie, count: 4, joined: pcie}, "
                       "cpus: {part: epyc-turin, count: 2}}, nodes: 1}\nworkload: {kind: collective, sizes: [8 B]}\n",
                       "box.yaml"),
        catalogue());
}

// Kernels over symmetric windows, of both generations that have constants, in a node and between nodes; copy engines
// too.
void plan_over_windows() {
    for (const char* node : {"dgx-h100", "dgx-b200"}) {
        for (const std::uint32_t nodes : {1U, 2U}) {
            Scenario s;
            s.cluster.node = node;
            s.cluster.nodes = nodes;
            s.library.nccl = "2.30";
            s.library.registered = Registered::window;
            plan_collectives(s, Fabric(build(s, catalogue())));
            s.library.env["NCCL_CTA_POLICY"] = "ZERO";
            plan_collectives(s, Fabric(build(s, catalogue())));
        }
    }
}

// MSCCL's programs, in each protocol.
void plan_by_msccl() {
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        for (const Algorithm algorithm : {Algorithm::msccl_ring, Algorithm::msccl_all_pairs}) {
            Scenario s;
            s.cluster.node = "mi300x-8x";
            collective_of(s).algorithm = algorithm;
            collective_of(s).protocol = protocol;
            Planner(collective_of(s), Fabric(build(s, catalogue())), s.library, s.launch, catalogue())
                .plan(Bytes{1 << 20});
        }
    }
}

// What a network plugin's tuner chooses, on each of its platforms.
void plan_by_tuners() {
    using Platform = std::pair<const char*, const char*>;
    for (const auto& [node, link] : {Platform{"hgx-h100-efa", "efa-v2"}, Platform{"hgx-h100-efa", "efa-v3"},
                                     Platform{"dgx-b200", "efa-v4"}, Platform{"dgx-b300", "efa-v4"}}) {
        for (const std::uint32_t gpus : {1U, 2U, 8U}) {
            Scenario s;
            s.cluster.node = node;
            s.cluster.nodes = 4;
            s.cluster.gpus_per_node = gpus;
            s.cluster.link = link;
            s.cluster.node_options["nic"] = std::string(link) + "-nic";
            plan_collectives(s, Fabric(build(s, catalogue())));
        }
    }
}

// A calibrated catalogue says so in its figures' sources.
void plan_on_own_figures() {
    Catalog own = catalogue();
    for (const char* part : {"nccl-hopper-nvswitch", "nccl-kernels"}) {
        for (auto& [path, figure] : own.parts.at(part).figures) { figure.source = {"here:t"}; }
    }
    Scenario s;
    s.cluster.node = "dgx-h100";
    const Fabric fabric(build(s, own));
    for (const std::int64_t size : {std::int64_t{8}, std::int64_t{1} << 20, std::int64_t{1} << 30}) {
        Planner(collective_of(s), fabric, s.library, s.launch, own).plan(Bytes{size});
    }
}

}  // namespace

TEST_CASE("every figure and word of the catalogue is read by something", "[thorough]") {
    const FigureReads reads;
    run_shipped_scenarios();
    plan_everywhere();
    send_everywhere();
    send_by_each_messaging();
    study_shipped_designs();
    study_parts();
    train_otherwise();
    plan_on_own_figures();
    plan_as_told();
    plan_on_a_box();
    plan_over_windows();
    plan_by_msccl();
    plan_by_tuners();
    // Read by name where a scenario or a fit asks for it, not in a run.
    const std::set<std::string> elsewhere = {"node", "site"};
    // NVLink of the RTX 3090 and the A40, which only a user's own catalogue has.
    const std::set<std::string> of_other_gpus = {"nvlink.sm86"};
    std::set<std::string> unread;
    for (const auto& [part_name, part] : catalogue().parts) {
        if (elsewhere.contains(part.kind)) { continue; }
        // Words of a site's files, not of a run: device_parts_test.cpp reads them.
        if (std::ranges::find(name_tables, part.kind) != name_tables.end()) { continue; }
        for (const auto& [name, figure] : part.figures) {
            if (!reads.contains(part.kind, name) && !of_other_gpus.contains(name)) {
                unread.insert(part.kind + " " + name);
            }
        }
        for (const auto& [name, word] : part.text) {
            if (!reads.contains(part.kind, name)) { unread.insert(part.kind + " " + name); }
        }
    }
    CHECK(unread == std::set<std::string>{});
}

TEST_CASE("every key of a scenario ends in a field that something reads") {
    std::string keys, readers;
    for (const char* room : {"sim", "validate", "cli", "python", "topologies"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
            const std::string name = entry.path().filename().string();
            const bool source = entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp" ||
                                entry.path().extension() == ".inl";
            if (source && entry.path().string().find("node_modules") == std::string::npos) {
                (name.ends_with("keys.cpp") ? keys : readers) += text_of(entry.path());
            }
        }
    }
    const std::regex field(R"(&[A-Z]\w*::(\w+))");  // a pointer to the member that a key sets
    std::set<std::string> unread;
    std::size_t fields = 0;
    for (std::sregex_iterator it(keys.begin(), keys.end(), field), end; it != end; ++it) {
        const std::string member = (*it)[1].str();
        ++fields;
        if (readers.find("." + member) == std::string::npos && readers.find(">" + member) == std::string::npos) {
            unread.insert(member);
        }
    }
    CHECK(fields > 60);
    CHECK(unread == std::set<std::string>{});
}
