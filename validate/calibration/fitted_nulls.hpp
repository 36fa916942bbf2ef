#pragma once
// What simple models achieve if they may learn from data too, under the same rule as ours: no data of the publisher
// that is forecast.
//
//   alpha-beta:   launch + hops inside * a + hops between * b + (f * S / B) / share
//   tuning model: launch + clock * factor
//
// The constants for a publisher's rows come from other publishers' rows of the same scope, GPU generation and fabric;
// if no other publisher has such rows, from all their rows of the scope.

#include <vector>

#include "validate/accuracy/collect.hpp"

namespace fabricast::inline calibration {

// Fills Forecast::fitted_alphabeta and ::fitted_tuning of every healthy row. Precondition: `rows` were made from
// `collection`.
void forecast_fitted_nulls(std::vector<ComparedRow>& rows, const Collection& collection);

}  // namespace fabricast::inline calibration
