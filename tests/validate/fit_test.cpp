#include <cmath>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "validate/calibration/part_similarity.hpp"
#include "validate/calibration/without_site.hpp"

using namespace fabricast;

namespace {

// Curves of one node of eight A100, forecast with planted costs: what a fit should find again.
struct Planted {
    Catalog truth = read_catalog();
    FabricCache cache{truth};
    std::vector<FitDataset> data;

    explicit Planted(const std::map<std::string, double>& costs) {
        for (const auto& [name, value] : costs) {
            const std::size_t slash = name.find('/');
            truth.parts.at(name.substr(0, slash)).figures.at(name.substr(slash + 1)).value = {value};
        }
    }

    void measure(const std::string& site, Collective collective, double slower = 1,
                 LaunchMode mode = LaunchMode::process) {
        FitDataset d;
        d.id = site + "-" + std::string(to_string(collective));
        d.site = site;
        d.group = {"ampere", ">=2.18", "nvswitch"};
        d.scenario.cluster.node = "dgx-a100";
        collective_of(d.scenario).collective = collective;
        d.scenario.library.nccl = "2.27";
        d.scenario.launch.mode = mode;
        d.scenario.engine = Analytic{};
        const CurveForecaster forecaster(d.scenario, cache.at(d.scenario), truth);
        for (std::int64_t size = 1024; size <= (std::int64_t{1} << 30); size *= 4) {
            d.sizes.push_back(Bytes{size});
            d.seconds.push_back(slower * forecaster.seconds(Bytes{size}));
        }
        data.push_back(std::move(d));
    }
};

const std::string kernel = "nccl-ampere-nvswitch";

}  // namespace

TEST_CASE("fitting forecasts to themselves finds the planted costs") {
    // Four sizes run Simple: where its start and hop lie is part of what is planted, not the catalogue's of the day.
    Planted planted({{kernel + "/simple.wire", 1.4},
                     {kernel + "/ll.hop", 1.6e-6},
                     {"nccl-kernels/simple.start", 25e-6},
                     {kernel + "/simple.hop", 6e-6}});
    planted.measure("a", Collective::all_reduce);
    planted.measure("b", Collective::all_gather);
    const Catalog catalog = read_catalog();
    const Fitter fitter(catalog, planted.data, planted.cache, {.lambda = 0.01});
    const FitResult fit = fitter.fit_all();
    CHECK(fit.cost_after < 0.05 * fit.cost_before);
    CHECK(fit.figures.at(kernel + "/simple.wire").value == Approx(1.4).epsilon(0.05));
    const Catalog found = with_figures(catalog, fit.figures);
    for (const FitDataset& d : planted.data) {
        const CurveForecaster forecaster(d.scenario, planted.cache.at(d.scenario), found);
        for (std::size_t i = 0; i < d.sizes.size(); ++i) {
            INFO(d.id << " " << d.sizes[i].count);
            CHECK(forecaster.seconds(d.sizes[i]) == Approx(d.seconds[i]).epsilon(0.03));
        }
    }
    CHECK(fit.figures.at(kernel + "/ll.hop").datasets == std::set<std::string>{"a-all_reduce", "b-all_gather"});
}

TEST_CASE("a fit without a site does not see it") {
    Planted planted({});
    planted.measure("a", Collective::all_reduce);
    planted.measure("slow", Collective::all_reduce, 3);
    const Catalog catalog = read_catalog();
    const Fitter fitter(catalog, planted.data, planted.cache);
    const FitResult with_slow = fitter.fit_all();
    const FitResult without = fitter.fit_without({"slow"}, with_slow);
    Planted alone({});
    alone.measure("a", Collective::all_reduce);
    const FitResult only = Fitter(catalog, alone.data, alone.cache).fit_all();
    for (const auto& [name, fitted] : only.figures) {
        INFO(name);
        CHECK(without.figures.at(name).value == Approx(fitted.value).epsilon(1e-6));
    }
}

TEST_CASE("a slow host does not pass for a slow GPU, and the catalogue keeps the middle of the hosts") {
    const std::string issue = "nccl-tests/thread.issue_per_gpu";
    Planted planted({{issue, 4e-6}});
    planted.measure("device", Collective::all_reduce);
    planted.measure("a", Collective::all_reduce, 1, LaunchMode::thread);
    planted.measure("b", Collective::all_reduce, 1, LaunchMode::thread);
    planted.truth.parts.at("nccl-tests").figures.at("thread.issue_per_gpu").value = {6e-6};
    planted.measure("slow", Collective::all_reduce, 1, LaunchMode::thread);
    const Catalog catalog = read_catalog();
    const FitResult fit = Fitter(catalog, planted.data, planted.cache).fit_all();
    CHECK(fit.figures.at(issue).value > 3.9e-6);
    CHECK(fit.figures.at(issue).value < 5.5e-6);
    // One collective on eight GPUs tells the start and its 14 hops together, not each.
    const Part& told = catalog.at("kernel", kernel);
    const double planted_call = told.number("ll.start") + 14 * told.number("ll.hop");
    const double call = fit.figures.at(kernel + "/ll.start").value + 14 * fit.figures.at(kernel + "/ll.hop").value;
    CHECK(call == Approx(planted_call).epsilon(0.1));
}

TEST_CASE("kin are the parts that share a generation, an era or a way inside") {
    const Catalog catalog = read_catalog();
    const auto of = [&](const std::string& a, const std::string& b) {
        return part_similarity(catalog.parts.at(a), catalog.parts.at(b));
    };
    CHECK(of(kernel, kernel) == 1);
    CHECK(of(kernel, kernel + "-2.8") > of(kernel, "nccl-volta-mesh"));
    CHECK(of(kernel, "nccl-hopper-nvswitch") > of(kernel, "nccl-ampere-pcie-host"));
    CHECK(of("transport-ib-hdr", "transport-ib-ndr") > of("transport-ib-hdr", "transport-efa-v2"));
    CHECK(of("transport-ib-hdr", "nccl-network") == 0);
    for (const auto& [name, part] : catalog.parts) {
        CHECK(part_similarity(part, catalog.parts.at(kernel)) == part_similarity(catalog.parts.at(kernel), part));
    }
}

TEST_CASE("figures of fits without a site survive their file, and a stale file is not read") {
    const SiteOverlays overlays = {{"a", {{kernel + "/ll.hop", 1.5e-6}}}, {"b", {}}};
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "fabricast_without_site_test.yaml";
    write_atomically(file, to_yaml(overlays, "abc"));
    CHECK(read_overlays(file, "abc") == overlays);
    CHECK(read_overlays(file, "abd").empty());
    std::filesystem::remove(file);
    CHECK(read_overlays(file, "abc").empty());
}
