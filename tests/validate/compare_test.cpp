#include "validate/curves/compare.hpp"

#include <cmath>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/validate/every_curve.hpp"
#include "validate/accuracy/collect.hpp"

using namespace fabricast;

namespace {

const std::filesystem::path measurements = FABRICAST_SOURCE_DIR "/validate/measurements";

const Catalog& catalog() {
    static const Catalog parts = read_catalog();
    return parts;
}

FabricCache& cache() {
    static FabricCache fabrics(catalog());
    return fabrics;
}

Comparison compared(const std::string& id) {
    return compare(read_measurement(measurements / "nccl" / (id + ".yaml")), catalog(), cache());
}

}  // namespace

TEST_CASE("a file's words alone give a forecast of each of its sizes") {
    const Comparison c = compared("dgxc-h100-1n8g-allreduce");
    CHECK(c.derived.scenario.cluster.node == "dgx-h100");
    CHECK(c.busbw_factor == Approx(1.75));
    REQUIRE(c.sizes.size() > 20);
    for (const ComparedSize& size : c.sizes) {
        INFO(size.measured.size.count);
        CHECK(size.ours.seconds > 0);
        CHECK(size.ours.low80 <= size.ours.seconds);
        CHECK(size.ours.high80 >= size.ours.seconds);
        CHECK(size.null_alphabeta > 0);
        CHECK(size.null_tuning > 0);
        CHECK_FALSE(size.ours.costs.empty());
    }
}

TEST_CASE("the comparison prints assumptions, signed errors and a summary by regime") {
    const std::string text = to_text(compared("dgxc-h100-1n8g-allreduce"));
    CHECK_THAT(text, ContainsSubstring("assumptions"));
    CHECK_THAT(text, ContainsSubstring("is a dgx-h100"));
    CHECK_THAT(text, ContainsSubstring("16 MiB and up"));
    CHECK_THAT(text, ContainsSubstring("%"));
}

TEST_CASE("measurements of the GPU that an unnamed one is taken for are no measurements of the same GPU") {
    Measurement file = read_measurement(measurements / "nccl" / "dgxc-h100-1n8g-allreduce.yaml");
    const auto best = [&] {
        Evidence evidence = Evidence::formula_only;
        for (const ComparedSize& size : compare(file, catalog(), cache()).sizes) {
            evidence = std::min(evidence, size.ours.evidence);
        }
        return evidence;
    };
    CHECK(best() < Evidence::same_family);
    file.system["gpu"] = {"a GPU of NVLink 4", file.place};
    CHECK(best() == Evidence::same_family);
}

TEST_CASE("what a file leaves unsaid widens its intervals, and the text says what stating it takes off") {
    const Measurement file = read_measurement(measurements / "nccl" / "gke-dranet-h200-2n1g-allreduce.yaml");
    const Comparison open = compare(file, catalog(), cache());
    REQUIRE_FALSE(open.derived.unsaid.empty());
    CHECK(open.derived.unsaid.front().what == "NCCL's version");
    CHECK(open.derived.unsaid.front().others.size() >= 2);
    const Comparison told = compare(file, catalog(), cache(), open.derived.scenario);
    double widths = 0;
    for (std::size_t i = 0; i < open.sizes.size(); ++i) {
        const auto width = [](const ForecastRow& row) { return std::log(row.high80 / row.low80); };
        CHECK(width(open.sizes[i].ours) >= width(told.sizes[i].ours) * (1 - 1e-6));
        widths += width(open.sizes[i].ours) - width(told.sizes[i].ours);
    }
    CHECK(widths > 0);
    CHECK_THAT(to_text(open), ContainsSubstring("NCCL's version is not stated"));
    CHECK(told.narrowing.empty());
}

TEST_CASE(
    "a host that is not named, through whose memory cards exchange data, may carry a quarter of what their slots do") {
    const auto held_out = measurements.parent_path() / "held-out" / "nccl";
    Measurement file = read_measurement(held_out / "kalavai-rtx4090-1n2g-allreduce.yaml");
    const auto of_hosts = [](const Comparison& c) {
        return std::ranges::count(c.derived.unsaid, "through which host cards exchange their data", &Unsaid::what);
    };
    const auto last = [](const Comparison& c) { return c.sizes.back().ours; };
    const Comparison open = compare(file, catalog(), cache());
    REQUIRE(of_hosts(open) == 1);
    CHECK(last(open).high80 > 3.7 * last(open).seconds);
    CHECK(open.sizes.back().measured.seconds < 1.05 * last(open).high80);  // 3.9 times the forecast
    file.software["env"].text = "NCCL_TOPO_FILE=/opt/topo.xml NCCL_DEBUG=INFO";
    CHECK_THAT(to_text(compare(file, catalog(), cache())), ContainsSubstring("env: NCCL_TOPO_FILE is not read"));
    file.system["cpu"].text = "AMD EPYC 7763";
    const Comparison told = compare(file, catalog(), cache());
    CHECK(of_hosts(told) == 0);
    CHECK(last(told).high80 < 2.5 * last(told).seconds);
    CHECK(last(told).seconds == Approx(last(open).seconds));
}

