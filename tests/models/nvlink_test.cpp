// NVLink and NVSwitch against whitepapers and pair-wise copies.

#include "models/nvlink.hpp"

#include <map>
#include <string>

#include "models/device_part.hpp"
#include "models/link_part.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {
namespace {

LinkSpec spec(std::string_view name) { return link_spec(testing::part("link", name)); }

TEST_CASE("a link has the published rate per direction") {
    struct Row {
        const char* name;
        double gigabytes;
    };
    const Row rows[] = {{"nvlink-1", 20}, {"nvlink-2", 25}, {"nvlink-3", 25},   {"nvlink-3-bridge", 14.0625},
                        {"nvlink-4", 25}, {"nvlink-5", 50}, {"nvlink-c2c", 450}};
    for (const Row& row : rows) {
        INFO(row.name);
        CHECK(spec(row.name).rate.bytes_per_second() == Approx(row.gigabytes * 1e9).epsilon(1e-12));
    }
}

TEST_CASE("a copy between one pair of GPUs reaches what has been measured") {
    struct Row {
        const char* name;
        int links;
        double low, high;  // GB/s
    };
    const Row rows[] = {{"nvlink-1", 2, 36.0, 36.8},
                        {"nvlink-2", 2, 46.9, 48.9},
                        {"nvlink-3", 12, 272, 277},
                        {"nvlink-4", 18, 364, 396.4},
                        {"nvlink-5", 18, 744, 750}};
    for (const Row& row : rows) {
        INFO(row.name);
        const double reached = goodput(bundle(spec(row.name), row.links)) / 1e9;
        CHECK(reached >= row.low);
        CHECK(reached <= row.high);
    }
}

TEST_CASE("a packet of 256, 128, 64 and 32 B carries 94, 89, 80 and 67 percent") {
    CHECK(testing::payload_share(nvlink::framing({256})) == Approx(0.941).margin(0.001));
    CHECK(testing::payload_share(nvlink::framing({128})) == Approx(0.889).margin(0.001));
    CHECK(testing::payload_share(nvlink::framing({64})) == Approx(0.800).margin(0.001));
    CHECK(testing::payload_share(nvlink::framing({32})) == Approx(0.667).margin(0.001));
}

TEST_CASE("NVLink 2 both ways is 9.4 times PCIe 3.0 x16 before encoding") {
    const double nvlink = 2 * 6 * spec("nvlink-2").rate.bytes_per_second();
    const double pcie = 2 * testing::part("link", "pcie-gen3").number("signalling") * 16 / 8;
    CHECK(nvlink / pcie == Approx(9.4).epsilon(0.01));
}

TEST_CASE("a GPU has the published number of links, and they carry its published bandwidth") {
    const std::map<std::string, int> published = {{"nvlink-1", 4},  {"nvlink-2", 6},  {"nvlink-3", 12},
                                                  {"nvlink-4", 18}, {"nvlink-5", 18}, {"nvlink-6", 36},
                                                  {"xgmi-3", 7},    {"xgmi-4", 7}};
    const std::map<std::string, int> fewer = {{"a800-sxm4-80", 8}, {"h800-sxm", 8}};  // for China
    for (const Part* part : testing::catalog().of_kind("gpu")) {
        const GpuSpec gpu = gpu_spec(*part);
        if (gpu.nvlinks == 0) { continue; }
        INFO(gpu.name);
        const LinkSpec nvlink = spec(part->word("nvlink"));
        CHECK(gpu.nvlinks == (fewer.contains(gpu.name) ? fewer.at(gpu.name) : published.at(nvlink.name)));
        CHECK(gpu.nvlink_rate == Approx(bundle(nvlink, gpu.nvlinks).rate.bytes_per_second()));
    }
}

TEST_CASE("NVSwitch chips have the published ports, and reduce from generation 3 on") {
    struct Row {
        const char* name;
        int ports;
        double aggregate;  // TB/s both ways
        bool reduces;
    };
    const Row rows[] = {{"nvswitch-1", 18, 0.9, false},
                        {"nvswitch-2", 36, 1.8, false},
                        {"nvswitch-3", 64, 3.2, true},
                        {"nvswitch-4", 72, 7.2, true}};
    for (const Row& row : rows) {
        INFO(row.name);
        const NvswitchSpec chip = nvswitch_spec(testing::part("nvswitch", row.name));
        CHECK(chip.ports == row.ports);
        CHECK(2 * chip.ports * chip.port_rate.bytes_per_second() == Approx(row.aggregate * 1e12));
        CHECK(chip.reduces == row.reduces);
    }
}

}  // namespace
}  // namespace fabricast
