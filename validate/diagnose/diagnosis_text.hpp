#pragma once
// A diagnosis as text and JSON.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "validate/diagnose/diagnose.hpp"

namespace fabricast::inline diagnosis {

// For people.
std::string to_text(const Diagnosis& diagnosis, const std::string& id, const std::vector<std::string>& assumptions);
Json to_json(const Diagnosis& diagnosis, const std::string& id);

}  // namespace fabricast::inline diagnosis
