#pragma once
// One node of a Chakra execution trace, as its protobuf message holds it. Source of the field numbers:
// mlcommons/chakra, schema/protobuf et_def.proto (0.0.4).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.hpp"

namespace fabricast::inline traces::chakra_node {

enum class NodeType : std::uint8_t { invalid, metadata, mem_load, mem_store, compute, send, receive, collective };

// An attribute's number, text or first list entry.
struct Attribute {
    std::optional<double> number;
    std::string text;
};

struct Node {
    std::uint64_t id = 0;
    std::string name;
    std::uint64_t type = 0;
    std::uint64_t duration_us = 0;
    std::vector<std::uint64_t> controlled_by, fed_by;  // ctrl_deps, data_deps
    std::map<std::string, Attribute, std::less<>> attributes;

    double number(std::string_view name, double fallback) const {
        const auto found = attributes.find(name);
        return found != attributes.end() && found->second.number ? *found->second.number : fallback;
    }
    bool has(std::string_view name) const { return attributes.contains(name); }
};

// Throws InputError for a message that is no such node.
Node read_node(WireMessage message);

}  // namespace fabricast::inline traces::chakra_node
