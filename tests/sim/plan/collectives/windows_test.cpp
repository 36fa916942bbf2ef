// NCCL's kernels over symmetric windows.

#include "sim/plan/collectives/nccl/windows.hpp"

#include <cmath>
#include <string>

#include "sim/plan/collectives/nccl/rail_kernels.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using Catch::Matchers::WithinRel;

namespace {

constexpr double gibibyte = 1 << 30;

double figure(std::string_view name) { return catalogue().at("kernel", "nccl-windows").number(std::string(name)); }

nccl::WindowCall on_h100(Collective collective, double bytes) {
    return {.collective = collective, .bytes = bytes, .ranks = 8, .gpu = nccl::Generation::hopper, .multicast = true};
}

std::string kernel_of(const nccl::WindowCall& call) {
    const auto pick = nccl::pick_window_kernel(call, figure);
    return pick ? std::string(pick->kernel->name) : "none";
}

Report with_library(const std::string& cluster, const std::string& sizes, const std::string& library,
                    const std::string& collective = "all_reduce") {
    return simulate(parse_scenario("name: t\ncluster: {" + cluster + "}\nworkload: {kind: collective, collective: " +
                                       collective + ", sizes: [" + sizes + "]}\nlibrary: {" + library + "}\n",
                                   "t.yaml"),
                    catalogue());
}

bool notes(const Report& report, const std::string& what) {
    for (const std::string& note : report.notes) {
        if (note.find(what) != std::string::npos) { return true; }
    }
    return false;
}

}  // namespace

TEST_CASE("NCCL picks LL for small calls over windows, and the switch for large ones") {
    CHECK(kernel_of(on_h100(Collective::all_reduce, 1024)) == "AllReduce_AGxLLMC_R");
    CHECK(kernel_of(on_h100(Collective::all_reduce, 1 << 20)) == "AllReduce_RSxLDMC_AGxSTMC");
    CHECK(kernel_of(on_h100(Collective::all_gather, 8192)) == "AllGather_LLMC");
    CHECK(kernel_of(on_h100(Collective::all_gather, gibibyte)) == "AllGather_STMC");
    CHECK(kernel_of(on_h100(Collective::reduce_scatter, gibibyte)) == "ReduceScatter_LDMC");
    nccl::WindowCall plain = on_h100(Collective::all_reduce, gibibyte);
    plain.multicast = false;
    CHECK(kernel_of(plain) == "AllReduce_RSxLD_AGxST");
    plain.bytes = 1024;
    CHECK(kernel_of(plain) == "AllReduce_AGxLL_R");
    // The switch does not reduce FP8 before Blackwell, and nothing sums integers.
    nccl::WindowCall narrow = on_h100(Collective::all_reduce, gibibyte);
    narrow.dtype = DataType::float8;
    CHECK(kernel_of(narrow) == "AllReduce_RSxLD_AGxST");
    narrow.dtype = DataType::int32;
    CHECK(kernel_of(narrow) == "none");
    narrow.collective = Collective::all_gather;
    CHECK(kernel_of(narrow) == "AllGather_STMC");
    CHECK(kernel_of(on_h100(Collective::all_gather, 64 * gibibyte)) == "none");
}

TEST_CASE("the time of a kernel over windows is NCCL's own model") {
    // Hopper, 8 GPUs: two blocks of 65 GiB/s, eightfold in the switch, come near 480 GiB/s; the busier direction
    // carries the buffer and an eighth.
    const auto pick = nccl::pick_window_kernel(on_h100(Collective::all_reduce, gibibyte), figure).value();
    CHECK(pick.blocks <= 2);
    const double one = 65, peak = 480, asked = pick.blocks * 8 * one;
    const double rate = peak - one * std::log1p((std::exp(peak / one) - 1) * std::exp(-asked / one));
    CHECK_THAT(pick.seconds(), WithinRel(7.8e-6 + 1.125 / rate - 1e-6, 1e-9));
    // Nothing to move: the latency, and what the smooth bend leaves of the hidden microsecond.
    const auto least = nccl::pick_window_kernel(on_h100(Collective::all_reduce, 0), figure).value();
    CHECK_THAT(least.seconds(), WithinRel(4.5e-6 + 1e-6 * std::log1p(std::exp(-1.0)), 1e-9));
}

