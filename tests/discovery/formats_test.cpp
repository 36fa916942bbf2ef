// Formats of which the samples have no file: the smallest text that shows each of their shapes. And a toy format.

#include "base/hostlist.hpp"
#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::testing;

namespace {

constexpr const char* link_info = R"(CA: dgx-01 mlx5_0:
      0xa088c20300000001      4    1[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>       1   17[  ] "MF0;leaf1:MQM9700/U1" ( )
Switch: 0xb088c20300000001 MF0;leaf1:MQM9700/U1:
           1   17[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>       4    1[  ] "dgx-01 mlx5_0" ( )
           1   18[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           1   33[  ] ==( 4X     53.125 Gbps Active/  LinkUp)==>       2    5[  ] "MF0;spine1:MQM9700/U1" ( Could be 106.25 Gbps)
)";

constexpr const char* lldp_one =
    R"({"lldp": {"interface": {"ens1f0": {"chassis": {"leaf01": {"id": {"type": "mac",
  "value": "aa:bb:cc:00:11:22"}, "mgmt-ip": ["10.0.0.1"]}}, "port": {"id": {"type": "ifname", "value": "swp5"}}}}}})";

constexpr const char* lldp_zero = R"({"lldp": [{"interface": [
  {"name": "ens1f0", "chassis": [{"name": [{"value": "leaf01"}], "id": [{"type": "mac", "value": "aa:bb"}]}],
   "port": [{"id": [{"type": "ifname", "value": "swp5"}]}]},
  {"name": "ens2f0", "chassis": [{"name": [{"value": "leaf02"}]}], "port": [{"id": [{"type": "ifname", "value": "swp5"}]}]}]}]})";

constexpr const char* ufm =
    R"([{"source_guid": "0x1", "source_port": "1", "source_port_node_description": "dgx-01 HCA-1",
  "destination_guid": "0x2", "destination_port": "15", "destination_port_node_description": "leaf1:15", "speed": "NDR"}])";

constexpr const char* db_csv = R"(START_NODES
NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,DeviceID
"dgx-01 mlx5_0",1,1,0x10,0x10,4129
"MF0;leaf1:MQM9700/U1",65,2,0x20,0x20,54002
END_NODES
START_PORTS
NodeGuid,PortGuid,PortNum,LinkWidthActv,LinkSpeedActv
0x10,0x10,1,2,2048
END_PORTS
START_LINKS
NodeGuid1,PortNum1,NodeGuid2,PortNum2
0x10,1,0x20,7
END_LINKS
)";

constexpr const char* slurm_yaml_text = R"(- topology: one
  cluster_default: true
  tree:
    switches:
      - {switch: root, children: "s[1-2]"}
      - {switch: s1, nodes: "n[01-02]"}
      - {switch: s2, nodes: "n[03-04]"}
)";

// One GPU and one NIC, of this PCI class and GUID, as NCCL dumps them.
std::string dump_of_node(const std::string& nic_class, const std::string& guid) {
    return R"(<system version="1"><cpu numaid="0" arch="x86_64">
      <pci busid="0000:01:00.0" class="0x030200" vendor="0x10de" device="0x2330" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1"/></pci>
      <pci busid="0000:02:00.0" class=")" +
           nic_class + R"(" vendor="0x15b3" device="0x1021" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="400000" port="1" guid=")" +
           guid + R"(" gdr="1"/></nic></pci></cpu></system>)";
}

}  // namespace

