// A family of links is a row of a table: this one has cells of 48 B behind 5 B of header, as ATM has.

#include <algorithm>
#include <array>

#include "models/link_figures.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

LinkSpec atm_link(const Part& part, LinkFamily family) {
    return framed_link(part, family, {.payload = {48}, .header = {5}});
}

constexpr std::array rows = {LinkFamilyRow{"atm", atm_link, true}};

TEST_CASE("a link family of another table is found by its name, and its links have its framing") {
    Part part = testing::part("link", "ethernet-100g");
    part.text["family"] = "atm";
    const LinkSpec link = link_spec(part, rows);
    CHECK(link.family == LinkFamily(rows[0]));
    CHECK(link.family != LinkFamily::ethernet);
    CHECK(link.family->network);
    CHECK(goodput(link) == Approx(12.5e9 * link.usable * 48 / 53));
    CHECK_THROWS_WITH(link_spec(part), ContainsSubstring("no link family 'atm'"));
}

TEST_CASE("the families that code names are rows of the table") {
    for (const LinkFamily family : {LinkFamily::pcie, LinkFamily::nvlink, LinkFamily::c2c, LinkFamily::infiniband,
                                    LinkFamily::ethernet, LinkFamily::cpu_bus, LinkFamily::memory, LinkFamily::other}) {
        const auto same = [&](const LinkFamilyRow& row) { return LinkFamily(row) == family; };
        CHECK(std::ranges::count_if(link_families(), same) == 1);
    }
}

}  // namespace
}  // namespace fabricast
