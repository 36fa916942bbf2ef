#pragma once
// Builds a NodeTemplate from a node's YAML, as in topologies/nodes/, and the catalogue.
//
//   name: dgx-h100          # same as the file's name
//   note: ...               # one line for `catalog list`
//   gpu: h100-sxm           # a part of the catalogue
//   gpus: 8
//   cpu: xeon-sapphire-rapids # part of every device cpuN; each CPU adds its memory, "memoryN"
//   nic: connectx-7
//   nics: 8
//   port: infiniband-ndr    # the link that a NIC's port is usually used with
//   ports: 1                # cables per NIC, used as one
//   peer_to_peer: true      # between GPUs over PCIe; gpu_direct: NICs to GPU memory
//   devices:                # other than GPUs and NICs: cpuN, switchN (PCIe), nvswitchN
//     - {name: switch0-3, part: pex-89000}
//   cables:                 # 0-7 is a range; 8 GPUs to 4 switches: two GPUs for each switch
//     - {from: gpu0-7, to: nvswitch, link: nvlink-4, count: 18}
//     - {from: cpu0, to: cpu1}  # the CPU part's own links between sockets
//   mesh:                   # NVLinks between pairs of GPUs, as `nvidia-smi topo -m` prints them
//     {link: nvlink-2, links: [[0, 2], [2, 0]]}
//
// or a shorter form, from which the devices and cables follow: node_parts.hpp.

#include <span>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "base/yaml.hpp"
#include "models/catalog.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

std::span<const EmbeddedFile> embedded_nodes();  // topologies/nodes/*.yaml, sorted by name, compiled into the program

// Throws InputError at the value that is wrong, also if it names a part that the catalogue does not have.
NodeTemplate read_node(const yaml::Node& tree, const Catalog& catalog);

// The template with this name: from the catalogue if it has one (kind `node`, its YAML as the word `yaml`), else a
// built-in one. Throws CatalogError naming the nearest.
NodeTemplate node_template(std::string_view name, const Catalog& catalog);

// Every built-in template as a catalogue part of kind `node`, for listings and lookups.
std::vector<Part> node_parts();

}  // namespace fabricast::inline topologies
