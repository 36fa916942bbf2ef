// What holds for every link of the catalogue, whatever its family.

#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

std::vector<Bytes> sizes() {
    std::vector<Bytes> sizes;
    for (std::int64_t size = 1; size <= std::int64_t{1} << 33; size *= 2) {
        for (const std::int64_t near : {size - 1, size, size + 1}) { sizes.push_back({near}); }
    }
    return sizes;
}

TEST_CASE("the wire size of every link grows with its payload and is never below it") {
    for (const Part* part : testing::catalog().of_kind("link")) {
        const LinkSpec link = link_spec(*part);
        INFO(link.name);
        Bytes last_size{-1}, last_wire{0};
        for (const Bytes size : sizes()) {
            if (size < last_size) { continue; }
            const Bytes wire = wire_size(link.framing, size);
            REQUIRE(wire >= size);
            REQUIRE(wire >= last_wire);
            last_size = size;
            last_wire = wire;
        }
    }
}

TEST_CASE("goodput of every link stays above zero and below its rate, and long messages approach it") {
    for (const Part* part : testing::catalog().of_kind("link")) {
        const LinkSpec link = link_spec(*part);
        INFO(link.name);
        const double rate = link.rate.bytes_per_second();
        CHECK(goodput(link) > 0);
        CHECK(goodput(link) <= rate);
        const Bytes large{std::int64_t{1} << 33};
        const double reached =
            static_cast<double>(large.count) / to_seconds(serialization_time(link, large)) * link.usable;
        CHECK(reached == Approx(goodput(link)).epsilon(1e-5));
        double last = 0;  // a message of more whole packets never does worse
        for (std::int64_t packets = 1; packets <= 1 << 20; packets *= 2) {
            const Bytes payload = link.framing.payload * packets;
            const double share =
                static_cast<double>(payload.count) / static_cast<double>(wire_size(link.framing, payload).count);
            CHECK(share >= last);
            last = share;
        }
    }
}

TEST_CASE("an empty message is one header") {
    const LinkSpec link = link_spec(testing::part("link", "infiniband-ndr"));
    CHECK(wire_size(link.framing, {0}) == Bytes{26 + 16});
}

TEST_CASE("serialization rounds up to the picosecond") {
    LinkSpec link;
    link.rate = Rate::megabits(400'000);
    CHECK(serialization_time(link, {1}) == Duration{20});
    link.rate = Rate(3, 1);
    CHECK(serialization_time(link, {1}) == Duration{1});
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