TEST_CASE("iblinkinfo: far ends are found by lid, dark ports make no cable, half-rate cables seen") {
    const Observations seen = seen_in(link_info);
    CHECK(seen.format == "iblinkinfo");
    REQUIRE(seen.cables.size() == 2);
    CHECK(seen.cables[0].megabits + seen.cables[1].megabits == 600'000);
    CHECK(seen.devices.size() == 3);
}

TEST_CASE("lldp: both forms say the same") {
    const Observations one = seen_in(lldp_one, "dgx-01.json");
    REQUIRE(one.cables.size() == 1);
    CHECK(one.cables[0].a.device == "dgx-01");
    CHECK(one.cables[0].b.device == "leaf01");
    CHECK(one.cables[0].b.port == "swp5");
    CHECK(seen_in(lldp_zero, "dgx-01.json").cables.size() == 2);
    CHECK_THROWS_AS(seen_in(R"({"lldp": {}})"), InputError);
}

TEST_CASE("UFM's links, ibdiagnet's tables and Slurm's topology.yaml") {
    const Observations links = seen_in(ufm);
    REQUIRE(links.cables.size() == 1);
    CHECK(links.cables[0].megabits == 400'000);
    const Observations db = seen_in(db_csv);
    REQUIRE(db.cables.size() == 1);
    CHECK(db.cables[0].megabits == 400'000);
    CHECK(db.devices.size() == 2);
    const Observations slurm = seen_in(slurm_yaml_text);
    REQUIRE(slurm.groups.size() == 3);
    CHECK(slurm.groups[0].groups.size() == 2);
    CHECK(slurm.groups[2].hosts == std::vector<std::string>{"n03", "n04"});
}

TEST_CASE("ibdiagnet's mistakes are refused at their row") {
    const std::string head = "START_LINKS\nEND_LINKS\nSTART_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n";
    CHECK_THROWS_WITH(seen_in(head + "\"leaf0\",32,2\nEND_NODES\n"),
                      ContainsSubstring(":5:1: a row of NODES with fewer cells than its heading"));
    CHECK_THROWS_WITH(seen_in(head + "\"leaf0\",32,2,\nEND_NODES\n"), ContainsSubstring("a node without NodeGUID"));
    CHECK_THROWS_WITH(seen_in(head + "\"leaf0\",32,2,0x1\n"), ContainsSubstring("the file ends within NODES"));
}

TEST_CASE("lspci with -vv tells a slot that runs below what it could") {
    const auto findings = fabricast::testing::findings_of(
        {{"dgx-01.txt",
          "0000:1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [10de:2330] (rev a1)\n"
          "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
          "\t\tLnkSta:\tSpeed 32GT/s, Width x8 (downgraded)\n"}});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].check == "width");
    CHECK(findings[0].share == 0.5);
}

TEST_CASE("names of hosts, switches, buses and rates in all spellings") {
    const SourceLocation at;
    CHECK(hostlist("n[1-3,7],m1", at) == std::vector<std::string>{"n1", "n2", "n3", "n7", "m1"});
    CHECK(hostlist("[0998-1001]x", at) == std::vector<std::string>{"0998x", "0999x", "1000x", "1001x"});
    CHECK_THROWS_AS(hostlist("n[3-1]", at), InputError);
    CHECK(normal_bus("00000000:1B:00.0") == "0000:1b:00.0");
    CHECK(normal_bus("1b:00.0") == "0000:1b:00.0");
    CHECK(switch_name("MF0;IBSW1:MQM9700/U1") == "ibsw1");
    CHECK(switch_name("core:MCS8500/L16/U2") == "core/l16/u2");
    CHECK(host_name("A08-P1.site.org mlx5_0") == "a08-p1");
    CHECK(infiniband_megabits("4xNDR") == 400'000);
    CHECK(infiniband_megabits("4x ???") == 0);
    CHECK(megabits_of("100Gbps") == 100'000);
    CHECK(megabits_of("40000") == 40'000);
}

TEST_CASE("the door undoes what programs and mail do to a text") {
    const SourceText text(
        "\xEF\xBB\xBF"
        "one\r\n\x1b[4mtwo\x1b[0m  \r\n",
        "x");
    REQUIRE(text.lines().size() == 2);
    CHECK(text.lines()[0].text == "one");
    CHECK(text.lines()[1].text == "two");
    const std::string wide("\xFF\xFEh\0i\0\n\0", 8);
    CHECK(SourceText(wide, "x").lines()[0].text == "hi");
    CHECK_THROWS_AS(SourceText(std::string("a\0b", 3), "x"), InputError);
}

TEST_CASE("files are joined by GUID and by name") {
    // NCCL prints a GUID with its bytes turned round.
    const std::string node = dump_of_node("0x020700", "0x01000000c288a000");
    const std::string fabric =
        "switchguid=0x20\nSwitch\t65 \"S-20\"\t\t# \"leaf1\"\n"
        "[1]\t\"H-00a088c200000001\"[1](a088c200000001)\t# \"dgx-01 mlx5_0\" lid 4 4xNDR\n\n"
        "Ca\t1 \"H-00a088c200000001\"\t\t# \"dgx-01 mlx5_0\"\n"
        "[1](a088c200000001)\t\"S-20\"[1]\t# lid 4 lmc 0 \"leaf1\" lid 1 4xNDR\n";
    const Site site = site_of({{"dump.xml", node}, {"ib.out", fabric}});
    REQUIRE(site.hosts.size() == 1);
    CHECK(site.hosts[0].name == "dgx-01");
    CHECK(site.hosts[0].inside.has_value());
    CHECK(site.unnamed.empty());
}

TEST_CASE("a node is joined by the MAC address of its adapter, which its switch saw") {
    const std::string node = dump_of_node("0x020000", "0x010000feff9f59b8");
    const std::string seen_by_leaf = R"({"lldp": {"interface": {"swp5": {"chassis": {"dgx-01": {"id": {"type": "mac",
      "value": "aa:bb:cc:00:11:22"}}}, "port": {"id": {"type": "mac", "value": "b8:59:9f:00:00:01"}}}}}})";
    const Site site = site_of({{"dump.xml", node}, {"leaf01.json", seen_by_leaf}});
    REQUIRE(site.hosts.size() == 1);
    CHECK(site.hosts[0].name == "dgx-01");
    CHECK(site.hosts[0].inside.has_value());
    CHECK(mac_of_guid("b8599f0300000001") == "b8599f000001");
    CHECK(mac_of_guid("b8599f1234000001").empty());
}

