#pragma once
// What simple models reach when they too may learn from data, under the rule that ours is judged by: nothing of the
// publisher that is forecast.
//
//   alpha-beta:   launch + hops inside * a + hops between * b + (f * S / B) / share
//   tuning model: launch + clock * factor
//
// The constants of a publisher's rows come from the other publishers' rows of the same scope, GPU generation and
// fabric; where nobody else has those, from all their rows of the scope.

#include <vector>

#include "validate/accuracy/collect.hpp"

namespace fabricast {

// Fills AccuracyRow::fitted_alphabeta and ::fitted_tuning of every healthy row. `rows` are those of `collection`.
void forecast_fitted_nulls(std::vector<AccuracyRow>& rows, const Collection& collection);

}  // namespace fabricast
