#include "sim/plan/traces/chakra_node.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace fabricast::inline traces::chakra_node {

namespace {

// AttributeProto: the field's number determines the type of the value.
void read_value(const WireField& field, Attribute& attribute) {
    const std::uint64_t bits = field.value;
    switch (field.number) {
        case 3: attribute.number = std::bit_cast<double>(bits); return;
        case 5: attribute.number = std::bit_cast<float>(static_cast<std::uint32_t>(bits)); return;
        case 7:
        case 9:
        case 25: attribute.number = static_cast<double>(static_cast<std::int64_t>(bits)); return;
        case 23: attribute.number = static_cast<std::int32_t>(bits); return;
        case 11:
        case 13:
        case 19:
        case 21:
        case 27: attribute.number = static_cast<double>(bits); return;
        case 15:
        case 17:  // zigzag
            attribute.number =
                static_cast<double>(static_cast<std::int64_t>(bits >> 1U) ^ -static_cast<std::int64_t>(bits & 1U));
            return;
        case 29:
        case 31: attribute.text = field.content; return;
        default: return;  // a replay does not need lists
    }
}

void read_attribute(WireMessage message, Node& node) {
    std::string name;
    Attribute attribute;
    for (WireField field; message.next(field);) {
        if (field.number == 1 && field.type == WireType::bytes) {
            name = field.content;
        } else {
            read_value(field, attribute);
        }
    }
    if (attribute.number && !(std::abs(*attribute.number) <= 1e18)) {
        message.fail("attribute " + shown(name) + " is out of range");
    }
    node.attributes[name] = std::move(attribute);
}

void read_ids(const WireField& field, const WireMessage& message, std::vector<std::uint64_t>& ids) {
    if (field.type == WireType::varint) {
        ids.push_back(field.value);
    } else if (field.type == WireType::bytes) {
        for (WireMessage packed = message.inside(field); !packed.at_end();) { ids.push_back(packed.varint()); }
    } else {
        message.fail("a list of node ids is neither packed nor plain");
    }
}

}  // namespace

Node read_node(WireMessage message) {
    Node node;
    for (WireField field; message.next(field);) {
        const bool text = field.type == WireType::bytes;
        const bool whole = field.type == WireType::varint;
        if (field.number == 1 && whole) {
            node.id = field.value;
        } else if (field.number == 2 && text) {
            node.name = field.content;
        } else if (field.number == 3 && whole) {
            node.type = field.value;
        } else if (field.number == 4 || field.number == 5) {
            read_ids(field, message, field.number == 4 ? node.controlled_by : node.fed_by);
        } else if (field.number == 7 && whole) {
            node.duration_us = field.value;
        } else if (field.number == 10 && text) {
            read_attribute(message.inside(field), node);
        } else if (field.number > 10 || field.number == 1 || field.number == 2 || field.number == 3) {
            message.fail(fmt::format("field {} is none of a node", field.number));
        }
    }
    if (node.type > static_cast<std::uint64_t>(NodeType::collective)) {
        message.fail(fmt::format("node type {} (accepted: 0 to 7)", node.type));
    }
    if (node.duration_us > 1'000'000'000'000) { message.fail(fmt::format("a node of {} us", node.duration_us)); }
    return node;
}

}  // namespace fabricast::inline traces::chakra_node
