#pragma once
// Which of the kinds that generators make has exactly the wiring that was found.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "discovery/site/wiring.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline site {

struct Recognised {
    std::string kind;
    std::string keys;  // of `cluster.fabric`, in YAML's flow style
};

// What candidates have in common: keys for the link, trunk and switch, and a function that builds a fabric with this
// number of nodes from a candidate's keys; nullopt if they make no fabric.
struct Candidates {
    std::string common;
    std::string halved;  // the same where each cable has half of an adapter's rate
    std::function<std::optional<Fabric>(const std::string& keys, std::uint32_t nodes)> build;
};

// Tries every kind of fabric with the figures that were counted, the simplest first, and returns the first whose wiring
// is the one that was found; nullopt if there is none.
std::optional<Recognised> recognise(const Wiring& wiring, std::uint32_t nodes, const Candidates& candidates);

// Whether two graphs of switches are the same, in linear time: their colours are equal where the same cables go to the
// same NICs, whatever the switches are called. NICs have colours of their own, and a switch takes its colour from those
// of its neighbours, in rounds.
std::vector<std::uint64_t> colours(const Wiring& wiring);
std::vector<std::uint64_t> colours(const Fabric& fabric);

}  // namespace fabricast::inline site
