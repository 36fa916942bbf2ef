#include "sim/plan/collectives/algorithms/program.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace fabricast::inline collectives {

namespace {

using Dependency = Schedule::Dependency;

// The transfers that last wrote each piece on each device, and, for in_order, what each device did in earlier steps.
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

std::uint32_t next_step(const Program& program) {
    return program.messages.empty() ? 0 : program.messages.back().step + 1;
}

// The ranks of the largest power of two take in the data of the extra ranks first and hand the result back at the end.
struct Fold {
    std::uint32_t core = 1, extra = 0;
    explicit Fold(std::uint32_t ranks) : core(std::bit_floor(ranks)), extra(ranks - core) {}
};

// The extra ranks' data into the core (`in`), or the result back to them.
void add_fold(Program& p, const Fold& fold, std::uint32_t step, bool in) {
    for (std::uint32_t r = 0; r < fold.extra; ++r) {
        const std::uint32_t extra = fold.core + r;
        p.messages.push_back({step, in ? extra : r, in ? r : extra, 0, p.pieces, in});
    }
}

// In step s of a ring rank r passes on the piece that it received in step s - 1. Piece p ends at the rank that owns it,
// after ranks - 1 hops from the next one (reduce-scatter), or starts there.
Program ring(const char* name, std::uint32_t ranks, bool reduce) {
    Program p{.name = name, .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t step = 0; step + 1 < ranks; ++step) {
        for (std::uint32_t r = 0; r < ranks; ++r) {
            p.messages.push_back(
                {step, r, (r + 1) % ranks, (r + 2 * ranks - (reduce ? 1 : 0) - step) % ranks, 1, reduce});
        }
    }
    return p;
}

// Every piece along its own binomial tree, away from its owner over halving distances, or back over doubling ones.
Program pat(const char* name, std::uint32_t ranks, bool reduce) {
    Program p{.name = name, .ranks = ranks, .pieces = ranks, .messages = {}};
    const auto steps = static_cast<std::uint32_t>(std::bit_width(ranks - 1));
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t distance = 1U << (reduce ? step : steps - 1 - step);
        for (std::uint32_t piece = 0; piece < ranks; ++piece) {
            for (std::uint32_t at = 0; at + distance < ranks; at += 2 * distance) {
                const std::uint32_t near = (piece + at) % ranks;
                const std::uint32_t far = (near + distance) % ranks;
                p.messages.push_back({step, reduce ? far : near, reduce ? near : far, piece, 1, reduce});
            }
        }
    }
    return p;
}

}  // namespace

Program ring_reduce_scatter(std::uint32_t ranks) { return ring("ring reduce-scatter", ranks, true); }

Program ring_all_gather(std::uint32_t ranks) { return ring("ring all-gather", ranks, false); }

Program ring_all_reduce(std::uint32_t ranks) {
    Program p = ring_reduce_scatter(ranks);
    p.name = "ring all-reduce";
    const std::uint32_t after = next_step(p);
    for (Message m : ring_all_gather(ranks).messages) {
        m.step += after;
        p.messages.push_back(m);
    }
    return p;
}

Program hierarchical_all_reduce(std::uint32_t nodes, std::uint32_t per_node) {
    const std::uint32_t ranks = nodes * per_node;
    // Piece local * nodes + k: part k, in the ring between the nodes, of the share of local rank `local`.
    Program p{.name = "hierarchical all-reduce", .ranks = ranks, .pieces = ranks, .messages = {}};
    const auto inside = [&](const Program& ring) {
        const std::uint32_t after = next_step(p);
        for (const Message& m : ring.messages) {
            for (std::uint32_t node = 0; node < nodes; ++node) {
                const std::uint32_t base = node * per_node;
                p.messages.push_back({after + m.step, base + m.src, base + m.dst, m.first * nodes, nodes, m.reduce});
            }
        }
    };
    inside(ring_reduce_scatter(per_node));
    const std::uint32_t after = next_step(p);
    for (const Message& m : ring_all_reduce(nodes).messages) {
        for (std::uint32_t local = 0; local < per_node; ++local) {
            p.messages.push_back({after + m.step, m.src * per_node + local, m.dst * per_node + local,
                                  local * nodes + m.first, 1, m.reduce});
        }
    }
    inside(ring_all_gather(per_node));
    return p;
}

Program recursive_doubling_all_reduce(std::uint32_t ranks) {
    const Fold fold(ranks);
    Program p{.name = "recursive doubling all-reduce", .ranks = ranks, .pieces = 1, .in_order = true, .messages = {}};
    add_fold(p, fold, 0, true);
    std::uint32_t step = 1;
    for (std::uint32_t distance = 1; distance < fold.core; distance *= 2, ++step) {
        for (std::uint32_t r = 0; r < fold.core; ++r) { p.messages.push_back({step, r, r ^ distance, 0, 1, true}); }
    }
    add_fold(p, fold, step, false);
    return p;
}

Program halving_doubling_all_reduce(std::uint32_t ranks) {
    const Fold fold(ranks);
    Program p{.name = "halving and doubling all-reduce",
              .ranks = ranks,
              .pieces = fold.core,
              .in_order = true,
              .messages = {}};
    add_fold(p, fold, 0, true);
    std::uint32_t step = 1;
    // Halving: a rank keeps the half of its current block that contains its own piece and sends the other half.
    for (std::uint32_t half = fold.core / 2; half > 0; half /= 2, ++step) {
        for (std::uint32_t r = 0; r < fold.core; ++r) {
            const std::uint32_t peer = r ^ half;
            p.messages.push_back({step, r, peer, peer / half * half, half, true});
        }
    }
    for (std::uint32_t have = 1; have < fold.core; have *= 2, ++step) {
        for (std::uint32_t r = 0; r < fold.core; ++r) {
            p.messages.push_back({step, r, r ^ have, r / have * have, have, false});
        }
    }
    add_fold(p, fold, step, false);
    return p;
}

Program pat_all_gather(std::uint32_t ranks) { return pat("PAT all-gather", ranks, false); }

Program pat_reduce_scatter(std::uint32_t ranks) { return pat("PAT reduce-scatter", ranks, true); }

Program pairwise_all_to_all(std::uint32_t ranks) {
    Program p{.name = "pairwise all-to-all", .ranks = ranks, .pieces = ranks * ranks, .in_order = true, .messages = {}};
    for (std::uint32_t ahead = 1; ahead < ranks; ++ahead) {
        for (std::uint32_t r = 0; r < ranks; ++r) {
            const std::uint32_t peer = (r + ahead) % ranks;
            p.messages.push_back({ahead - 1, r, peer, r * ranks + peer, 1, false});
        }
    }
    return p;
}

std::vector<OpId> unroll(const Program& program, const Unrolling& as, Schedule& schedule,
                         std::span<const Schedule::Dependency> after) {
    return Unroller(program, as, schedule, after).run();
}

}  // namespace fabricast::inline collectives
