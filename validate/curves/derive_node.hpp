#pragma once
// The part of `derive` that handles the machine: which GPU, how several are joined, and which node that is: a template
// of the catalogue, or a box built of the GPU's part and what the file says. What the file does not say is assumed.

#include <optional>

#include "base/yaml_node.hpp"
#include "validate/curves/derived.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

struct NodeChoice {
    const Alias* gpu = nullptr;       // a row of the alias table; it lives as long as the program
    bool named = false;               // the file says which GPU it is
    std::string intra;                // how the GPUs are joined, as the alias table names it
    std::string node;                 // the template's name, or the box's
    std::optional<yaml::Node> parts;  // of a box
    std::optional<OtherBox> other_sockets;
    std::uint32_t gpus = 0;  // of the whole node
    double spread = 1;       // how far a forecast may be off for what was assumed, as a factor
    std::vector<std::string> assumptions;
};

// The GPU and how several of them are joined.
NodeChoice understood_node(const Measurement& measurement);

// Completes the choice for a node of which `used` GPUs take part.
void choose_node(const Measurement& measurement, std::uint32_t used, NodeChoice& choice);

// Whether the file says that its nodes are in NVLink domains, or racks, of their own.
bool apart_in_words(const Measurement& measurement);

// Two independent factors as one: the logarithms add up as variances do.
double both_spreads(double a, double b);

}  // namespace fabricast::inline curves
