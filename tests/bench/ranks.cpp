#include "tests/bench/ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/bench/figures.hpp"
#include "tests/bench/measure.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/sim/engines/packet/peers_in_threads.hpp"
#include "tests/sim/engines/schedules.hpp"

namespace fabricast::bench {

namespace {

namespace fs = std::filesystem;

std::string text_in(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// What two ranks tell each other: an all-to-all of 64 hosts on a fat tree, with PFC and DCQCN.
void bytes_a_window() {
    const Fabric fabric = testing::leaf_spine(64, 16);
    Packet options = testing::packets(FlowControl::pfc);
    options.congestion_control = CongestionControl::dcqcn;
    const auto ranks = testing::over_ranks(2, options, fabric, testing::all_to_all(testing::nics(fabric), 256'000));
    const PacketUse& use = *ranks[0].timeline.packets;
    const auto windows = static_cast<double>(use.windows);
    std::printf(
        "# two ranks, all-to-all of 64 hosts: %.0f packet-hops in %.0f windows, %.2f messages and %.0f B a window "
        "from one to the other\n",
        static_cast<double>(use.hops), windows, static_cast<double>(ranks[0].exchanges) / windows,
        static_cast<double>(ranks[0].sent) / windows);
    figure("packet_ranks2_window_bytes", static_cast<double>(ranks[0].sent) / windows, "B");
}

}  // namespace

double seconds_of(const std::string& command) {
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return status == 0 ? seconds : -1;
}

void ranks_speedup(const char* figure_name, const std::string& scenario, const std::string& command,
                   const std::string& out) {
    const fs::path folder = fs::temp_directory_path() / ("fabricast_bench_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    std::ofstream(folder / "s.yaml") << scenario;
    const auto ranks = [&](const std::string& count) {
        return seconds_of("cd '" + folder.string() +
                          "' && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n " + count +
                          " '" FABRICAST_PROGRAM "' " + command + " s.yaml --threads 1 --quiet " + out + " " + count +
                          ".csv >/dev/null 2>&1");
    };
    double one = ranks("1");
    double two = ranks("2");
    for (int again = 0; again < 2 && one > 0 && two > 0; ++again) {
        one = std::min(one, ranks("1"));
        two = std::min(two, ranks("2"));
    }
    if (one > 0 && two > 0) {
        std::printf("# %s: %.2f s with one rank, %.2f s with two, %s output\n", figure_name, one, two,
                    text_in(folder / "1.csv") == text_in(folder / "2.csv") ? "identical" : "ANOTHER");
        figure(figure_name, one / two, "");
    } else {
        std::printf("# %s: no mpirun here, or a build without MPI\n", figure_name);
    }
    fs::remove_all(folder);
}

void rank_figures(const std::vector<std::string>& names) {
    if (wanted(names, "packet_ranks2_window_bytes")) { bytes_a_window(); }
    if (wanted(names, "packet_ranks2_speedup")) {
        ranks_speedup(
            "packet_ranks2_speedup",
            "name: ranks\ncluster: {node: dgx-h100, nodes: 16, fabric: {kind: fat-tree, link: ethernet-400g}}\n"
            "workload: {kind: collective, collective: all_to_all, sizes: [4 MiB]}\n"
            "launch: {iterations: 1}\nengine: packet\npacket: {preset: pfc-only, reuse: false}\n",
            "run", "--csv");
    }
}

}  // namespace fabricast::bench
