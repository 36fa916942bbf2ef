// What replays really take, held against what is estimated before they begin; and what limits them.

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/process_memory.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

constexpr double overhead = testing::sanitized ? 8 : 1;

// Most bytes that were resident in a process of its own, with what this one holds.
template <class Work> double peak_of(Work&& work) {
    ::malloc_trim(0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        try {
            work();
        } catch (const std::exception&) { ::_exit(1); }
        ::_exit(0);
    }
    int status = 0;
    rusage usage{};
    REQUIRE(::wait4(child, &status, 0, &usage) == child);
    CHECK(status == 0);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

struct Shape {
    const char* cluster;
    const char* workload;
    std::uint32_t nodes;
};

struct Measured {
    double estimated, peak;
};

Measured measured(const Engine& engine, const Shape& shape) {
    const Scenario scenario =
        parse_scenario(std::string("name: t\ncluster: {nodes: ") + std::to_string(shape.nodes) + ", " + shape.cluster +
                           "}\nworkload: {kind: collective, " + shape.workload + "}\n",
                       "shape.yaml");
    const Fabric fabric(build(scenario, catalogue()));
    const CollectiveWorkload& workload = collective_of(scenario);
    const CallPlan plan =
        Planner(workload, fabric, scenario.library, scenario.launch, catalogue()).plan(workload.sizes.front());
    const double idle = peak_of([] {});
    const double busy = peak_of([&] { replay(engine, fabric, plan.schedule); });
    return {traits_of(engine).memory(fabric, plan.schedule).bytes(), busy - idle};
}

void check(const Engine& engine, const std::vector<Shape>& shapes, double factor) {
    for (const Shape& shape : shapes) {
        const auto [estimated, peak] = measured(engine, shape);
        INFO(shape.nodes << " nodes of " << shape.cluster << ", " << shape.workload << ": estimated " << estimated / 1e6
                         << " MB, measured " << peak / 1e6);
        CHECK(estimated < factor * peak);
        CHECK(estimated > peak / factor / overhead);
    }
}

constexpr const char* h100 = "node: dgx-h100, fabric: {kind: rail-optimized, radix: 65536}";
constexpr const char* roce = "node: dgx-h100, fabric: {kind: fat-tree, link: ethernet-400g, routing: ecmp}";

Scenario sixteen_million_nodes() {
    return parse_scenario(
        "name: t\n"
        "cluster:\n"
        "  node: dgx-h100\n"
        "  nodes: 16777216\n"
        "  fabric: {kind: rail-optimized, radix: 65536}\n"
        "workload: {kind: collective, sizes: [1 GiB]}\n",
        "large.yaml");
}

}  // namespace

TEST_CASE("flow takes what was estimated, within a factor of two") {
    check(Flow{},
          {{h100, "sizes: [1 GiB]", 16384},
           {h100, "sizes: [1 GiB], algorithm: tree", 32768},
           {h100, "collective: all_to_all, sizes: [1 GiB]", 32768},
           {"node: gb200-nvl72, fabric: {radix: 1024}", "sizes: [1 GiB]", 4096},
           {roce, "sizes: [1 GiB]", 8192}},
          2);
}

TEST_CASE("packet takes what was estimated, within a factor of three") {
    // Large enough for what is estimated to count beside the pages of the engine's code, some 3 MB.
    check(Packet{},
          {{h100, "sizes: [1 MiB], algorithm: ring, protocol: simple", 32},
           {h100, "sizes: [1 MiB], algorithm: ring, protocol: simple", 64},
           {h100, "sizes: [1 MiB], algorithm: tree", 64},
           {roce, "collective: all_to_all, sizes: [1 MiB]", 8},
           {roce, "collective: all_to_all, sizes: [1 MiB]", 16}},
          3);
}

TEST_CASE("simgrid takes what was estimated, within a factor of two and a half", "[thorough]") {
    if (!SimGrid::missing().empty()) { SKIP_TEST("this build has no SimGrid"); }
    check(SimGrid{},
          {{h100, "sizes: [1 MiB], algorithm: ring, protocol: simple", 4},
           {h100, "sizes: [1 MiB], algorithm: ring, protocol: simple", 8},
           {h100, "sizes: [1 MiB], algorithm: tree", 8},
           {roce, "collective: all_to_all, sizes: [1 MiB]", 4}},
          2.5);
}

TEST_CASE("a replay that does not fit is refused at the key that asks for it, with what would fit") {
    const Scenario scenario = sixteen_million_nodes();
    const Fabric fabric(build(scenario, catalogue()));
    const double links = fabric.link_count();
    CHECK(Flow::traits.memory(fabric, {}).bytes() == 26 * links);
    // Half as many links as there are fit: half of the nodes.
    CHECK_THROWS_WITH(check_memory(Flow::traits, fabric, {}, 13 * links),
                      ContainsSubstring("engine flow would hold") && ContainsSubstring("up to 8388608 such nodes"));
    CHECK_NOTHROW(check_memory(Flow::traits, fabric, {}, 26 * links));
}

TEST_CASE("a limit of the address space is memory too") {
    if (testing::sanitized) { SKIP_TEST("a sanitizer's shadow is larger than any limit"); }
    const Scenario scenario = sixteen_million_nodes();
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
    const rlimit less{rlim_t{8} << 30, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_AS, &less) == 0);
    CHECK(memory_here() <= 8.0 * (1 << 30));
    CHECK_THROWS_WITH(simulate(scenario, catalogue()),
                      ContainsSubstring("large.yaml:4:") && ContainsSubstring("found 8 GiB of memory"));
    REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
}

TEST_CASE("a control group's limit is memory too, of either version, its parents' as well") {
    const std::filesystem::path root = std::filesystem::temp_directory_path() / ("cgroup" + std::to_string(::getpid()));
    const auto write = [&](const std::string& file, const std::string& text) {
        std::filesystem::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text << "\n";
    };
    CHECK(std::isinf(cgroup_limit(root)));
    write("proc/self/cgroup", "0::/system.slice/job.scope");
    CHECK(std::isinf(cgroup_limit(root)));
    write("sys/fs/cgroup/system.slice/job.scope/memory.max", "max");
    CHECK(std::isinf(cgroup_limit(root)));
    write("sys/fs/cgroup/system.slice/job.scope/memory.max", "2147483648");
    CHECK(cgroup_limit(root) == 2147483648.0);
    write("sys/fs/cgroup/system.slice/memory.max", "1073741824");
    CHECK(cgroup_limit(root) == 1073741824.0);
    write("proc/self/cgroup", "0::/");  // a container's own
    write("sys/fs/cgroup/memory.max", "536870912");
    CHECK(cgroup_limit(root) == 536870912.0);
    write("proc/self/cgroup", "12:cpu,cpuacct:/docker/1\n9:memory:/docker/1\n1:name=systemd:/docker/1");
    write("sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "9223372036854771712");
    CHECK(cgroup_limit(root) > 9e18);
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456");  // the path is the host's, the mount its own
    CHECK(cgroup_limit(root) == 268435456.0);
    std::filesystem::remove_all(root);
}
