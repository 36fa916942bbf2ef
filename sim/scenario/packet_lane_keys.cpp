#include "sim/scenario/packet_lane_keys.hpp"

#include <charconv>

#include "sim/scenario/rows.hpp"

namespace fabricast {

using namespace rows;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define FIELD(member) \
    [](auto& scenario) -> auto& { return scenario.packet.member; }
// NOLINTEND(bugprone-macro-parentheses)

namespace {

// "node3", or `any` if the key is absent.
template <class Field>
Key node_key(std::string path, Field field, std::string meaning) {
    Key key{std::move(path), Form::text, std::move(meaning)};
    key.read = [field](const Node& node, Scenario& s) {
        const std::string& name = node.as_string();
        std::uint32_t number = 0;
        const char* const begin = name.data() + std::min<std::size_t>(4, name.size());
        const auto [end, error] = std::from_chars(begin, name.data() + name.size(), number);
        if (!name.starts_with("node") || error != std::errc{} || end != name.data() + name.size()) {
            node.fail("is no node of the cluster", "node0, node1, ...");
        }
        field(s) = number;
    };
    key.when_absent = "any";
    return key;
}

Json level_json(const ServiceLevel& rule) {
    Json json = {{"level", rule.level}};
    if (rule.from != ServiceLevel::any) {
        json["from"] = "node" + std::to_string(rule.from);
    }
    if (rule.to != ServiceLevel::any) {
        json["to"] = "node" + std::to_string(rule.to);
    }
    return json;
}

std::vector<Key> level_keys() {
    return list_keys("packet.lanes.levels", FIELD(lanes.levels),
                     "Service levels of messages, the first that fits; 0 without one.", level_json,
                     {node_key("packet.lanes.levels.from", FIELD(lanes.levels.back().from), "The sender's node."),
                      node_key("packet.lanes.levels.to", FIELD(lanes.levels.back().to), "The receiver's node."),
                      required(whole_key("packet.lanes.levels.level", FIELD(lanes.levels.back().level), 0, 15,
                                         "Its service level."))});
}

std::vector<Key> lane_keys() {
    std::vector<Key> keys = {
        map_key("packet.lanes",
                "Lanes of links between nodes: InfiniBand's virtual lanes, Ethernet's priorities. Each has its own "
                "queue, buffer and flow control."),
        whole_key("packet.lanes.count", FIELD(lanes.count), 1, 15, "How many share a link."),
        word_key("packet.lanes.choice", FIELD(lanes.choice), LaneChoice::hop,
                 "By service level, or one more with each trunk that is crossed, which breaks circles as long as there "
                 "is one for each; the last serves all beyond."),
        wholes_key("packet.lanes.of_level", FIELD(lanes.of_level), 0, 14, "Lane of each service level (SL to VL).",
                   "the level's number, the last lane at most"),
        wholes_key("packet.lanes.weights", FIELD(lanes.weights), 1, 255, "Of each lane in turn, times 64 B.", "64"),
        wholes_key("packet.lanes.high", FIELD(lanes.high), 0, 14, "Lanes that go before the others.", "none"),
        whole_key("packet.lanes.high_limit", FIELD(lanes.high_limit), 0, 255,
                  "Times 4 KiB of them, then another lane may go; 255: no limit."),
    };
    append(keys, level_keys());
    return keys;
}

std::vector<Key> pcie_keys() {
    const std::string derived = "what two round trips need";
    const auto size = [](std::string path, auto field, std::string meaning, std::string absent, Bytes least,
                         Bytes most) {
        return within(size_key(std::move(path), field, std::move(meaning), std::move(absent)), least, most);
    };
    constexpr Bytes one{1}, smallest{64}, largest{4096};  // payloads: PCI-SIG Base 5.0 section 7.5.3.4
    return {
        map_key("packet.pcie", "PCI Express inside nodes."),
        flag_key("packet.pcie.transactions", FIELD(pcie.transactions),
                 "Writes, read requests and completions have credits of their own, and NICs read what they send."),
        size("packet.pcie.max_payload", FIELD(pcie.max_payload), "Of a write or completion.", "the link's", smallest,
             largest),
        within(size_key("packet.pcie.max_read_request", FIELD(pcie.max_read_request), "MRRS: reads are cut into it."),
               Bytes{64}, Bytes{4096}),
        size("packet.pcie.completion_payload", FIELD(pcie.completion_payload),
             "Of a completion, where a read completion boundary makes it smaller.", "`max_payload`", smallest, largest),
        whole_key("packet.pcie.tags", FIELD(pcie.tags), 1, 65536, "Reads that one device may have under way."),
        flag_key("packet.pcie.relaxed_ordering", FIELD(pcie.relaxed_ordering),
                 "Reads and completions may pass writes."),
        whole_key("packet.pcie.posted_headers", FIELD(pcie.posted_headers), 1, 65536, "Credits.", derived),
        whole_key("packet.pcie.request_headers", FIELD(pcie.request_headers), 1, 65536, "Credits.", derived),
        whole_key("packet.pcie.completion_headers", FIELD(pcie.completion_headers), 1, 65536, "Credits.", derived),
        size("packet.pcie.posted_data", FIELD(pcie.posted_data), "Credits, 16 B each.", derived, one, largest_memory),
        size("packet.pcie.completion_data", FIELD(pcie.completion_data), "Credits, 16 B each.", derived, one,
             largest_memory),
    };
}

std::vector<Key> infiniband_keys() {
    return {
        map_key("packet.infiniband", "InfiniBand's congestion control; a preset may set these."),
        whole_key("packet.infiniband.threshold", FIELD(infiniband.threshold), 0, 15,
                  "A lane marks once more than (16 - threshold) / 16 of its buffer waits; 0: never."),
        whole_key("packet.infiniband.marking_rate", FIELD(infiniband.marking_rate), 0, 65535,
                  "Packets let go between two marked ones."),
        size_key("packet.infiniband.packet_size", FIELD(infiniband.packet_size), "Smaller packets are not marked."),
        whole_key("packet.infiniband.increase", FIELD(infiniband.increase), 1, 255, "Of CCTI, for each BECN."),
        whole_key("packet.infiniband.least", FIELD(infiniband.least), 0, 127, "CCTI_Min."),
        whole_key("packet.infiniband.limit", FIELD(infiniband.limit), 1, 65535, "CCTI_Limit."),
        within(time_key("packet.infiniband.timer", FIELD(infiniband.timer), "CCTI_Timer: CCTI falls by one after it."),
               Duration{1'000}, longest_timer),
        number_key("packet.infiniband.spacing", FIELD(infiniband.spacing), 0, 16384,
                   "Delay behind a packet, in its own times on the wire, for each step of CCTI."),
    };
}

}  // namespace

std::vector<Key> packet_lane_keys() {
    std::vector<Key> keys = lane_keys();
    append(keys, pcie_keys());
    append(keys, infiniband_keys());
    return keys;
}

#undef FIELD

}  // namespace fabricast
