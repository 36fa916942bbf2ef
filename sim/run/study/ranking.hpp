#pragma once
// Which of several designs is better, by what is known of them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/study/evaluation.hpp"

namespace fabricast::inline studies {

enum class StudyOrder : std::uint8_t { value, time, capital, power };
std::string_view to_string(StudyOrder order);  // value: cost per token, or capital per bus bandwidth

// What designs are ranked by, if it is known; smaller is better.
std::optional<double> order_key(const DesignResult& r, StudyOrder order);

// Whether `a` is better in one measure of the Pareto set and in none worse, of those that are known of both.
bool beats(const DesignResult& a, const DesignResult& b);

struct Ranking {
    StudyOrder order = StudyOrder::value;  // that asked for, or time where that is known of no design
    bool ranked = true;                    // false: the designs do different work, and stay as they were
    std::vector<std::string> notes;
};

// Sorts the designs by what was asked for, as far as it is known of them, and says where it is not.
Ranking rank(std::vector<DesignResult>& designs, StudyOrder asked);

}  // namespace fabricast::inline studies
