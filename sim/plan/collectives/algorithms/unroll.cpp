#include "sim/plan/collectives/algorithms/unroll.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast::inline collectives {

namespace {

using Dependency = Schedule::Dependency;

// Keeps track of the transfers that last wrote each piece on each device, and, for in_order, of what each device did in
// earlier steps.
class Unroller {
public:
    Unroller(const Program& program, const Unrolling& as, Schedule& schedule, std::span<const Dependency> after)
        : program_(program),
          as_(as),
          schedule_(schedule),
          after_(after.begin(), after.end()),
          writers_(std::size_t{program.ranks + program.relays} * program.pieces),
          past_(program.ranks + program.relays),
          present_(program.ranks + program.relays) {}

    std::vector<OpId> run() {
        for (std::size_t i = 0; i < program_.messages.size();) {
            const std::uint32_t step = program_.messages[i].step;
            const std::size_t begin = i;
            std::vector<OpId> sent;
            for (; i < program_.messages.size() && program_.messages[i].step == step; ++i) {
                sent.push_back(send(program_.messages[i]));
            }
            for (std::size_t j = begin; j < i; ++j) { arrive(program_.messages[j], sent[j - begin]); }
            end_step();
        }
        std::vector<OpId> last;
        for (const std::vector<OpId>& ops : past_) { last.insert(last.end(), ops.begin(), ops.end()); }
        return each_once(std::move(last));
    }

private:
    static std::vector<OpId> each_once(std::vector<OpId> ops) {
        std::ranges::sort(ops);
        ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
        return ops;
    }

    std::vector<OpId>& writers(std::uint32_t device, std::uint32_t piece) {
        return writers_[std::size_t{device} * program_.pieces + piece];
    }

    OpId send(const Message& m) {
        double bytes = 0;
        std::vector<OpId> needs;
        for (std::uint32_t piece = m.first; piece < m.first + m.count; ++piece) {
            bytes += as_.bytes(piece);
            const std::vector<OpId>& wrote = writers(m.src, piece);
            needs.insert(needs.end(), wrote.begin(), wrote.end());
        }
        if (program_.in_order) { needs.insert(needs.end(), past_[m.src].begin(), past_[m.src].end()); }
        std::vector<Dependency> depends;
        for (const OpId op : each_once(std::move(needs))) { depends.push_back({op}); }
        if (depends.empty()) { depends = after_; }
        const Transfer transfer{connection(m.src, m.dst), rounded_bytes(bytes), as_.overhead(m.src, m.dst, bytes)};
        return schedule_.add(transfer, depends);
    }

    void arrive(const Message& m, OpId op) {
        for (std::uint32_t piece = m.first; piece < m.first + m.count; ++piece) {
            std::vector<OpId>& wrote = writers(m.dst, piece);
            if (!m.reduce) { wrote.clear(); }
            wrote.push_back(op);
        }
        present_[m.src].push_back(op);
        present_[m.dst].push_back(op);
    }

    // Remembers for each device the transfers of the last step in which it took part.
    void end_step() {
        for (std::size_t device = 0; device < present_.size(); ++device) {
            if (!present_[device].empty()) {
                past_[device] = std::move(present_[device]);
                present_[device].clear();
            }
        }
    }

    std::uint32_t connection(std::uint32_t src, std::uint32_t dst) {
        const auto [at, fresh] =
            connections_.try_emplace({src, dst}, static_cast<std::uint32_t>(schedule_.connections.size()));
        if (fresh) { schedule_.connections.push_back(as_.connection(src, dst)); }
        return at->second;
    }

    const Program& program_;
    const Unrolling& as_;
    Schedule& schedule_;
    std::vector<Dependency> after_;
    std::vector<std::vector<OpId>> writers_;
    std::vector<std::vector<OpId>> past_, present_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> connections_;
};

}  // namespace

std::vector<OpId> unroll(const Program& program, const Unrolling& as, Schedule& schedule,
                         std::span<const Schedule::Dependency> after) {
    return Unroller(program, as, schedule, after).run();
}

}  // namespace fabricast::inline collectives
