// GPUs, adapters, switches, hosts and cables of the catalogue against datasheets and each other.

#include "models/device_part.hpp"

#include "models/link_part.hpp"
#include "models/pcie.hpp"
#include "tests/models/parts.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pcie_bandwidth.hpp"

namespace fabricast {
namespace {

TEST_CASE("GPUs have their datasheets' dense peaks, memory and power") {
    struct Row {
        const char* name;
        GpuArch arch;
        int sms;
        double fp32, bf16, memory_bandwidth;  // TFLOP/s, GB/s
        double watts;
    };
    const Row rows[] = {{"p100-sxm", GpuArch::pascal, 56, 10.6, 0, 732, 300},
                        {"v100-sxm2", GpuArch::volta, 80, 15.7, 0, 900, 300},
                        {"a100-sxm4-80", GpuArch::ampere, 108, 19.5, 312, 2039, 400},
                        {"h100-sxm", GpuArch::hopper, 132, 67, 989, 3350, 700},
                        {"h200-sxm", GpuArch::hopper, 132, 67, 989, 4800, 700},
                        {"b200", GpuArch::blackwell, 148, 75, 2250, 7700, 1000},
                        {"l40s", GpuArch::ada, 142, 91.6, 362, 864, 350},
                        {"rtx-4090", GpuArch::ada, 128, 82.6, 165, 1008, 450}};
    for (const Row& row : rows) {
        INFO(row.name);
        const GpuSpec gpu = gpu_spec(testing::part("gpu", row.name));
        CHECK(gpu.arch == row.arch);
        CHECK(gpu.sms == row.sms);
        CHECK(gpu.fp32 == Approx(row.fp32 * 1e12));
        CHECK(gpu.bf16 == Approx(row.bf16 * 1e12));
        CHECK(gpu.memory_bandwidth == Approx(row.memory_bandwidth * 1e9));
        CHECK(testing::part("gpu", row.name).number("power.max", "W") == row.watts);
    }
}

TEST_CASE("an adapter fits its host link, or is known not to") {
    for (const Part* part : testing::catalog().of_kind("nic")) {
        const NicSpec nic = nic_spec(*part);
        INFO(nic.name);
        if (link_family(testing::part("link", nic.host_link)) != LinkFamily::pcie) {
            continue;  // ports of NVSwitches
        }
        const PcieSpec host = pcie_spec(testing::part("link", nic.host_link));
        const LinkSpec port = link_spec(testing::part("link", nic.port_link));
        CHECK(port.rate == nic.port_rate);
        // One of the two functions that share a Spark's port: x4 of its own, 13.9 of 24.4 GB/s.
        const bool half = nic.name == "connectx-7-half";
        CHECK((testing::write_bandwidth(host, {4096}) > goodput(port)) != half);
    }
    // HDR behind one PCIe 3.0 slot is capped at half: 13.9 of 24.7 GB/s.
    CHECK(testing::write_bandwidth(pcie_spec(testing::part("link", "pcie-gen3-x16")), {4096}) <
          0.6 * goodput(link_spec(testing::part("link", "infiniband-hdr"))));
}

TEST_CASE("switches switch their published capacity") {
    struct Row {
        const char* name;
        int radix;
        double terabits;  // one way
    };
    const Row rows[] = {
        {"switch-ib-2", 36, 3.6}, {"quantum", 40, 8},           {"quantum-2", 64, 25.6},  {"quantum-x800", 144, 115.2},
        {"spectrum", 32, 3.2},    {"spectrum-2", 32, 6.4},      {"spectrum-3", 32, 12.8}, {"spectrum-4", 64, 51.2},
        {"tomahawk", 32, 3.2},    {"tomahawk-2", 64, 6.4},      {"tomahawk-3", 32, 12.8}, {"tomahawk-4", 64, 25.6},
        {"tomahawk-5", 64, 51.2}, {"tomahawk-ultra", 64, 51.2}, {"rosetta", 64, 12.8},    {"trident-2", 32, 1.28}};
    for (const Row& row : rows) {
        INFO(row.name);
        const SwitchSpec fabric_switch = switch_spec(testing::part("switch", row.name));
        CHECK(fabric_switch.radix == row.radix);
        CHECK(fabric_switch.radix * fabric_switch.port_rate.bytes_per_second() * 8 == Approx(row.terabits * 1e12));
    }
}

TEST_CASE("a port serves as many slower links as its switch really splits it into") {
    struct Row {
        const char *name, *link;
        int ports;  // of the whole switch
    };
    const Row rows[] = {{"tomahawk-5", "ethernet-800g", 64},     {"tomahawk-5", "ethernet-400g", 128},
                        {"tomahawk-5", "ethernet-200g", 256},    {"tomahawk-6", "ethernet-800g", 128},
                        {"tomahawk-6", "ethernet-400g", 256},    {"tomahawk-6", "ethernet-200g", 512},
                        {"tomahawk-4", "ethernet-200g", 128},    {"spectrum-3", "ethernet-200g", 64},
                        {"spectrum-3", "ethernet-100g", 128},    {"spectrum-4", "ethernet-400g", 128},
                        {"spectrum-4", "ethernet-200g", 256},    {"spectrum-4", "ethernet-100g", 256},
                        {"quantum", "infiniband-hdr", 40},       {"quantum", "infiniband-hdr100", 80},
                        {"quantum-2", "infiniband-ndr", 64},     {"quantum-2", "infiniband-ndr200", 128},
                        {"quantum-x800", "infiniband-xdr", 144}, {"quantum-2", "infiniband-xdr", 0},
                        {"switch-ib-2", "infiniband-edr", 36}};
    for (const Row& row : rows) {
        INFO(row.name << " at " << row.link);
        const SwitchSpec s = switch_spec(testing::part("switch", row.name));
        CHECK(s.radix * links_of_port(s, link_spec(testing::part("link", row.link)).rate) == row.ports);
    }
}

TEST_CASE("buffers drain in the known times") {
    struct Row {
        const char* name;
        double microseconds;
    };
    const Row rows[] = {
        {"trident-2", 75}, {"tomahawk-3", 40}, {"tomahawk-4", 35}, {"tomahawk-5", 26}, {"spectrum-4", 25}};
    for (const Row& row : rows) {
        INFO(row.name);
        const SwitchSpec s = switch_spec(testing::part("switch", row.name));
        const double capacity = s.radix * s.port_rate.bytes_per_second();
        CHECK(static_cast<double>(s.buffer.count) / capacity * 1e6 == Approx(row.microseconds).margin(0.6));
    }
}

// A small write between hosts: adapter, cable, one switch, cable, adapter.
double one_switch_microseconds(std::string_view nic_name, std::string_view switch_name) {
    const NicSpec nic = nic_spec(testing::part("nic", nic_name));
    const SwitchSpec fabric_switch = switch_spec(testing::part("switch", switch_name));
    const LinkSpec link = link_spec(testing::part("link", nic.port_link));
    const Part& cable = testing::part("cable", "dac");
    const Duration wire =
        from_seconds(static_cast<double>(8 + link.framing.header.count) / link.rate.bytes_per_second());
    const Duration hop = link.latency + cable_latency(cable, 2) + wire;
    return to_seconds(nic.transmit_latency + hop * 2 + fabric_switch.latency + nic.receive_latency) * 1e6;
}

TEST_CASE("8 bytes between hosts take 0.6 to 1.3 us on InfiniBand and 1.3 to 2.5 on RoCE") {
    CHECK(one_switch_microseconds("connectx-5", "switch-ib-2") == Approx(0.95).margin(0.35));
    CHECK(one_switch_microseconds("connectx-6", "quantum") == Approx(0.95).margin(0.35));
    CHECK(one_switch_microseconds("connectx-7", "quantum-2") == Approx(0.95).margin(0.35));
    CHECK(one_switch_microseconds("connectx-6-dx", "spectrum-2") == Approx(1.9).margin(0.6));
    // In the order of the generations' switches: 90, 130 and 220 ns.
    CHECK(one_switch_microseconds("connectx-5", "switch-ib-2") < one_switch_microseconds("connectx-6", "quantum"));
    CHECK(one_switch_microseconds("connectx-6", "quantum") < one_switch_microseconds("connectx-7", "quantum-2"));
}

TEST_CASE("a cable delays by its length and its ends") {
    const Part& dac = testing::part("cable", "dac");
    CHECK(cable_latency(dac, 2) == nanoseconds(9));
    const Part& aoc = testing::part("cable", "aoc");
    CHECK(cable_latency(aoc, 20) == nanoseconds(175));
    CHECK(copper_reach_metres(dac, 25) == 5);
    CHECK(copper_reach_metres(dac, 100) == 2);
    CHECK(copper_reach_metres(dac, 400) == 0);
}

TEST_CASE("hosts name sockets' buses that exist") {
    for (const Part* part : testing::catalog().of_kind("cpu")) {
        const CpuSpec cpu = cpu_spec(*part);
        INFO(cpu.name);
        CHECK(cpu.duplex_share > 0.5);
        CHECK(cpu.duplex_share <= 1);
        if (!cpu.socket_link.empty()) {
            CHECK(link_spec(testing::part("link", cpu.socket_link)).family == LinkFamily::cpu_bus);
            CHECK(cpu.socket_links > 0);
        }
    }
}

TEST_CASE("an unknown GPU generation is answered with the nearest, or with all where none is near") {
    Part part = testing::part("gpu", "h100-sxm");
    part.text.at("arch") = "hoper";
    CHECK_THROWS_WITH(gpu_spec(part), ContainsSubstring("did you mean 'hopper'?"));
    part.text.at("arch") = "x";
    CHECK_THROWS_WITH(gpu_spec(part),
                      ContainsSubstring("there are pascal, volta") && !ContainsSubstring("did you mean"));
}

TEST_CASE("a part of another kind is refused by name") {
    CHECK_THROWS_WITH(gpu_spec(testing::part("nic", "connectx-7")),
                      ContainsSubstring("'connectx-7' is a nic, not a gpu"));
    CHECK_THROWS_WITH(testing::catalog().at("nic", "connectx-77"), ContainsSubstring("did you mean 'connectx-7'"));
}

}  // namespace
}  // namespace fabricast
