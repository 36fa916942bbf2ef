#pragma once
// Small texts of each format, and what is seen in one.

#include <string>

#include "tests/discovery/site_of.hpp"

namespace fabricast::testing {

inline Observations seen_in(const std::string& text, const std::string& file = "some.txt") {
    return observe(SourceText(text, file));
}

inline constexpr const char* link_info = R"(CA: dgx-01 mlx5_0:
      0xa088c20300000001      4    1[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>       1   17[  ] "MF0;leaf1:MQM9700/U1" ( )
Switch: 0xb088c20300000001 MF0;leaf1:MQM9700/U1:
           1   17[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>       4    1[  ] "dgx-01 mlx5_0" ( )
           1   18[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           1   33[  ] ==( 4X     53.125 Gbps Active/  LinkUp)==>       2    5[  ] "MF0;spine1:MQM9700/U1" ( Could be 106.25 Gbps)
)";

inline constexpr const char* lldp_one =
    R"({"lldp": {"interface": {"ens1f0": {"chassis": {"leaf01": {"id": {"type": "mac",
  "value": "aa:bb:cc:00:11:22"}, "mgmt-ip": ["10.0.0.1"]}}, "port": {"id": {"type": "ifname", "value": "swp5"}}}}}})";

inline constexpr const char* lldp_zero = R"({"lldp": [{"interface": [
  {"name": "ens1f0", "chassis": [{"name": [{"value": "leaf01"}], "id": [{"type": "mac", "value": "aa:bb"}]}],
   "port": [{"id": [{"type": "ifname", "value": "swp5"}]}]},
  {"name": "ens2f0", "chassis": [{"name": [{"value": "leaf02"}]}], "port": [{"id": [{"type": "ifname", "value": "swp5"}]}]}]}]})";

inline constexpr const char* ufm =
    R"([{"source_guid": "0x1", "source_port": "1", "source_port_node_description": "dgx-01 HCA-1",
  "destination_guid": "0x2", "destination_port": "15", "destination_port_node_description": "leaf1:15", "speed": "NDR"}])";

inline constexpr const char* db_csv = R"(START_NODES
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

inline constexpr const char* slurm_yaml_text = R"(- topology: one
  cluster_default: true
  tree:
    switches:
      - {switch: root, children: "s[1-2]"}
      - {switch: s1, nodes: "n[01-02]"}
      - {switch: s2, nodes: "n[03-04]"}
)";

// One GPU and one NIC, of this PCI class and GUID, as NCCL dumps them.
inline std::string dump_of_node(const std::string& nic_class, const std::string& guid) {
    return R"(<system version="1"><cpu numaid="0" arch="x86_64">
      <pci busid="0000:01:00.0" class="0x030200" vendor="0x10de" device="0x2330" link_speed="32.0 GT/s PCIe" link_width="16">
        <gpu dev="0" sm="90" rank="0" gdr="1"/></pci>
      <pci busid="0000:02:00.0" class=")" +
           nic_class + R"(" vendor="0x15b3" device="0x1021" link_speed="32.0 GT/s PCIe" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="400000" port="1" guid=")" +
           guid + R"(" gdr="1"/></nic></pci></cpu></system>)";
}

}  // namespace fabricast::testing