TEST_CASE("registered windows make small all-reduces inside a node several times faster") {
    for (const std::string node : {"dgx-h100", "dgx-b200"}) {
        const Report with = with_library("node: " + node, "1 KiB, 64 KiB", "nccl: \"2.28\", registered: window");
        const Report without = with_library("node: " + node, "1 KiB, 64 KiB", "nccl: \"2.28\"");
        INFO(node);
        const double latency = figure(node == "dgx-h100" ? "latency.ll.hopper" : "latency.ll.blackwell");
        CHECK(with.rows[0].time_s > latency);
        CHECK(with.rows[0].time_s < 1.6 * latency);
        CHECK(without.rows[0].time_s / with.rows[0].time_s > 1.3);
        CHECK(without.rows[0].time_s / with.rows[0].time_s < 9);  // NVIDIA's "up to"
        CHECK(with.rows[0].protocol == "ll");
        CHECK(with.rows[0].evidence == Evidence::formula_only);
    }
}

TEST_CASE("a large call over windows is bound by NVLink, in every engine alike") {
    const std::string all = "nccl: \"2.28\", registered: window";
    const Row large = with_library("node: dgx-h100", "1 GiB", all).rows.front();
    CHECK(large.algorithm == "nvls");
    // A link carries the buffer and an eighth each way, as NVLS does: about 480 GB/s on H100 with registered buffers.
    CHECK_THAT(1.75 * gibibyte / large.time_s, WithinRel(480e9, 0.06));
    for (const char* kernel : {"AllReduce_AGxLL_R", "AllReduce_RSxLD_AGxST", "AllReduce_RSxLDMC_AGxSTMC"}) {
        const std::string forced = all + ", env: {NCCL_SYM_KERNEL: " + kernel + "}";
        const std::string scenario =
            std::string(
                "name: t\ncluster: {node: dgx-h100}\nworkload: {kind: collective, sizes: [4 MiB]}\nlibrary: {") +
            forced + "}\n";
        INFO(kernel);
        const double flow = simulate(parse_scenario(scenario, "t.yaml"), catalogue()).rows.front().time_s;
        const double packet =
            simulate(parse_scenario(scenario + "engine: packet\n", "t.yaml"), catalogue()).rows.front().time_s;
        CHECK_THAT(packet, WithinRel(flow, 0.05));
    }
}

TEST_CASE("NCCL's settings of windows have their effect, or are said to have none") {
    const std::string node = "node: dgx-h100", sizes = "1 KiB, 16 MiB";
    const std::string all = "nccl: \"2.28\", registered: window";
    const Report without = with_library(node, sizes, "nccl: \"2.28\"");
    const auto same = [&](const Report& other) {
        return other.rows[0].time_s == without.rows[0].time_s && other.rows[1].time_s == without.rows[1].time_s;
    };
    for (const char* off : {"NCCL_WIN_ENABLE: 0", "NCCL_CUMEM_ENABLE: 0"}) {
        const Report report = with_library(node, sizes, all + ", env: {" + off + "}");
        CHECK(same(report));
        CHECK(notes(report, "turns them off"));
    }
    const Report unregistered = with_library(node, sizes, "nccl: \"2.28\", env: {NCCL_SYM_CTAS: 4}");
    CHECK(same(unregistered));
    CHECK(notes(unregistered, "none is registered"));
    const Report one_block =
        with_library(node, sizes, all + ", env: {NCCL_SYM_CTAS: 1, NCCL_SYM_KERNEL: AllReduce_RSxLD_AGxST}");
    const Report many =
        with_library(node, sizes, all + ", env: {NCCL_SYM_CTAS: 32, NCCL_SYM_KERNEL: AllReduce_RSxLD_AGxST}");
    CHECK(one_block.rows[1].time_s > 3 * many.rows[1].time_s);
    CHECK_THROWS_WITH(with_library(node, sizes, all + ", env: {NCCL_SYM_KERNEL: AllReduce}"),
                      ContainsSubstring("no such kernel is modelled"));
}

TEST_CASE("windows that cannot be used are refused at their line, or noted") {
    CHECK_THROWS_WITH(with_library("node: dgx-h100", "1 KiB", "nccl: \"2.26\", registered: window"),
                      ContainsSubstring("t.yaml:4:") && ContainsSubstring("came with NCCL 2.27"));
    const std::string all = "nccl: \"2.28\", registered: window";
    const Report broadcast = with_library("node: dgx-h100", "1 KiB", all, "broadcast");
    CHECK(notes(broadcast, "NCCL has none for broadcast"));
    CHECK(broadcast.rows[0].time_s ==
          with_library("node: dgx-h100", "1 KiB", "nccl: \"2.28\"", "broadcast").rows[0].time_s);
    CHECK(notes(with_library("node: dgx-h100, nodes: 2", "1 KiB", all), "NCCL 2.28 has none for all_reduce between"));
    CHECK(notes(with_library("node: rtx4090-8x", "1 KiB", all), "not all GPUs have NVLink"));
}

