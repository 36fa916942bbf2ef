#include "validate/calibration/catalog_writer.hpp"

#include "sim/scenario/catalog_reader.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr const char* costs = R"(# Costs.
k-one:
  kind: kernel
  origin: fitted
  source: [old-set]
  figures:
    data.gpus: 4
    ll.start: 16 us          # stays a line
    ll.hop: {value: 2 us, origin: estimated, source: "a guess"}
    residual.small: {value: 1, low80: 0.9, high80: 1.1}

# Another kind of part is left alone.
a-link:
  kind: link
  origin: spec
  source: a standard
  figures:
    rate: 400 Gb/s
)";

Catalog read(const std::string& yaml) {
    Catalog catalog;
    add_parts(catalog, {{"costs.yaml", yaml}});
    return catalog;
}

PartUpdate update() {
    PartUpdate u;
    u.figures["ll.start"] = {12.5e-6, 11e-6, 14e-6};
    u.datasets["ll.start"] = {"set-a", "set-b"};
    u.residuals[Regime::large] = {0.95, 1.04};
    u.reach = 8;
    return u;
}

}  // namespace

TEST_CASE("a fit's figures stand in the catalogue with interval, origin and datasets; the rest stays") {
    const Catalog before = read(costs);
    const std::string yaml = with_updates(costs, {{"k-one", update()}}, before, builtin_priors());
    const Catalog after = read(yaml);
    const Figure& start = after.parts.at("k-one").figure("ll.start");
    CHECK(start.value[0] == Approx(12.5e-6));
    CHECK(start.low80 == Approx(11e-6));
    CHECK(start.high80 == Approx(14e-6));
    CHECK(start.origin == Origin::fitted);
    CHECK(start.source == std::vector<std::string>{"set-a", "set-b"});
    CHECK(after.parts.at("k-one").number("ll.hop") == Approx(2e-6));
    CHECK(after.parts.at("k-one").number("data.gpus") == 8);
    CHECK(after.parts.at("k-one").figure("residual.large").low80 == Approx(0.95));
    CHECK_FALSE(after.parts.at("k-one").has("residual.small"));
    CHECK(yaml.substr(yaml.find("# Another kind")) ==
          std::string(costs).substr(std::string(costs).find("# Another kind")));
}

TEST_CASE("writing twice changes nothing") {
    const std::string once = with_updates(costs, {{"k-one", update()}}, read(costs), builtin_priors());
    CHECK(with_updates(once, {{"k-one", update()}}, read(once), builtin_priors()) == once);
}

TEST_CASE("a figure that no data tell any more takes its prior and says so") {
    PartUpdate u = update();
    u.figures.clear();
    u.figures["ll.hop"] = {3e-6, 2e-6, 4e-6};
    u.datasets = {{"ll.hop", {"set-a"}}};
    const Catalog after = read(with_updates(costs, {{"k-one", u}}, read(costs), builtin_priors()));
    CHECK(after.parts.at("k-one").figure("ll.start").origin == Origin::estimated);
    CHECK(after.parts.at("k-one").figure("ll.hop").origin == Origin::fitted);
}

TEST_CASE("every fitted figure of the catalogue has a prior, an interval and datasets of this repository") {
    const Catalog catalog = read_catalog();
    std::size_t fitted = 0;
    for (const auto& [name, part] : catalog.parts) {
        if (part.kind == "interval") {
            continue;  // written by `accuracy --loso`, not by `fit`
        }
        for (const auto& [path, figure] : part.figures) {
            if (figure.origin != Origin::fitted || path.starts_with("data.") || path.starts_with("residual.")) {
                continue;
            }
            INFO(name << "/" << path);
            ++fitted;
            const bool known =
                std::any_of(builtin_priors().begin(), builtin_priors().end(),
                            [full = name + "/" + path](const Prior& p) { return glob_matches(p.match, full); });
            CHECK(known);
            CHECK(figure.low80 < figure.high80);
            REQUIRE_FALSE(figure.source.empty());
            for (const std::string& dataset : figure.source) {
                CHECK(std::filesystem::exists(FABRICAST_SOURCE_DIR "/validate/measurements/nccl/" + dataset + ".yaml"));
            }
        }
    }
    CHECK(fitted > 100);
}
