// nvidia-smi topo -m and what else tells how the GPUs of a node are joined.

#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::testing;

TEST_CASE("nvidia-smi: the far ends of NVLinks, and which GPUs reach each other") {
    const Observations remote = seen_in(
        "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"
        "\t Link 0: Remote Device 00000000:07:00.0: Link 46\n"
        "\t Link 1: Remote Device 00000000:07:00.0: Link 47\n"
        "\t Link 2: <inactive>\n");
    REQUIRE(remote.nodes.size() == 1);
    CHECK(remote.nodes[0].gpus[0].nvlink_count() == 2);
    CHECK(remote.nodes[0].gpus[0].nvlinks[0].target == "0000:07:00.0");
    CHECK(remote.nodes[0].gpus[0].inactive == 1);
    const Observations reach = seen_in(" \tGPU0\tGPU1\t\n GPU0\tX\tOK\t\n GPU1\tCNS\tX\t\n");
    REQUIRE(reach.nodes[0].pairs.size() == 1);
    CHECK(reach.nodes[0].pairs[0].word == "CNS");
}

TEST_CASE("a matrix of a Grace machine says so, and its GPU is asked for") {
    const auto tray = [](const std::string& links) {
        std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
        for (int i = 0; i < 4; ++i) {
            text += "GPU" + std::to_string(i);
            for (int j = 0; j < 4; ++j) { text += i == j ? "\t X " : "\t" + links; }
            text += i < 2 ? "\tSYS\tSYS\t0-71\t0,3-9\t\t" : "\tSYS\tSYS\t72-143\t1,19-25\t\t";
            text += std::to_string(2 + 8 * i) + "\n";
        }
        return text + "NIC0\tSYS\tSYS\tSYS\tSYS\t X \tSYS\nNIC1\tSYS\tSYS\tSYS\tSYS\tSYS\t X \n";
    };
    for (const auto& [links, part] : {std::pair("NV18", "gb200"), {"NV6", "gh200"}}) {
        Site site = site_of({{"topo.txt", tray(links)}});
        const Description made = describe(site, fabricast::testing::catalogue(), {});
        REQUIRE(made.shape.has_value());
        CHECK(made.shape->gpu.name == part);
        CHECK(made.shape->cpu.name == "grace");
        CHECK(std::ranges::any_of(made.asked, [](const std::string& asked) { return asked.find("--gpu PART") < 200; }));
        CHECK(made.yaml.find("{from: gpu0-3, to: cpu0-1, link: nvlink-c2c-half}") < made.yaml.size());
        CHECK(made.yaml.find("{from: nic0-1, to: cpu0-1, link: pcie-gen5-x16}") < made.yaml.size());
    }
    const Observations report = seen_in("GPU 0,1,2,3: NVIDIA GB200\nNVIDIA Topology:\n" + tray("NV18"));
    CHECK(report.nodes[0].gpus[3].model == "NVIDIA GB200");
}

TEST_CASE("tabs that a terminal lost between the cells of a matrix are found again") {
    const Observations seen = seen_in(
        "     GPU0  GPU1  NIC0  NIC1NIC2  CPU Affinity\n"
        "GPU0  X    NV4   PIX   NODENODE  0-15\n"
        "GPU1 NV4    X    SYS   SYSPIX    0-15\n");
    REQUIRE(seen.nodes[0].nics.size() == 3);
    const auto pix = std::ranges::count(seen.nodes[0].pairs, "PIX", &PairSeen::word);
    CHECK(pix == 2);
    CHECK(seen.nodes[0].gpus[0].nvlink_count() == 4);
    CHECK_THROWS_AS(seen_in("     GPU0  GPU1\nGPU0  X   NV4\nGPU1 NV4\n"), InputError);
}

TEST_CASE("a matrix of GPUs behind NVSwitches counts a GPU's links, not the sum of its cells") {
    std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\n";
    for (int i = 0; i < 4; ++i) {
        text += "GPU" + std::to_string(i);
        for (int j = 0; j < 4; ++j) { text += i == j ? "\tX" : "\tNV12"; }
        text += "\t0-15\n";
    }
    Site site = site_of({{"topo.txt", text}});
    CHECK(describe(site, fabricast::testing::catalogue(), {}).shape->gpu.name == "a100-sxm4-80");
}

TEST_CASE("NVLinks to the GPU itself are counted as left out, and a slot without a speed is said") {
    std::string xml = "<system version=\"1\">";
    for (int i = 1; i <= 2; ++i) {
        const std::string bus = "000" + std::to_string(i) + ":00:00.0";
        xml +=
            "<cpu numaid=\"" + std::to_string(i - 1) +
            "\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"175\" modelid=\"1\"><pci busid=\"" + bus +
            "\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x20b5\" link_speed=\"\" link_width=\"0\"><gpu dev=\"" +
            std::to_string(i - 1) + "\" sm=\"80\" rank=\"" + std::to_string(i - 1) + "\" gdr=\"1\"><nvlink target=\"" +
            bus + "\" count=\"12\" tclass=\"0x030200\"/></gpu></pci></cpu>";
    }
    Site site = site_of({{"topo.xml", xml + "</system>"}});
    CHECK(site.dropped.at("NVLink from a GPU to itself") == 24);
    const Description made = describe(site, fabricast::testing::catalogue(), {});
    REQUIRE(made.shape);
    CHECK(std::ranges::any_of(made.shape->notes, [](const std::string& note) {
        return note.find("2 devices on pcie-gen4-x16, for the file states no speed") != std::string::npos;
    }));
}

TEST_CASE("UUIDs of NVLink domains make racks, and no switch of a network") {
    std::string text;
    for (int host = 0; host < 8; ++host) {
        text +=
            "n" + std::to_string(host) + ": 5e797fc6-0f46-421a-8724-0e102c0f72" + (host % 2 == 0 ? "3c" : "1e") + "\n";
    }
    Site site = site_of({{"uuids.txt", text}});
    CHECK(site.devices.empty());
    const Description made = describe(site, fabricast::testing::catalogue(), {});
    CHECK(made.nodes == 2);
    CHECK(made.node == "gb200-nvl72");
    CHECK(site.dropped.empty());
    const Fabric fabric = fabricast::testing::fabric_of(made.yaml);
    CHECK(fabric.gpu_count() == 2 * 4 * 4);
}