TEST_CASE("copy engines serve what they are asked for, one copy after the other") {
    const std::string zero = "nccl: \"2.28\", registered: window, env: {NCCL_CTA_POLICY: ZERO}";
    const auto time_of = [](const Report& report) { return report.rows.at(0).time_s; };
    SECTION("four H100 in a mesh take 3.256 ms for an all-to-all of 500 MiB (NVIDIA/nccl issue 2169)") {
        const Report mesh = with_library("node: h100-mesh-4x", "500 MiB", zero, "all_to_all");
        CHECK_THAT(time_of(mesh), WithinRel(3.256e-3, 0.05));
        CHECK(mesh.rows.at(0).channels == 0);
        // A kernel uses the links to all three peers at once.
        CHECK(time_of(with_library("node: h100-mesh-4x", "500 MiB", "nccl: \"2.28\"", "all_to_all")) <
              0.6 * time_of(mesh));
    }
    SECTION("on an NVSwitch one copy after the other is as fast as all at once: 7/8 of 1 GiB at what the links carry") {
        for (const char* collective : {"all_to_all", "all_gather"}) {
            CHECK_THAT(time_of(with_library("node: dgx-h100", "1 GiB", zero, collective)),
                       WithinRel(0.875 * gibibyte * 1.05 / 394e9, 0.06));
        }
        // A root's copies to seven peers, and seven peers' to it, fill the root's links alike.
        const double out = time_of(with_library("node: dgx-h100", "1 GiB", zero, "scatter"));
        CHECK_THAT(time_of(with_library("node: dgx-h100", "1 GiB", zero, "gather")), WithinRel(out, 0.05));
    }
    SECTION("what they do not serve, and policies that change nothing, are said") {
        CHECK(notes(with_library("node: dgx-h100", "1 MiB", zero), "do no all_reduce"));
        CHECK(notes(with_library("node: dgx-h100", "1 MiB",
                                 "nccl: \"2.27\", registered: window, "
                                 "env: {NCCL_CTA_POLICY: ZERO}",
                                 "all_gather"),
                    "do no all_gather"));
        CHECK(notes(with_library("node: dgx-h100", "1 MiB", "nccl: \"2.28\", env: {NCCL_CTA_POLICY: 2}", "all_gather"),
                    "none is registered"));
        CHECK_THROWS_WITH(with_library("node: dgx-h100", "1 MiB", "nccl: \"2.28\", env: {NCCL_CTA_POLICY: NONE}"),
                          ContainsSubstring("accepted: DEFAULT, EFFICIENCY, ZERO"));
    }
    SECTION("Blackwell copies large all-gathers by itself from 2.29.2 on") {
        const std::string by_itself = "nccl: \"2.29.2\", registered: window";
        const auto channels = [&](const std::string& size, const std::string& library) {
            return with_library("node: dgx-b200", size, library, "all_gather").rows.at(0).channels;
        };
        CHECK(channels("512 MiB", by_itself) == 0);  // 16 Mi elements a rank
        CHECK(channels("128 MiB", by_itself) > 0);
        CHECK(channels("512 MiB", "nccl: \"2.28.9\", registered: window") > 0);
        CHECK(channels("512 MiB", by_itself + ", env: {NCCL_SYM_CE_THRESHOLD: 100000000}") > 0);
    }
}

namespace {

nccl::RailPick rails_of(Collective collective, double share, std::uint32_t nodes, const std::string& version,
                        bool multicast = true) {
    const nccl::Release release = nccl::release(catalogue(), nccl::parse_version(version));
    const nccl::WindowCall call{.collective = collective,
                                .bytes = share * 8 * nodes,
                                .ranks = 8 * nodes,
                                .gpu = nccl::Generation::hopper,
                                .multicast = multicast};
    const auto pick = nccl::pick_rail_kernel(call, nodes, 50e9, release, figure);
    return pick.value_or(nccl::RailPick{});
}

double first_time(const Report& report) { return report.rows.at(0).time_s; }

}  // namespace

