#include "sim/scenario/packet_lane_keys.hpp"

#include "base/numbers.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

// "node3", or `any` if the key is absent.
KeyOf<ServiceLevel> node_key(std::string name, std::uint32_t ServiceLevel::*field, std::string meaning) {
    KeyOf<ServiceLevel> key{{std::move(name), Form::text, std::move(meaning)}};
    key.read = [field](const Node& node, ServiceLevel& rule) {
        const std::string_view name = node.as_string();
        const auto number = name.starts_with("node") ? number_in<std::uint32_t>(name.substr(4)) : std::nullopt;
        if (!number) { node.fail("is no node of the cluster", "node0, node1, ..."); }
        rule.*field = *number;
    };
    key.when_absent = "any";
    return key;
}

Json level_json(const ServiceLevel& rule) {
    Json json = {{"level", rule.level}};
    if (rule.from != ServiceLevel::any) { json["from"] = "node" + std::to_string(rule.from); }
    if (rule.to != ServiceLevel::any) { json["to"] = "node" + std::to_string(rule.to); }
    return json;
}

Rows<Packet> lane_keys() {
    using L = LaneOptions;
    Rows<L> rows = {
        whole_key("count", &L::count, 1, 15, "How many share a link."),
        word_key("choice", &L::choice, LaneChoice::hop,
                 "By service level, or one more with each trunk that is crossed, which breaks circles as long as there "
                 "is one for each; the last serves all beyond."),
        wholes_key("of_level", &L::of_level, 0, 14, "Lane of each service level (SL to VL).",
                   "the level's number, the last lane at most"),
        wholes_key("weights", &L::weights, 1, 255, "Of each lane in turn, times 64 B.", "64"),
        wholes_key("high", &L::high, 0, 14, "Lanes that go before the others.", "none"),
        whole_key("high_limit", &L::high_limit, 0, 255,
                  "Times 4 KiB of them, then another lane may go; 255: no limit."),
    };
    append(rows, list_keys<L>("levels", &L::levels, "Service levels of messages, the first that fits; 0 without one.",
                              {node_key("from", &ServiceLevel::from, "The sender's node."),
                               node_key("to", &ServiceLevel::to, "The receiver's node."),
                               required(whole_key("level", &ServiceLevel::level, 0, 15, "Its service level."))},
                              level_json));
    return map_keys<Packet>(
        "lanes", &Packet::lanes,
        "Lanes of links between nodes: InfiniBand's virtual lanes, Ethernet's priorities. Each has its own "
        "queue, buffer and flow control.",
        std::move(rows));
}

Rows<Packet> pcie_keys() {
    using P = PcieOptions;
    const std::string derived = "what two round trips need";
    const auto size = [](std::string name, Bytes P::*field, std::string meaning, std::string absent, Bytes least,
                         Bytes most) {
        return within(size_key(std::move(name), field, std::move(meaning), std::move(absent)), least, most);
    };
    constexpr Bytes one{1}, smallest{64}, largest{4096};  // payloads: PCI-SIG Base 5.0 section 7.5.3.4
    return map_keys<Packet>(
        "pcie", &Packet::pcie, "PCI Express inside nodes.",
        {
            flag_key("transactions", &P::transactions,
                     "Writes, read requests and completions have credits of their own, and NICs read what they send."),
            size("max_payload", &P::max_payload, "Of a write or completion.", "the link's", smallest, largest),
            within(size_key("max_read_request", &P::max_read_request, "MRRS: reads are cut into it."), Bytes{64},
                   Bytes{4096}),
            size("completion_payload", &P::completion_payload,
                 "Of a completion, where a read completion boundary makes it smaller.", "`max_payload`", smallest,
                 largest),
            whole_key("tags", &P::tags, 1, 65536, "Reads that one device may have under way."),
            flag_key("relaxed_ordering", &P::relaxed_ordering, "Reads and completions may pass writes."),
            whole_key("posted_headers", &P::posted_headers, 1, 65536, "Credits.", derived),
            whole_key("request_headers", &P::request_headers, 1, 65536, "Credits.", derived),
            whole_key("completion_headers", &P::completion_headers, 1, 65536, "Credits.", derived),
            size("posted_data", &P::posted_data, "Credits, 16 B each.", derived, one, largest_memory),
            size("completion_data", &P::completion_data, "Credits, 16 B each.", derived, one, largest_memory),
        });
}

Rows<Packet> infiniband_keys() {
    using I = InfinibandControl;
    return map_keys<Packet>(
        "infiniband", &Packet::infiniband, "InfiniBand's congestion control; a preset may set these.",
        {
            whole_key("threshold", &I::threshold, 0, 15,
                      "A lane marks once more than (16 - threshold) / 16 of its buffer waits; 0: never."),
            whole_key("marking_rate", &I::marking_rate, 0, 65535, "Packets let go between two marked ones."),
            size_key("packet_size", &I::packet_size, "Smaller packets are not marked."),
            whole_key("increase", &I::increase, 1, 255, "Of CCTI, for each BECN."),
            whole_key("least", &I::least, 0, 127, "CCTI_Min."),
            whole_key("limit", &I::limit, 1, 65535, "CCTI_Limit."),
            within(time_key("timer", &I::timer, "CCTI_Timer: CCTI falls by one after it."), Duration{1'000},
                   longest_timer),
            number_key("spacing", &I::spacing, 0, 16384,
                       "Delay behind a packet, in its own times on the wire, for each step of CCTI."),
        });
}

}  // namespace

std::vector<KeyOf<Packet>> packet_lane_keys() {
    Rows<Packet> keys = lane_keys();
    append(keys, pcie_keys());
    append(keys, infiniband_keys());
    return keys;
}

}  // namespace fabricast::inline scenario
