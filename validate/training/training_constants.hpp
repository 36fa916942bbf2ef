#pragma once
// The fitted constants of training.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"

namespace fabricast::inline validate_training {

// A figure that is refitted: its prior value without any table, and the spread of ln(figure) around it. It also scales
// the same figure of every part that inherits it.
struct TrainingConstant {
    std::string part, figure;
    double value = 0, spread = 0;
};
const std::vector<TrainingConstant>& training_constants();

// The index of the constant that a part's figure comes from; empty if the figure is not refitted.
std::optional<std::size_t> constant_behind(const Catalog& catalog, const std::string& part, const std::string& figure);

}  // namespace fabricast::inline validate_training
