// Accepted gaps are still there and stand in docs/deviations.md: one that was closed must leave the list.

#include <cmath>
#include <filesystem>

#include "sim/io/text_file.hpp"
#include "sim/scenario/catalog_reader.hpp"
#include "tests/support/catch.hpp"
#include "validate/compare.hpp"
#include "validate/sites.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path root = FABRICAST_SOURCE_DIR;

// The median error of the matching curves' rows in a regime.
double error_of(const yaml::Node& deviation, const Catalog& catalog, FabricCache& cache) {
    std::vector<double> errors;
    for (const auto& entry : std::filesystem::directory_iterator(root / "validate/measurements/nccl")) {
        if (!glob_matches(deviation.required("match").as_string(), entry.path().stem().string())) {
            continue;
        }
        const Comparison c = compare(read_measurement(entry.path()), builtin_aliases(), catalog, cache);
        if (c.derived.scenario.cluster.nodes < deviation.required("nodes_from").as_int(1, 1 << 20)) {
            continue;
        }
        for (const ComparedSize& size : c.sizes) {
            if (size.measured.left_out.empty() &&
                word(regime_of(size.measured.size)) == deviation.required("regime").as_string()) {
                errors.push_back(std::abs(size.ours.seconds / size.measured.seconds - 1));
            }
        }
    }
    return percentile(errors, 50).value_or(0);
}

}  // namespace

TEST_CASE("each accepted deviation is still there, and is told in the docs with its reason") {
    const Catalog catalog = read_catalog();
    FabricCache cache(catalog);
    const std::string page = read_text(root / "docs/deviations.md", 1 << 20);
    const yaml::Node file = yaml::read(root / "validate/measurements/deviations.yaml");
    REQUIRE(file.required("deviations").items().size() >= 3);
    for (const yaml::Node& deviation : file.required("deviations").items()) {
        INFO(deviation.required("match").as_string() << ": a gap that was closed leaves deviations.yaml and the docs");
        CHECK(100 * error_of(deviation, catalog, cache) >= deviation.required("at_least_pct").as_double());
        CHECK_THAT(page, ContainsSubstring("`" + deviation.required("match").as_string() + "`"));
        CHECK_THAT(page, ContainsSubstring(deviation.required("reason").as_string()));
    }
}
