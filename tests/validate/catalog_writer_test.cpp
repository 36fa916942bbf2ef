#include "validate/calibration/catalog_writer.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "tests/support/catch.hpp"
#include "tests/validate/every_curve.hpp"
#include "validate/calibration/without_site.hpp"

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

# Another kind of part is left alone.
a-link:
  kind: link
  origin: spec
  source: a standard
  figures:
    rate: 400 Gb/s
)";

Catalog read(const std::string& text) {
    Catalog catalog;
    add_parts(catalog, {yaml::parse(text, "costs.yaml")});
    return catalog;
}

PartUpdate update() {
    PartUpdate u;
    u.figures["ll.start"] = {12.5e-6, 11e-6, 14e-6, {"set-a", "set-b"}};
    u.reach = 8;
    return u;
}

}  // namespace

TEST_CASE("a fit's figures stand in the catalogue with interval, origin and datasets; the rest stays") {
    const Catalog before = read(costs);
    const std::string yaml = with_updates(costs, {{"k-one", update()}}, before);
    const Catalog after = read(yaml);
    const Figure& start = after.parts.at("k-one").figure("ll.start");
    CHECK(start.value[0] == Approx(12.5e-6));
    CHECK(start.low80 == Approx(11e-6));
    CHECK(start.high80 == Approx(14e-6));
    CHECK(start.origin == Origin::fitted);
    CHECK(start.source == std::vector<std::string>{"set-a", "set-b"});
    CHECK(after.parts.at("k-one").number("ll.hop") == Approx(2e-6));
    CHECK(after.parts.at("k-one").number("data.gpus") == 8);
    CHECK(yaml.substr(yaml.find("# Another kind")) ==
          std::string(costs).substr(std::string(costs).find("# Another kind")));
}

TEST_CASE("writing twice changes nothing") {
    const std::string once = with_updates(costs, {{"k-one", update()}}, read(costs));
    CHECK(with_updates(once, {{"k-one", update()}}, read(once)) == once);
}

TEST_CASE("a figure that no data tell any more takes its prior and says so") {
    PartUpdate u = update();
    u.figures.clear();
    u.figures["ll.hop"] = {3e-6, 2e-6, 4e-6, {"set-a"}};
    const Catalog after = read(with_updates(costs, {{"k-one", u}}, read(costs)));
    CHECK(after.parts.at("k-one").figure("ll.start").origin == Origin::estimated);
    CHECK(after.parts.at("k-one").figure("ll.hop").origin == Origin::fitted);
}

TEST_CASE("a figure that keeps more than 70 % of its prior's spread is not called fitted") {
    // ll.start may be within a factor of e^0.4 of its prior, one standard deviation: an 80 % interval of +-0.513.
    for (const auto& [half_width, origin] :
         {std::pair(0.50, Origin::estimated), {0.37, Origin::estimated}, {0.35, Origin::fitted}}) {
        PartUpdate u = update();
        FittedValue& fitted = u.figures["ll.start"];
        fitted.low80 = fitted.value * std::exp(-half_width);
        fitted.high80 = fitted.value * std::exp(half_width);
        const Catalog after = read(with_updates(costs, {{"k-one", u}}, read(costs)));
        const Figure& start = after.parts.at("k-one").figure("ll.start");
        CHECK(start.origin == origin);
        CHECK(hardly_told(start) == (origin == Origin::estimated));
        CHECK(start.source.back() == "set-b");
    }
    for (const auto& [name, part] : read_catalog().parts) {
        for (const auto& [path, figure] : part.figures) {
            const auto prior =
                std::find_if(builtin_priors().begin(), builtin_priors().end(),
                             [full = name + "/" + path](const Prior& p) { return glob_matches(p.match, full); });
            if (figure.origin == Origin::fitted && part.kind != "interval" && prior != builtin_priors().end()) {
                INFO(name << "/" << path);
                CHECK(share_left({figure.value[0], figure.low80, figure.high80}, *prior) <= 0.7 + 1e-3);
            }
        }
    }
}

TEST_CASE("who told the fitted figures stands in the catalogue as the measurements say") {
    auto& curves = testing::every_curve();
    CHECK(site_parts(fit_datasets(curves.collection), curves.cache) ==
          read_text(FABRICAST_SOURCE_DIR "/models/catalog/sites.yaml", 1 << 20));
}

TEST_CASE("what a fit may find lies within the bounds of its prior, interval and all") {
    const Catalog catalog = read_catalog();
    std::size_t bounded = 0;
    for (const auto& [name, part] : catalog.parts) {
        for (const auto& [path, figure] : part.figures) {
            const auto prior =
                std::find_if(builtin_priors().begin(), builtin_priors().end(),
                             [full = name + "/" + path](const Prior& p) { return glob_matches(p.match, full); });
            const bool cost = part.kind == "kernel" || part.kind == "transport" || part.kind == "launch";
            if (cost && prior != builtin_priors().end() && prior->high > 0) {
                INFO(name << "/" << path);
                ++bounded;
                CHECK(figure.low80 >= prior->low);
                CHECK(figure.high80 <= prior->high * (1 + 1e-4));  // five digits are written
            }
        }
    }
    CHECK(bounded > 100);
}

TEST_CASE("every fitted figure of the catalogue has a prior, an interval and datasets of this repository") {
    const Catalog catalog = read_catalog();
    std::size_t fitted = 0;
    for (const auto& [name, part] : catalog.parts) {
        if (part.kind == "interval" || part.kind == "compute" || part.kind == "framework") {
            continue;  // written by `accuracy --loso` and by `fit --training`
        }
        for (const auto& [path, figure] : part.figures) {
            if (figure.origin != Origin::fitted || path.starts_with("data.")) { continue; }
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
    CHECK(fitted > 60);
}
