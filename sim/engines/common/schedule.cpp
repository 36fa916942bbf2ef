#include "sim/engines/common/schedule.hpp"

namespace fabricast {

void Schedule::reserve(std::size_t operations, std::size_t dependencies) {
    kinds_.reserve(operations);
    details_.reserve(operations);
    dependency_end_.reserve(operations);
    dependencies_.reserve(dependencies);
}

}  // namespace fabricast