TEST_CASE("between nodes NCCL picks a kernel along the rails by its own model") {
    // 16 nodes of 8 H100 with 50 GB/s each: a block of LDMC reads 31 shares for one, the switch 128, a NIC sends 15.
    const nccl::RailPick large = rails_of(Collective::reduce_scatter, 64 << 20, 16, "2.30.7");
    CHECK(large.kernel->name == "ReduceScatter_RailA2A_LsaLDMC");
    CHECK(large.blocks == 21);  // of 4.22 GB/s / 31, for 360 GB/s / 128
    const double first = 21 * 131072.0;
    CHECK_THAT(large.seconds, WithinRel((64 << 20) / (360e9 / 128) + first * (128 / 360e9 + 15 / 50e9) + 14e-6, 1e-9));
    // Without a multicast the GPU reads its seven peers itself, on more blocks.
    const nccl::RailPick plain = rails_of(Collective::reduce_scatter, 64 << 20, 16, "2.30.7", false);
    CHECK(plain.kernel->name == "ReduceScatter_RailA2A_LsaLD");
    CHECK(plain.blocks == 34);
    CHECK(rails_of(Collective::reduce_scatter, 4 << 20, 16, "2.30.3").blocks == 9);  // of 9.85 GB/s / 31
    // An all-gather takes a block for each MiB of a share, at most two for the eight GPUs of a node.
    const nccl::RailPick gather = rails_of(Collective::all_gather, 512 << 10, 16, "2.30");
    CHECK(gather.blocks == 1);
    CHECK_THAT(gather.seconds, WithinRel(15 * 14e-6 + (512 << 10) * 128 / 360e9, 1e-9));
    CHECK(rails_of(Collective::all_gather, 64 << 20, 16, "2.30").blocks == 2);
    // What releases have none.
    CHECK(rails_of(Collective::all_gather, 1 << 20, 16, "2.30", false).kernel == nullptr);
    CHECK(rails_of(Collective::all_gather, 1 << 20, 16, "2.28").kernel == nullptr);
    CHECK(rails_of(Collective::reduce_scatter, 1 << 20, 16, "2.29.2").kernel == nullptr);
    CHECK(rails_of(Collective::all_reduce, 1 << 20, 16, "2.30").kernel == nullptr);
}

TEST_CASE("a call along the rails costs its hops when small and its links when large, in every engine alike") {
    const std::string library = "nccl: \"2.30\", registered: window";
    const auto of = [&](int nodes, const std::string& size, const std::string& collective) {
        return with_library("node: dgx-h100, nodes: " + std::to_string(nodes), size, library, collective);
    };
    // Each further node is a put of 5.9 us and a path of 2.4.
    const double hop = (first_time(of(16, "1 KiB", "all_gather")) - first_time(of(8, "1 KiB", "all_gather"))) / 8;
    CHECK_THAT(hop, WithinRel(8.3e-6, 0.02));
    // A put to each of 15 peers, 0.4 us apart.
    CHECK_THAT(first_time(of(16, "1 KiB", "reduce_scatter")), WithinRel(7.8e-6 + 8.3e-6 + 14 * 0.4e-6, 0.02));
    // What the switch spreads or adds up, at what NCCL says it can.
    for (const char* collective : {"all_gather", "reduce_scatter"}) {
        CHECK_THAT(first_time(of(16, "8 GiB", collective)), WithinRel(8 * gibibyte / 360e9, 0.02));
    }
    for (const char* collective : {"all_gather", "reduce_scatter"}) {
        for (const char* size : {"8 KiB", "1 MiB", "16 MiB"}) {
            const std::string scenario =
                std::string("name: t\ncluster: {node: dgx-h100, nodes: 3}\nworkload: {kind: collective, collective: ") +
                collective + ", sizes: [" + size + "]}\nlibrary: {" + library + "}\n";
            INFO(collective << " " << size);
            const Report packet = simulate(parse_scenario(scenario + "engine: packet\n", "t.yaml"), catalogue());
            CHECK_THAT(first_time(packet), WithinRel(first_time(of(3, size, collective)), 0.06));
        }
    }
}

TEST_CASE("between nodes windows need GPUs that put, and say so where there are none") {
    const std::string library = "nccl: \"2.30\", registered: window";
    const std::string ib = "node: dgx-h100, nodes: 2";
    const Report no_gin = with_library(ib, "1 MiB", library + ", transport: efa-v2", "all_gather");
    CHECK(notes(no_gin, "need NCCL's own network"));
    CHECK(first_time(no_gin) ==
          first_time(with_library(ib, "1 MiB", "nccl: \"2.30\", transport: efa-v2", "all_gather")));
    const Report off = with_library(ib, "1 MiB", library + ", env: {NCCL_GIN_ENABLE: 0}", "all_gather");
    CHECK(notes(off, "turns those between nodes off"));
    CHECK(first_time(off) == first_time(with_library(ib, "1 MiB", "nccl: \"2.30\"", "all_gather")));
    CHECK_THROWS_WITH(with_library(ib, "1 MiB", library + ", env: {NCCL_GIN_TYPE: 7}", "all_gather"),
                      ContainsSubstring("accepted: -1, 2 by a thread"));
}