TEST_CASE("switches without a name, and a switch's management port, are told from hosts") {
    const Observations line = seen_in(
        "0x0002c90200404ad8 \"SwitchX -  Mellanox Technologies\"      4    3[  ] ==( 4X 25.78 Gbps Active/  LinkUp)==> "
        " "
        "0x0002c903000e0b72     15    1[  ] \"n2 HCA-1\" ( )\n"
        "0x0002c90200404ad8 \"SwitchX -  Mellanox Technologies\"      4   17[  ] ==( 4X 25.78 Gbps Active/  LinkUp)==> "
        " "
        "0x0011220300334455      5    1[  ] \"n1 mlx4_0\" ( )\n");
    CHECK(std::ranges::count(line.devices, Role::host, &DeviceSeen::role) == 2);
    const Observations leaf = seen_in(
        R"({"lldp": {"interface": [{"eth0": {"chassis": {"oob": {"id": {"type": "mac", "value": "00:1c:0f:5f:c7:c0"}}},
          "port": {"id": {"type": "ifname", "value": "Gi3/36"}}}},
          {"Ethernet0": {"chassis": {"dgx-1": {"id": {"type": "mac", "value": "00:1c:0f:5f:c7:c1"}}},
          "port": {"id": {"type": "ifname", "value": "ens1f0"}}}}]}})",
        "leaf301.json");
    CHECK(leaf.cables.size() == 1);
    CHECK(leaf.dropped.at("management port") == 1);
    // Two adapters without a switch between them are no fabric, and nothing is missing from a rail.
    CHECK(
        fabricast::testing::findings_of(
            {{"direct.txt",
              "CA: a mlx4_0:\n      0x2779      4    1[  ] ==( 4X           5.0 Gbps Active/  LinkUp)==>       3    "
              "1[  ] \"b mlx4_0\" ( )\nCA: b mlx4_0:\n      0x2f79      3    1[  ] ==( 4X           5.0 Gbps Active/  "
              "LinkUp)==>       4    1[  ] \"a mlx4_0\" ( )\n"}})
            .empty());
}

