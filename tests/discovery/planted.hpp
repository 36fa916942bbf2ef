#pragma once
// Faults planted among healthy machines.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "discovery/site/export_node.hpp"
#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast::testing {

inline const int planted_each = thorough() ? 25 : 6;

struct Random {
    std::uint64_t state;
    std::uint32_t below(std::uint32_t n) {
        state = mix(state + 1);
        return static_cast<std::uint32_t>(state % n);
    }
};

inline void replace_first(std::string& text, const std::string& from, const std::string& to, std::size_t start = 0) {
    const std::size_t at = text.find(from, start);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
}

// Hosts as NCCL sees them, each in a file of its name.
inline Texts nodes_of(Random& random) {
    static const std::vector<std::string> kinds = {"dgx-h100", "dgx-a100", "hgx-h100", "dgx-b200", "dgx-h200"};
    static std::map<std::string, std::string> exported;
    const std::string kind = kinds[random.below(static_cast<std::uint32_t>(kinds.size()))];
    std::string& text = exported[kind];
    if (text.empty()) { text = to_nccl_topology(node_template(kind, catalogue()), catalogue()); }
    Texts texts;
    const std::uint32_t count = 2 + random.below(random.below(8) == 0 ? 511 : 40);
    for (std::uint32_t i = 0; i < count; ++i) { texts.emplace_back("host" + std::to_string(i) + ".xml", text); }
    return texts;
}

struct Planted {
    Texts texts;
    std::string device;  // part of what the finding must name
};

// The text of the k-th element that begins so, up to its end.
inline std::size_t nth(const std::string& text, const std::string& what, std::uint32_t k) {
    std::size_t at = text.find(what);
    for (; k > 0 && at != std::string::npos; --k) { at = text.find(what, at + 1); }
    return at;
}

inline bool names(const Finding& finding, const std::string& device) {
    return finding.device.find(device) != std::string::npos || finding.cable.find(device) != std::string::npos ||
           finding.message.find(device) != std::string::npos;
}

// Removes the line in which a position is.
inline void drop_line(std::string& text, std::size_t at) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    text.erase(begin, text.find('\n', begin) + 1 - begin);
}

}  // namespace fabricast::testing
