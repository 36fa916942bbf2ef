// Eight B300: the algorithm that NCCL takes by itself against a forced ring, at sizes where both were measured.

#include <cmath>
#include <map>
#include <string>

#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/curves/compare.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;

namespace {

const ComparedSize* at(const Comparison& comparison, Bytes size) {
    for (const ComparedSize& compared : comparison.sizes) {
        if (compared.measured.size == size) { return &compared; }
    }
    return nullptr;
}

}  // namespace

TEST_CASE("B300: where NCCL's default is slower than a ring, the forecast says so") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const auto compared = [&](const std::string& name) {
        return compare(read_measurement(FABRICAST_SOURCE_DIR "/validate/measurements/nccl/" + name + ".yaml"), catalog,
                       cache);
    };
    const Comparison usual = compared("b300-eunomia-1n8g-allreduce");
    const Comparison ring = compared("b300-eunomia-1n8g-allreduce-ring");
    int sizes = 0;
    int right = 0;
    for (const ComparedSize& forced : ring.sizes) {
        const ComparedSize* by_default = at(usual, forced.measured.size);
        if (by_default == nullptr) { continue; }
        const double measured = std::log(by_default->measured.seconds / forced.measured.seconds);
        constexpr double repeated = 0.02;  // what runs of the same differ by: at 1 MiB the default is that ring
        if (std::abs(measured) < repeated) { continue; }
        ++sizes;
        right += measured * std::log(by_default->ours.seconds / forced.ours.seconds) > 0 ? 1 : 0;
    }
    CHECK(sizes == 9);
    CHECK(right >= 0.85 * sizes);
}