TEST_CASE("a toy format is a row") {
    std::vector<SiteFormat> formats = site_formats();
    formats.insert(formats.begin(), {"toy", "a host and its switch a line",
                                     [](const SourceText& source) { return source.text().starts_with("toy\n"); },
                                     [](const SourceText& source) {
                                         Observations seen;
                                         for (const TextLine& line : source.lines()) {
                                             if (line.words().size() != 2) { continue; }
                                             GroupSeen& group = seen.groups.emplace_back();
                                             group.name = line.words()[1].text;
                                             group.hosts = {std::string(line.words()[0].text)};
                                             group.at = source.at(line);
                                         }
                                         return seen;
                                     }});
    const Observations seen = observe(SourceText("toy\nhost1 leaf1\n", "x"), formats);
    CHECK(seen.format == "toy");
    CHECK(seen.groups.size() == 1);
}

TEST_CASE("a scenario draws its node template in place, and ranges of nodes in its cables") {
    const std::string text = R"(name: drawn
cluster:
  node:
    name: mine
    gpu: h100-sxm
    gpus: 2
    cpu: xeon-sapphire-rapids
    nic: connectx-7
    nics: 1
    port: infiniband-ndr
    devices: [{name: cpu0}, {name: nvswitch, part: nvswitch-3}]
    cables:
      - {from: gpu0-1, to: nvswitch, link: nvlink-4, count: 18}
      - {from: gpu0-1, to: cpu0, link: pcie-gen5-x16}
      - {from: nic0, to: cpu0, link: pcie-gen5-x16}
  nodes: 3
  fabric: {kind: explicit, link: infiniband-ndr}
  graph:
    devices: [{name: leaf, part: quantum-2}]
    cables: [{a: node0-2.nic0, b: leaf}]
workload: {kind: collective, collective: all_reduce}
)";
    const Fabric fabric = fabricast::testing::fabric_of(text);
    CHECK(fabric.node_count() == 3);
    CHECK(fabric.node().name == "mine");
    const Scenario scenario = parse_scenario(text, "drawn.yaml");
    CHECK(scenario.cluster.node_parts.has_value());
}