TEST_CASE("cards of Blackwell over PCIe have kernels of their own, and a processor of 5 GHz launches them sooner") {
    Measurement file = read_measurement(measurements / "nccl" / "rtx5090-turin-1n8g-allreduce.yaml");
    const Comparison turin = compare(file, catalog(), cache());
    const auto simple =
        std::ranges::find(turin.sizes, Bytes{32768}, [](const ComparedSize& s) { return s.measured.size; });
    REQUIRE(simple != turin.sizes.end());
    CHECK(simple->ours.protocol == "simple");
    CHECK(std::ranges::count(simple->ours.costs, "nccl-blackwell-pcie/simple.wire") == 1);
    CHECK(simple->ours.seconds < 1.1 * simple->measured.seconds);  // 79 us by a B200's hop over NVSwitch, 38 measured
    file.system["cpu"].text = "2x AMD EPYC 9334";
    FabricCache of_its_own(catalog());  // boxes are told apart by their files
    const Comparison genoa = compare(file, catalog(), of_its_own);
    CHECK(turin.sizes.front().ours.seconds / genoa.sizes.front().ours.seconds == Approx(0.7).epsilon(0.02));
}

TEST_CASE("how many NICs a node has widens the interval where a file does not say it") {
    Measurement file = read_measurement(measurements / "nccl" / "lambda-b200-2n8g-allreduce.yaml");
    const auto of_nics = [](const Comparison& c) {
        return std::ranges::find(c.derived.unsaid, "how many NICs a node has", &Unsaid::what);
    };
    const Comparison open = compare(file, catalog(), cache());
    REQUIRE(of_nics(open) != open.derived.unsaid.end());
    CHECK(of_nics(open)->others.front().value == "4");
    CHECK_THAT(to_text(open), ContainsSubstring("how many NICs a node has is not stated (4 may be as well)"));
    file.system["nics_per_node"].text = "8";
    const Comparison told = compare(file, catalog(), cache());
    CHECK(of_nics(told) == told.derived.unsaid.end());
    const auto high = [](const Comparison& c) { return c.sizes.back().ours.high80 / c.sizes.back().ours.seconds; };
    CHECK(high(open) > 1.3 * high(told));
}

TEST_CASE("no interval promises more than the busiest link carries") {
    // 64 GiB on the NICs of two nodes: the catalogue's interval for this class is much wider than what the wire leaves.
    const Comparison c = compared("gcp-a3mega-h100-2n8g-allgather");
    const ComparedSize& largest = c.sizes.back();
    // Seven of eight shares of a node's half enter by eight NICs of 200 Gb/s: half of the buffer at 200 GB/s.
    const double least = static_cast<double>(largest.measured.size.count) / 2 / 200e9;
    CHECK(largest.ours.low80 >= least * (1 - 1e-9));
    CHECK(largest.ours.low80 < largest.ours.seconds);
}

TEST_CASE("JSON and drawing hold every size") {
    const Comparison c = compared("aic-a100-1n8g-allreduce-half");
    const Json json = to_json(c);
    CHECK(json["rows"].size() == c.sizes.size());
    CHECK(json["rows"][0]["measured_s"].get<double>() == c.sizes[0].measured.seconds);
    CHECK(json["summary"]["large"]["sizes"].get<int>() > 3);
    const std::string drawing = to_svg(c);
    CHECK_THAT(drawing, ContainsSubstring("<svg"));
    CHECK_THAT(drawing, ContainsSubstring("16 MiB"));
    CHECK(drawing == to_svg(c));
}

TEST_CASE("alpha-beta is 7 us, the hops and the datasheet's bandwidth") {
    // 8 H100 in a node: 14 hops of 0.6 us; 1 GiB * 1.75 over the datasheet's 450 GB/s.
    const Comparison c = compared("dgxc-h100-1n8g-allreduce");
    const Fabric& fabric = cache().at(c.derived.scenario);
    const double expected = 7e-6 + 14 * 0.6e-6 + 1.75 * 1073741824 / 450e9;
    const double wire = datasheet_wire_time(collective_of(c.derived.scenario), Bytes{1073741824}, fabric);
    CHECK(alpha_beta(ring_hops(Collective::all_reduce, 8, 1), wire) == Approx(expected).epsilon(1e-6));
    // 2 nodes x 8: 30 hops, 2 of them between nodes; 8 NICs of 50 GB/s less encoding.
    const Hops hops = ring_hops(Collective::all_reduce, 16, 2);
    CHECK(hops.intra == 28);
    CHECK(hops.inter == 2);
    CHECK(ring_hops(Collective::all_gather, 16, 2).intra == 14);
    CHECK(ring_hops(Collective::sendrecv, 16, 2).inter == 1);
}

TEST_CASE("sends and receives have a stand-in for the tuning model") {
    const Comparison c = compared("aic-h100-1n8g-alltoall-half");
    CHECK(c.sizes[0].null_tuning == Approx(12e-6).epsilon(0.01));
}

TEST_CASE("a table without sizes is skipped and said") {
    const Collection& collection = testing::every_curve().collection;
    // Two tables over GPU counts, one over channels, one of "several" collectives, one list of single values.
    CHECK(collection.skipped.size() == 5);
    CHECK(collection.curves.size() == 308);
    for (const CollectedCurve& curve : collection.curves) {
        INFO(curve.comparison.id);
        CHECK(curve.site.find('/') == std::string::npos);  // all are listed
        for (const ComparedSize& size : curve.comparison.sizes) {
            REQUIRE(std::isfinite(size.ours.seconds));
            REQUIRE(size.ours.seconds > 1e-6);
        }
    }
    CHECK(accuracy_rows(collection).size() > 3000);
}

TEST_CASE("a folder that is not there is said") {
    CHECK_THROWS(collect(measurements / "nowhere", catalog(), cache(), measurements));
}
