#include "validate/transfers/transfer_derive.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "validate/curves/compare.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/embedded.hpp"
#include "validate/import/log_text.hpp"
#include "validate/import/printed_unit.hpp"
#include "validate/transfers/transfer_machine.hpp"

namespace fabricast::inline validate_transfers {

namespace {

std::string joined_words(std::initializer_list<std::string_view> words) {
    return fmt::format("{}", fmt::join(words, " | "));
}

struct TransferAliases {
    AliasList libraries, tools, tests;
};

const TransferAliases& transfer_aliases() {
    static const TransferAliases table = [] {
        const yaml::Node root = embedded_tree("validate/transfers.yaml");
        root.allow({"libraries", "tools", "tests"});
        return TransferAliases{read_aliases(root, "libraries"), read_aliases(root, "tools"),
                               read_aliases(root, "tests")};
    }();
    return table;
}

class Deriver {
public:
    explicit Deriver(const Measurement& m) : m_(m) {}

    TransferCase derive() {
        TransferComparison& c = out_.comparison;
        c.id = m_.id;
        c.kind = m_.kind;
        c.source = source_line(m_);
        read_system();
        read_software();
        const std::string words =
            joined_words({text(m_.benchmark, "tool"), text(m_.benchmark, "test"), text(m_.benchmark, "path"),
                          text(m_.benchmark, "method"), text(m_.benchmark, "memory"), text(m_.system, "notes")});
        const Alias& tool = understood(transfer_aliases().tools, words, "a test", "a tool");
        if (const std::string_view why = tool.word("refuse"); !why.empty()) { refuse(m_.place, why); }
        apply(tool, base_);
        c.latency_matrix = tool.word("shape") == "matrix" && tool.word("latency") == "yes";
        if (tool.word("shape") == "matrix") {
            read_matrix(tool);
        } else if (tool.word("shape") == "sweep") {
            read_sweep(tool);
        } else {
            read_tests(tool);
        }
        return std::move(out_);
    }

private:
    TransferWorkload& transfer(Scenario& s) { return std::get<TransferWorkload>(s.workload); }

    const Alias& understood(const AliasList& list, const std::string& words, const char* what, const char* accepted) {
        if (const Alias* alias = first_match(list, words)) { return *alias; }
        refuse(m_.place, fmt::format("{} that no row of transfers.yaml understands", what), shown(words),
               fmt::format("{} of validate/transfers.yaml", accepted));
    }

    void read_system() {
        const std::string words =
            joined_words({text(m_.system, "gpu"), text(m_.system, "intra"), text(m_.system, "nic"),
                          text(m_.system, "network"), text(m_.system, "cpu")});
        base_.name = m_.id;
        base_.file = m_.file;
        base_.workload = TransferWorkload{};
        TransferMachine machine = machine_of(m_);
        base_.cluster = std::move(machine.cluster);
        nodes_ = base_.cluster.nodes;
        far_gpu_ = machine.far_gpu;
        drives_ = machine.drives;
        out_.comparison.uncounted = machine.uncounted;
        out_.comparison.spread = machine.spread;
        out_.comparison.assumptions = std::move(machine.assumptions);
        out_.comparison.system = fmt::format("{} x {}{}{}", base_.cluster.node, nodes_,
                                             base_.cluster.link.empty() ? "" : ", ", base_.cluster.link);
        assume("system: " + shown(words) + " is " + out_.comparison.system);
        static const Pattern mtu(R"(\bmtu (\d+))");
        if (const std::optional<Pattern::Groups> match = mtu.first_in(words)) {
            const std::string said(*(*match)[1]);
            transfer(base_).host.mtu = Bytes{counted(said, 256, 9000, "MTU")};
            assume("mtu: " + said + " B, as the network's text says");
        }
    }

    void read_software() {
        const std::string words =
            joined_words({text(m_.software, "env"), text(m_.source, "path"), text(m_.benchmark, "tool"),
                          text(m_.benchmark, "options"), text(m_.system, "network")});
        if (const Alias* library = first_match(transfer_aliases().libraries, words)) {
            apply(*library, base_);
            assume("messages: issued by " + std::string(library->word("messaging")));
        }
    }

    void assume(std::string what) { out_.comparison.assumptions.push_back(std::move(what)); }

    void apply(const Alias& alias, Scenario& to) {
        TransferWorkload& t = transfer(to);
        const auto take = [&](std::string_view key, std::string& field) {
            if (const std::string_view word = alias.word(key); !word.empty()) { field = word; }
        };
        take("messaging", t.messaging);
        take("transport", t.transport);
        if (alias.word("direction") == "both-ways") { t.direction = Direction::both_ways; }
        if (alias.word("operation") == "read") { t.operation = TransferOperation::read; }
        if (alias.word("rdma") == "false") { t.host.rdma = false; }
        if (alias.word("pinned") == "false") { t.host.pinned = false; }
        if (const std::string_view assumed = alias.word("assumed"); !assumed.empty()) { assume(std::string(assumed)); }
    }

