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

// What a candidate is made of: keys for the link, trunk and switch of all cables, and a function that builds a fabric
// of so many nodes from its keys, or none if they make none.
struct Candidates {
    std::string common;
    std::string halved;  // the same where each cable has half of an adapter's rate
    std::function<std::optional<Fabric>(const std::string& keys, std::uint32_t nodes)> build;
};

// Every kind with the figures that were counted, the plainest first. The first whose wiring is the one found is it;
// nullopt if none is.
std::optional<Recognised> recognise(const Wiring& wiring, std::uint32_t nodes, const Candidates& candidates);

// Whether two graphs of switches are the same, in linear time: their colours are equal where the same cables go to the
// same NICs, whatever the switches are called. NICs have colours of their own, and a switch takes its colour from those
// of its neighbours, in rounds.
std::vector<std::uint64_t> colours(const Wiring& wiring);
std::vector<std::uint64_t> colours(const Fabric& fabric);

}  // namespace fabricast::inline site
