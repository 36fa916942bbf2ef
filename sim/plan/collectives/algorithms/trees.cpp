#include "sim/plan/collectives/algorithms/trees.hpp"

// Trees: the double binary tree, recursive doubling and halving, PAT.

#include <algorithm>
#include <bit>

#include "sim/plan/collectives/algorithms/double_tree.hpp"

namespace fabricast {

namespace {

std::uint32_t level(std::uint32_t tree, std::uint32_t node, std::uint32_t nodes) {
    std::uint32_t hops = 0;
    for (auto up = tree_parent(tree, node, nodes); up; up = tree_parent(tree, *up, nodes)) {
        ++hops;
    }
    return hops;
}

// The ranks of the largest power of two take in the data of the extra ranks first and hand the result back at the end.
struct Fold {
    std::uint32_t core = 1, extra = 0;
    explicit Fold(std::uint32_t ranks) : core(std::bit_floor(ranks)), extra(ranks - core) {}
};

void fold_in(Program& p, const Fold& fold) {
    for (std::uint32_t r = 0; r < fold.extra; ++r) {
        p.messages.push_back({0, fold.core + r, r, 0, p.pieces, true});
    }
}

void fold_out(Program& p, const Fold& fold, std::uint32_t step) {
    for (std::uint32_t r = 0; r < fold.extra; ++r) {
        p.messages.push_back({step, r, fold.core + r, 0, p.pieces, false});
    }
}

}  // namespace

void sort_by_step(Program& program) {
    std::stable_sort(program.messages.begin(), program.messages.end(),
                     [](const Message& a, const Message& b) { return a.step < b.step; });
}

Program double_tree_all_reduce(std::uint32_t ranks, std::uint32_t pieces) {
    Program p{.name = "double binary tree all-reduce", .ranks = ranks, .pieces = pieces, .messages = {}};
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        const std::uint32_t tree = piece % 2;
        std::uint32_t depth = 0;
        for (std::uint32_t r = 0; r < ranks; ++r) {
            depth = std::max(depth, level(tree, r, ranks));
        }
        for (std::uint32_t r = 0; r < ranks; ++r) {
            const auto up = tree_parent(tree, r, ranks);
            if (!up) {
                continue;
            }
            const std::uint32_t hops = level(tree, r, ranks);
            const std::uint32_t start = piece / 2;  // pieces follow each other
            p.messages.push_back({start + depth - hops, r, *up, piece, 1, true});
            p.messages.push_back({start + depth + hops - 1, *up, r, piece, 1, false});
        }
    }
    sort_by_step(p);
    return p;
}

Program recursive_doubling_all_reduce(std::uint32_t ranks) {
    const Fold fold(ranks);
    Program p{.name = "recursive doubling all-reduce", .ranks = ranks, .pieces = 1, .in_order = true, .messages = {}};
    fold_in(p, fold);
    std::uint32_t step = 1;
    for (std::uint32_t distance = 1; distance < fold.core; distance *= 2, ++step) {
        for (std::uint32_t r = 0; r < fold.core; ++r) {
            p.messages.push_back({step, r, r ^ distance, 0, 1, true});
        }
    }
    fold_out(p, fold, step);
    return p;
}

Program halving_doubling_all_reduce(std::uint32_t ranks) {
    const Fold fold(ranks);
    Program p{.name = "halving and doubling all-reduce",
              .ranks = ranks,
              .pieces = fold.core,
              .in_order = true,
              .messages = {}};
    fold_in(p, fold);
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
    fold_out(p, fold, step);
    return p;
}

Program pat_all_gather(std::uint32_t ranks) {
    Program p{.name = "PAT all-gather", .ranks = ranks, .pieces = ranks, .messages = {}};
    std::uint32_t step = 0;
    for (std::uint32_t distance = std::bit_ceil(ranks) / 2; distance > 0; distance /= 2, ++step) {
        for (std::uint32_t piece = 0; piece < ranks; ++piece) {
            for (std::uint32_t from = 0; from + distance < ranks; from += 2 * distance) {
                p.messages.push_back(
                    {step, (piece + from) % ranks, (piece + from + distance) % ranks, piece, 1, false});
            }
        }
    }
    return p;
}

Program pat_reduce_scatter(std::uint32_t ranks) {
    Program p{.name = "PAT reduce-scatter", .ranks = ranks, .pieces = ranks, .messages = {}};
    std::uint32_t step = 0;
    for (std::uint32_t distance = 1; distance < ranks; distance *= 2, ++step) {
        for (std::uint32_t piece = 0; piece < ranks; ++piece) {
            for (std::uint32_t to = 0; to + distance < ranks; to += 2 * distance) {
                p.messages.push_back({step, (piece + to + distance) % ranks, (piece + to) % ranks, piece, 1, true});
            }
        }
    }
    return p;
}

}  // namespace fabricast
