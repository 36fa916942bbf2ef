#pragma once
// Every published curve beside its forecast, made once in each test program: that takes seconds.

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/source_root.hpp"
#include "validate/accuracy/collect.hpp"

namespace fabricast::testing {

struct EveryCurve {
    std::filesystem::path measurements = root / "validate/measurements";
    Catalog catalog = read_catalog();
    FabricCache cache{catalog};
    Collection collection = collect(measurements / "nccl", catalog, cache, measurements);
};

inline EveryCurve& every_curve() {
    static EveryCurve curves;
    return curves;
}

}  // namespace fabricast::testing
