// What holds for every link of the catalogue, whatever its family.

#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

TEST_CASE("goodput of every link stays above zero and below its rate") {
    for (const Part* part : testing::catalog().of_kind("link")) {
        const LinkSpec link = link_spec(*part);
        INFO(link.name);
        const double rate = link.rate.bytes_per_second();
        CHECK(goodput(link) > 0);
        CHECK(goodput(link) <= rate);
    }
}

TEST_CASE("a link of a user's own states its framing or carries payload alone") {
    Part part;
    part.name = "my-link";
    part.kind = "link";
    part.text["family"] = "other";
    const auto figure = [](double value, const char* unit) {
        Figure made;
        made.value = {value};
        made.unit = unit;
        return made;
    };
    part.figures["rate"] = figure(1e9, "B/s");
    part.figures["latency"] = figure(1e-6, "s");
    part.figures["control_share"] = figure(0, "");
    CHECK(goodput(link_spec(part)) == 1e9);
    part.figures["framing.payload"] = figure(900, "B");
    part.figures["framing.header"] = figure(100, "B");
    CHECK(goodput(link_spec(part)) == Approx(0.9e9));
    part.text["family"] = "infniband";
    CHECK_THROWS_WITH(link_spec(part), ContainsSubstring("did you mean 'infiniband'"));
    part.text["family"] = "other";
    part.figures["rate"] = figure(1e9, "B");
    CHECK_THROWS_WITH(link_spec(part), ContainsSubstring("'rate' is in 'B', not in 'B/s'"));
    part.kind = "cable";
    CHECK_THROWS_AS(link_spec(part), CatalogError);
}

}  // namespace
}  // namespace fabricast
