// A structured target: the bytes choose among valid scenarios, small ones, and the answers are held against what must
// be true of any network.

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <initializer_list>

#include "models/embedded_catalog.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/fuzz/target.hpp"

namespace fabricast::fuzz {

namespace {

using namespace std::string_view_literals;

// The bytes as a sequence of choices; behind their end always the first one.
class Choices {
public:
    explicit Choices(std::string_view bytes) : bytes_(bytes) {}

    std::size_t below(std::size_t n) {
        if (bytes_.empty()) { return 0; }
        const auto byte = static_cast<unsigned char>(bytes_.front());
        bytes_.remove_prefix(1);
        return byte % n;
    }
    const char* one_of(std::initializer_list<const char*> words) { return words.begin()[below(words.size())]; }
    bool coin() { return below(2) == 1; }

private:
    std::string_view bytes_;
};

struct Drawn {
    std::string text;
    std::size_t nodes = 1;
    bool transfer = false, packets = false;
    bool chain = false;  // a broadcast or reduce: along a ring, calls follow each other
};

std::string drawn_cluster(Choices& choose, Drawn& drawn) {
    drawn.nodes = 1 + choose.below(3);
    std::string text =
        fmt::format("{{node: {}, nodes: {}",
                    choose.one_of({"dgx-h100", "dgx-a100", "dgx-v100", "mi300x-8x", "l40s-8x", "dgx-p100", "dgx-b200"}),
                    drawn.nodes);
    if (choose.coin()) { text += fmt::format(", gpus_per_node: {}", 1 + choose.below(8)); }
    if (drawn.nodes > 1 && choose.coin()) {
        text += fmt::format(", fabric: {{kind: {}}}",
                            choose.one_of({"rail-optimized", "fat-tree", "single-switch", "dual-plane", "dragonfly"}));
    }
    return text + "}";
}

std::string drawn_sizes(Choices& choose) {
    const std::size_t size = (std::size_t{8} << choose.below(16)) + (choose.coin() ? 8 * choose.below(256) : 0);
    return fmt::format("sizes: [{} B, {} B]", size, 4 * size);
}

std::string drawn_workload(Choices& choose, Drawn& drawn) {
    drawn.transfer = choose.below(4) == 0;
    if (drawn.transfer) {
        const std::string from = fmt::format("node0.{}", choose.one_of({"gpu0", "memory0", "gpu1"}));
        const std::string to = fmt::format("node{}.{}", drawn.nodes - 1, choose.one_of({"gpu1", "memory0", "gpu0"}));
        return fmt::format("{{kind: transfer, from: {}, to: {}, direction: {}, {}}}", from, to,
                           choose.one_of({"one-way", "both-ways"}), drawn_sizes(choose));
    }
    const char* collective = choose.one_of({"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce",
                                            "all_to_all", "sendrecv", "gather", "scatter"});
    drawn.chain = collective == "broadcast"sv || collective == "reduce"sv;
    const char* algorithm = choose.one_of({"auto", "ring", "tree", "nvls", "direct"});
    const char* protocol = choose.one_of({"auto", "ll", "ll128", "simple"});
    return fmt::format("{{kind: collective, collective: {}, algorithm: {}, protocol: {}, {}}}", collective, algorithm,
                       protocol, drawn_sizes(choose));
}

Drawn drawn_scenario(Choices& choose) {
    Drawn drawn;
    const std::string cluster = drawn_cluster(choose, drawn);
    const std::string workload = drawn_workload(choose, drawn);
    drawn.text = fmt::format("name: random\ncluster: {}\nworkload: {}\nlibrary: {{nccl: \"{}\"}}\nseed: {}\n", cluster,
                             workload, choose.one_of({"2.27", "2.18", "2.10", "2.4"}), choose.below(4));
    drawn.packets = choose.below(4) == 0;
    return drawn;
}

Report answer(const Drawn& drawn, std::vector<std::string> more = {}) {
    static const Catalog catalog = models::read_catalog();
    SimulateOptions options;
    if (!more.empty() && more.back() == "threads") {
        options.threads = 2;
        more.pop_back();
    }
    return simulate(parse_scenario(drawn.text, "random.yaml", more), catalog, {}, {}, options);
}

void check_rows(const Report& report) {
    require(report.rows.size() == 2, "a row for each size");
    for (const Row& row : report.rows) {
        require(std::isfinite(row.time_s) && row.time_s > 0, "a time is a positive number");
        require(row.time_low80_s <= row.time_s && row.time_s <= row.time_high80_s, "a time lies in its interval");
        require(std::isfinite(row.busbw) && row.busbw >= 0, "a bandwidth is a number");
    }
}

// NCCL's own choices change with the size, and a change may be for the worse; without one, more bytes take longer. How
// many threads it takes for a chain of LL is no column: twice as many send a message of the next doubling faster.
void check_monotone(const Report& report, bool chain) {
    const Row &small = report.rows[0], &large = report.rows[1];
    const bool alike =
        small.algorithm == large.algorithm && small.protocol == large.protocol && small.channels == large.channels;
    const double least = chain && small.protocol == "ll" ? 0.6 : 1 - 1e-9;
    require(!alike || large.time_s >= small.time_s * least, "four times the bytes take no less time");
}

void check_same(const Report& a, const Report& b) {
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
        require(a.rows[i].time_s == b.rows[i].time_s && a.rows[i].bottleneck == b.rows[i].bottleneck,
                "the answer depends on the scenario alone");
    }
}

}  // namespace

void run_random_scenario(std::string_view bytes) {
    Choices choose(bytes);
    const Drawn drawn = drawn_scenario(choose);
    if (std::getenv("FABRICAST_SHOW") != nullptr) { std::fputs(drawn.text.c_str(), stderr); }
    const Report flow = answer(drawn);
    check_rows(flow);
    check_monotone(flow, drawn.chain);
    check_same(flow, answer(drawn, {"threads"}));
    if (drawn.nodes > 1) {
        const Report slow = answer(drawn, {"events=[{at: 0 s, device: node0.nic0, share: 0.5}]"});
        for (std::size_t i = 0; i < slow.rows.size(); ++i) {
            require(slow.rows[i].time_s >= flow.rows[i].time_s * (1 - 1e-6), "a slower adapter makes nothing faster");
        }
    }
    if (!drawn.packets) { return; }
    const Report packet = answer(drawn, {"engine=packet"});
    check_rows(packet);
    for (std::size_t i = 0; i < packet.rows.size(); ++i) {
        const double ratio = packet.rows[i].time_s / flow.rows[i].time_s;
        // docs/packet.md: chunks of a few packets are early by at most a packet a hop; collisions make late, and of
        // calls along a chain a hop more each.
        if (std::getenv("FABRICAST_SHOW") != nullptr) { std::fprintf(stderr, "packet/flow %.4f\n", ratio); }
        const double most = drawn.transfer ? 1.3 : drawn.chain ? 2.5 : 1.5;
        require(ratio > 0.7 && ratio < most, "packets take the time that the fluid does");
    }
}

}  // namespace fabricast::fuzz