TEST_CASE("dialects of known formats") {
    const Observations line = seen_in(
        "0xb8599f0300fc6de4 \"      MF0;ibsw1:MQM8700/U1\"      5    1[  ] ==( 4X       53.125 Gbps Active/  "
        "LinkUp)==>  "
        "0xb8599f0300aaaaaa     12    1[  ] \"node01 HCA-1\" ( )\n"
        "0xb8599f0300fc6de4 \"      MF0;ibsw1:MQM8700/U1\"      5    3[  ] ==(                Down/ Polling)==>        "
        "     "
        "[  ] \"\" ( )\n");
    CHECK(line.cables.size() == 1);
    CHECK(line.cables.front().megabits == 200'000);
    const Observations neighbours = seen_in(
        "lldp.eth0.via=LLDP\nlldp.eth0.chassis.mac=b8:59:9f:00:00:01\nlldp.eth0.chassis.name=leaf1\n"
        "lldp.eth0.port.ifname=swp1\nlldp.eth0.port.auto-negotiation.current=100GbaseCR4\nlldp.eth1.100.chassis.name="
        "leaf2\n"
        "lldp.eth1.100.port.ifname=swp7\n",
        "host1.txt");
    CHECK(neighbours.cables.size() == 2);
    const Observations named = seen_in(
        "19:00.0 3D controller: NVIDIA Corporation Device 2330 (rev a1)\n\t\tLnkSta:\tSpeed 32GT/s, Width x16\n"
        "3b:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
        "3b:00.1 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7 Virtual Function]\n");
    REQUIRE(named.nodes.size() == 1);
    CHECK(named.nodes[0].gpus.size() == 1);
    CHECK(named.nodes[0].nics.size() == 1);
    // A dark port of an older ibnetdiscover -p, without quotes.
    const Observations dark = seen_in("SW   479 22 0x0002c9020040f161 4x QDR           Infiniscale-IV Mellanox\n");
    CHECK(dark.cables.empty());
    CHECK(dark.devices.size() == 1);
    // Servers whose ports are numbers, and an adapter with two ports.
    const Observations rack = seen_in(
        "StartDevice,StartPort,EndDevice,EndPort,BandWidth,Technology\nserver-01,0,tor1,7,40000,\n"
        "server-02,mlx5_0,tor1,8,200000,2xNDR\nserver-02,mlx5_0/2,tor2,8,200000,2xNDR\n");
    CHECK(std::ranges::count(rack.devices, Role::host, &DeviceSeen::role) == 2);
    CHECK(rack.cables.back().technology == "2xNDR");
    CHECK(hostlist("r[1-2]n[01-02]", {}) == std::vector<std::string>{"r1n01", "r1n02", "r2n01", "r2n02"});
    CHECK(hostlist_text({"r1n01", "r1n02", "r1n03", "x", "a7", "a9", "a10"}) == "r1n[01-03],x,a[7,9-10]");
}

TEST_CASE("ibnetdiscover indented by a manual, and what shows that it was cut short") {
    const std::string text =
        "   switchguid=0x20\n   Switch 36 \"S-20\"   # \"leaf1\" base port 0 lid 6\n"
        "   [1]  \"H-1\"[1](1)   # \"n1 HCA-1\" lid 4 4xEDR\n   [2]  \"H-2\"[1](2)   # \"n2 HCA-1\" lid 5 4xEDR\n"
        "   [3]  \"H-3\"[1](3)   # \"n3 HCA-1\" lid 7 4xEDR\n\n"
        "   Ca 1 \"H-1\"  # \"n1 HCA-1\"\n   [1](1)  \"S-20\"[1]  # lid 4 lmc 0 \"leaf1\" lid 6 4xEDR\n"
        "   Ca 1 \"H-2\"  # \"n2 HCA-1\"\n   [1](2)  \"S-20\"[2]  # lid 5 lmc 0 \"leaf1\" lid 6 4xEDR\n";
    const Observations seen = seen_in(text);
    CHECK(seen.cables.size() == 3);
    REQUIRE(seen.notes.size() == 1);
    CHECK(seen.notes[0] == "1 of 3 cables stand at one end only: the file may be cut short");
    CHECK_THROWS_AS(seen_in("graph g {\n\"a\":\"swp1\" -- \"b\":\"swp1\"\n"), InputError);
}

TEST_CASE("Slurm's blocks are NVLink domains of as many trays, not switches") {
    const auto described = [](const std::string& hosts, const std::string& node) {
        Site site = site_of({{"topology.conf", "BlockName=b1 Nodes=n[01-" + hosts + "]\nBlockName=b2 Nodes=m[01-" +
                                                   hosts + "]\nBlockSizes=" + hosts + "\n"}});
        CHECK(site.devices.empty());
        DescribeOptions options;
        options.node = node;
        return describe(site, fabricast::testing::catalogue(), options);
    };
    for (const char* node : {"", "gb200-nvl72", "gb300-nvl72"}) {
        const Description made = described("18", node);
        CHECK(made.nodes == 2);
        CHECK(made.node == (*node == '\0' ? "gb200-nvl72" : node));
        CHECK(fabricast::testing::fabric_of(made.yaml).gpu_count() == 2 * 18 * 4);
    }
    CHECK(fabricast::testing::fabric_of(described("16", "gb300-nvl72").yaml).gpu_count() == 2 * 16 * 4);
    CHECK_THROWS_WITH(described("18", "dgx-h100"), ContainsSubstring("of 18 hosts, but a dgx-h100 is 1 host"));
    CHECK_THROWS_WITH(described("36", ""), ContainsSubstring("of 36 hosts, but a gb200-nvl72 is 18 hosts"));
}