    // The same transfer by further pairs at once: drives beside drives, GPUs beside GPUs; memory serves all.
    static void add_pairs(std::uint32_t pairs, bool drives, TransferWorkload& t) {
        const std::string_view numbered = drives ? "nvme" : "gpu";
        const auto beside = [&](const std::string& end, std::uint32_t pair) {
            const bool moves = end.find(numbered) != std::string::npos;
            return moves ? end.substr(0, end.size() - 1) + std::to_string(pair) : end;
        };
        for (std::uint32_t pair = 1; pair < pairs; ++pair) {
            t.concurrent.push_back(beside(t.from, pair) + " -> " + beside(t.to, pair));
        }
    }

    // How many pairs a benchmark of several says that it has.
    std::uint32_t pairs() const {
        static const Pattern said(R"(pairs: *(\d+))");
        const std::string words =
            joined_words({text(m_.benchmark, "tool"), text(m_.benchmark, "test"), text(m_.benchmark, "options")});
        const std::optional<Pattern::Groups> match = said.first_in(words);
        if (!match) {
            refuse(m_.place, "several pairs, but not how many", shown(words), "benchmark.options `pairs: 8`");
        }
        return static_cast<std::uint32_t>(counted(*(*match)[1], 1, 8, "number of pairs"));
    }

    // The device at one end of the transfer: "gpu", "gpu1" or "host".
    std::string device(std::string_view kind, bool far) const {
        if (kind == "drive") { return "node0.nvme0"; }
        if (far && far_gpu_ > 0 && kind != "host") { return fmt::format("node0.gpu{}", far_gpu_); }
        return fmt::format("node{}.{}{}", far && nodes_ > 1 ? 1 : 0, kind == "host" ? "memory" : "gpu",
                           kind == "gpu1" || (far && same_node_pair_) ? 1 : 0);
    }

    void add(TransferPoint point, Scenario scenario, bool posted = false) {
        transfer(scenario).sizes = {point.size};
        out_.comparison.points.push_back(std::move(point));
        out_.scenarios.push_back(std::move(scenario));
        out_.posted.push_back(posted);
    }

    void read_matrix(const Alias& tool) {
        const bool latency = tool.word("latency") == "yes";
        const Bytes size = parse_bytes(tool.word("size"));
        const bool from_host = tool.word("from") == "host", to_host = tool.word("to") == "host";
        for (const std::vector<std::string>& row : m_.rows) {
            const auto src = figure_in_word(row.front());
            for (std::size_t j = 1; j < row.size(); ++j) {
                const auto value = figure_in_word(row[j]);
                if (!src || !value || *value <= 0) { continue; }
                const auto from = static_cast<std::size_t>(*src);
                const std::size_t to = j - 1;
                // To or from a host, a row is the host's and a column a GPU.
                const auto end = [&](bool host, std::size_t gpu) {
                    return host ? "host" : "gpu" + std::to_string(gpu);
                };
                const auto placed = [](const std::string& name) {
                    return "node0." + (name == "host" ? "memory0" : name);
                };
                const std::string sender = end(from_host, to_host ? to : from), receiver = end(to_host, to);
                Scenario s = base_;
                TransferWorkload& t = transfer(s);
                t.from = placed(sender);
                t.to = placed(receiver);
                TransferPoint point;
                point.label = sender + " -> " + receiver;
                point.size = size;
                point.latency = latency;
                point.measured = *value * printed_unit(m_.columns[j]).si;
                if (from_host) {
                    // The tool prints one direction while both are busy.
                    point.measured *= t.direction == Direction::both_ways ? 2 : 1;
                } else if (from == to && !to_host) {
                    // The tool counts both the bytes read and the bytes written; a copy alone has no other direction.
                    t.transport = "local-copy";
                    t.direction = Direction::one_way;
                    point.measured /= latency ? 1 : 2;
                }
                add(std::move(point), std::move(s));
            }
        }
    }