TEST_CASE("copy engines serve all-gathers and all-to-alls between nodes from 2.30.7 on") {
    const std::string cluster = "node: dgx-h100, nodes: 4";
    const auto zero = [&](const std::string& version, const std::string& collective) {
        return with_library(cluster, "4 GiB",
                            "nccl: \"" + version + "\", registered: window, env: {NCCL_CTA_POLICY: ZERO}", collective);
    };
    CHECK(notes(zero("2.30.3", "all_to_all"), "do no all_to_all between nodes"));
    const Report all_to_all = zero("2.30.7", "all_to_all");
    CHECK(all_to_all.rows.at(0).channels == 0);
    // 24 of 32 shares leave each GPU by its NIC; of an all-gather's, three of the share of a rank.
    CHECK_THAT(first_time(all_to_all), WithinRel(0.75 * 4 * gibibyte / 49.4e9 * 1.031, 0.04));
    CHECK_THAT(first_time(zero("2.30.7", "all_gather")), WithinRel(4 * gibibyte / 32 * 28 * 1.05 / 394e9, 0.04));
    CHECK(notes(zero("2.30.7", "gather"), "do no gather between nodes"));
    // Of a small all-gather each further node is seven copies more, 1.55 us each, and a put.
    const auto small = [](int nodes) {
        return first_time(with_library("node: dgx-h100, nodes: " + std::to_string(nodes), "1 KiB",
                                       "nccl: \"2.30.7\", registered: window, env: {NCCL_CTA_POLICY: ZERO}",
                                       "all_gather"));
    };
    const double each = (small(8) - small(4)) / 4;
    CHECK(each >= 7 * 1.55e-6 * 0.999);
    CHECK(each < 7 * 1.55e-6 + 10e-6);
}

TEST_CASE("registered buffers let NVLS do without its copies and an all-gather of one GPU a node without its chunks") {
    const auto nvls = [](const std::string& node, const std::string& library, const std::string& size) {
        return with_library("node: " + node, size, library + ", env: {NCCL_ALGO: NVLS}");
    };
    const std::string plain = "nccl: \"2.27\"", buffer = plain + ", registered: buffer";
    CHECK(nvls("dgx-h100", plain, "64 MiB").rows.at(0).channels == 16);
    CHECK(nvls("dgx-h100", buffer, "64 MiB").rows.at(0).channels == 4);
    CHECK(nvls("dgx-b200", buffer, "64 MiB").rows.at(0).channels == 8);
    // A window is a registered buffer as well from 2.28 on: sums of doubles, for which windows have no kernel, show it.
    const auto of_doubles = [](const std::string& library) {
        const std::string text =
            "name: t\ncluster: {node: dgx-h100}\nworkload: {kind: collective, dtype: float64, sizes: "
            "[64 MiB]}\nlibrary: {env: {NCCL_ALGO: NVLS}, registered: window, nccl: \"" +
            library + "\"}\n";
        return simulate(parse_scenario(text, "t.yaml"), catalogue()).rows.at(0).channels;
    };
    CHECK(of_doubles("2.28") == 4);
    CHECK(of_doubles("2.27") == 16);
    CHECK(first_time(nvls("dgx-h100", buffer, "64 MiB")) < 0.9 * first_time(nvls("dgx-h100", plain, "64 MiB")));
    CHECK_THAT(first_time(nvls("dgx-h100", buffer, "8 GiB")),
               WithinRel(first_time(nvls("dgx-h100", plain, "8 GiB")), 0.02));
    const auto one_each = [](const std::string& library, const std::string& size) {
        return with_library("node: dgx-h100, gpus_per_node: 1, nodes: 4", size,
                            library + ", env: {NCCL_ALGO: Ring, NCCL_PROTO: Simple}", "all_gather");
    };
    CHECK(one_each(buffer, "64 MiB").rows.at(0).channels < one_each(plain, "64 MiB").rows.at(0).channels);
    CHECK(one_each(buffer, "64 MiB").rows.at(0).evidence == Evidence::formula_only);
    CHECK(notes(nvls("dgx-h100", buffer, "1 MiB"), "registered buffers count for NVLS"));
    CHECK(notes(with_library("node: dgx-h100", "1 MiB", "nccl: \"2.18\", registered: buffer"), "change nothing"));
}
