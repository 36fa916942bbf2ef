#pragma once
// A node's YAML, as topologies/nodes/ holds it, and the catalogue make a NodeTemplate.
//
//   name: dgx-h100            # the file's name
//   note: ...                 # one line for `catalog list`
//   gpu: h100-sxm             # parts of the catalogue
//   gpus: 8
//   cpu: xeon-sapphire-rapids # every device cpuN; each brings its memory, "memoryN"
//   nic: connectx-7
//   nics: 8
//   port: infiniband-ndr      # what a NIC's port usually speaks
//   ports: 1                  # cables of one NIC used as one
//   peer_to_peer: true        # between GPUs over PCIe; gpu_direct: NICs to GPU memory
//   devices:                  # beside GPUs and NICs: cpuN, switchN (PCIe), nvswitchN
//     - {name: switch0-3, part: pex-89000}
//   cables:                   # 0-7 is a range; two GPUs for each of four switches where 8 meet 4
//     - {from: gpu0-7, to: nvswitch, link: nvlink-4, count: 18}
//     - {from: cpu0, to: cpu1}  # the CPU part's own links between sockets
//   mesh:                     # NVLinks between pairs of GPUs, as `nvidia-smi topo -m` prints them
//     {link: nvlink-2, links: [[0, 2], [2, 0]]}

#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"
#include "models/catalog.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

// Throws InputError at the value that is wrong, also for parts the catalogue does not hold.
NodeTemplate read_node(const yaml::Node& tree, const Catalog& catalog);

// The template of that name: the catalogue's where it has one (kind `node`, its YAML under the word `yaml`), else the
// library's. Throws CatalogError naming the nearest.
NodeTemplate node_template(std::string_view name, const Catalog& catalog);

// Every template of the library as a catalogue part of kind `node`, for listings and lookups.
std::vector<Part> node_parts();

}  // namespace fabricast