    void read_sweep(const Alias& tool) {
        const bool latency = tool.word("latency") == "yes";
        std::size_t size_column = m_.columns.size();
        std::size_t value_column = m_.columns.size();
        for (std::size_t i = 0; i < m_.columns.size(); ++i) {
            const std::string& name = m_.columns[i];
            if (name.starts_with("size_bytes")) {
                size_column = i;
            } else if (const PrintedUnit unit = printed_unit(name);
                       unit.si > 0 && unit.time == latency && !name.starts_with("bw_peak") &&
                       !name.starts_with("t_m") && (value_column == m_.columns.size() || name.starts_with("bw_avg"))) {
                value_column = i;
            }
        }
        if (size_column == m_.columns.size() || value_column == m_.columns.size()) {
            refuse(m_.place, "no column of sizes, or none of values, among " + joined(m_.columns));
        }
        same_node_pair_ = m_.kind == "rdma" && figure_in_word(fabricast::text(m_.system, "nodes")) == 1;
        if (same_node_pair_) {
            nodes_ = 1;
            assume("nodes: 1; two processes of one node");
        }
        for (const std::vector<std::string>& row : m_.rows) {
            const auto size = figure_in_word(row[size_column]);
            const auto value = figure_in_word(row[value_column]);
            if (!size || !value || *size < 1 || *value <= 0) { continue; }
            Scenario s = base_;
            transfer(s).from = device(tool.word("from"), false);
            transfer(s).to = device(tool.word("to"), true);
            if (tool.word("pairs") == "yes") { add_pairs(pairs(), false, transfer(s)); }
            TransferPoint point;
            point.size = Bytes{std::llround(*size)};
            point.label = fabricast::text(point.size);
            point.latency = latency;
            point.measured = *value * printed_unit(m_.columns[value_column]).si * (tool.word("each") == "yes" ? 2 : 1);
            add(std::move(point), std::move(s), tool.word("posted") == "yes");
        }
    }

    void read_tests(const Alias& tool) {
        for (const std::vector<std::string>& row : m_.rows) {
            const std::string& label = row.front();
            const Alias* test = first_match(transfer_aliases().tests, label);
            const std::string_view why = test == nullptr ? "no row understands this test" : test->word("refuse");
            std::string unit;
            std::optional<double> size;
            for (std::size_t i = 1; i < row.size(); ++i) {
                unit = m_.columns[i] == "unit" ? row[i] : unit;
                size = m_.columns[i] == "size_bytes" ? figure_in_word(row[i]) : size;
            }
            for (std::size_t i = 1; i < row.size(); ++i) {
                const auto value = figure_in_word(row[i]);
                if (m_.columns[i] == "unit" || m_.columns[i] == "size_bytes" || !value) { continue; }
                TransferPoint point;
                point.label = label + (m_.columns.size() > 4 ? " " + m_.columns[i] : "");
                Scenario s = base_;
                if (!why.empty()) {
                    point.left_out = why;
                    s.name.clear();
                } else {
                    apply(*test, s);
                    const std::string own_size(test->word("size").empty() ? tool.word("size") : test->word("size"));
                    point.size = size ? Bytes{std::llround(*size)} : parse_bytes(own_size);
                    point.latency = test->word("latency") == "yes";
                    const std::string unit_word = !test->word("unit").empty() ? std::string(test->word("unit"))
                                                  : unit.empty()              ? m_.columns[i]
                                                                              : unit;
                    point.measured = *value * printed_unit(unit_word).si * (test->word("each") == "yes" ? 2 : 1);
                    transfer(s).from = device(test->word("from"), false);
                    transfer(s).to = device(test->word("to"), true);
                    add_pairs(drives_, true, transfer(s));
                    read_queue_pairs(label, s);
                }
                add(std::move(point), std::move(s));
            }
        }
    }

    void read_queue_pairs(const std::string& label, Scenario& s) {
        static const Pattern pairs(R"((\d+) QP)", Pattern::Case::counts);
        if (const std::optional<Pattern::Groups> match = pairs.first_in(label)) {
            transfer(s).host.qps =
                static_cast<std::uint32_t>(counted(*(*match)[1], 1, 1 << 20, "number of queue pairs"));
        }
    }

    // A number in a text. Throws InputError if it is outside [low, high].
    std::int64_t counted(std::string_view said, std::int64_t low, std::int64_t high, const std::string& what) const {
        const std::optional<std::int64_t> value = count_in_word(said);
        if (!value || *value < low || *value > high) {
            refuse(m_.place, "a " + what + " that cannot be", shown(said), fmt::format("{} to {}", low, high));
        }
        return *value;
    }

    const Measurement& m_;
    Scenario base_;
    std::uint32_t nodes_ = 1;
    std::uint32_t far_gpu_ = 0, drives_ = 0;
    bool same_node_pair_ = false;
    TransferCase out_;
};

}  // namespace

bool is_transfer(const Measurement& m) { return m.kind == "p2p" || m.kind == "rdma" || m.kind == "other"; }

TransferCase derive_transfers(const Measurement& measurement) { return Deriver(measurement).derive(); }

}  // namespace fabricast::inline validate_transfers
