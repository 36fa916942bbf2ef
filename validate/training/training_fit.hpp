#pragma once
// The constants of training fitted to every table that counts, and written into the catalogue.

#include <string>
#include <string_view>
#include <vector>

#include "validate/training/training_families.hpp"

namespace fabricast::inline validate_training {

// Of ln(constant), against the catalogue.
struct ConstantFit {
    double change = 0;
    double deviation = 0;  // standard, of the fit: by its prior and rows, and by leaving out one family after the other
};

// One for each of training_constants(). Rows are forecast again with what each round found, because they are not
// linear.
std::vector<ConstantFit> fit_constants(const std::vector<TrainingTable>& tables, std::vector<RowSlope> rows,
                                       const Catalog& catalog, std::size_t threads);

// The text of a catalogue file with every figure behind which a constant stands replaced by what was fitted, and the
// 80 % interval of that; all other lines stay as they are. `before`: the catalogue that the fit began with.
std::string with_fit(std::string_view yaml, const Catalog& before, const std::vector<ConstantFit>& fit);

inline constexpr const char* fitted_source = "validate/training/priors.yaml, validate/measurements/training";

}  // namespace fabricast::inline validate_training
