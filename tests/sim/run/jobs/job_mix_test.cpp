// Jobs that share nothing do not slow each other; those that share one cable do by closed form.

#include "sim/run/jobs/job_mix.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "sim/run/jobs/mix_report.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Catalog parts() { return calibrated_catalog("", nullptr, {}); }

// Two leaves of four nodes with one adapter each, and `cables` between the leaves.
std::string two_leaves(const std::string& jobs, int cables = 1) {
    return fmt::format(
        "name: leaves\ncluster:\n  node: dgx-h100\n  nodes: 8\n  options: {{nics: 1}}\n"
        "  fabric: {{kind: explicit, link: infiniband-ndr}}\n  graph:\n"
        "    devices: [{{name: a, part: quantum-2}}, {{name: b, part: quantum-2}}]\n"
        "    cables: [{{a: node0-3.nic0, b: a}}, {{a: node4-7.nic0, b: b}}, {{a: a, b: b, count: {}}}]\njobs:\n{}",
        cables, jobs);
}

std::string job(const char* name, const char* nodes, const char* what = "all_reduce", const char* size = "256 MiB") {
    return fmt::format(
        "  - {{name: {}, nodes: \"{}\", workload: {{kind: collective, collective: {}, algorithm: ring, protocol: "
        "simple, sizes: [{}]}}}}\n",
        name, nodes, what, size);
}

JobMix mixed(const std::string& yaml, const std::string& engine = "flow") {
    return mix_jobs(parse_scenario(yaml, "jobs.yaml", {"engine=" + engine}), parts(), 1);
}

const std::string step = R"(  - name: step
    nodes: "node[2,6]"
    workload: {kind: training, model: llama-3-8b, global_batch: 32, parallelism: {tensor: 8}, check_memory: false}
)";

}  // namespace

TEST_CASE("alone, a job takes what run says") {
    const JobMix mix = mixed(two_leaves(job("x", "node[0,4]")));
    const Report report = simulate(
        parse_scenario("name: alone\ncluster: {node: dgx-h100, nodes: 2, options: {nics: 1}, fabric: {kind: explicit, "
                       "link: infiniband-ndr}, graph: {devices: [{name: a, part: quantum-2}, {name: b, part: "
                       "quantum-2}], cables: [{a: node0.nic0, b: a}, {a: node1.nic0, b: b}, {a: a, b: b}]}}\n"
                       "workload: {kind: collective, collective: all_reduce, algorithm: ring, protocol: simple, sizes: "
                       "[256 MiB]}\n",
                       "alone.yaml"),
        parts());
    CHECK(mix.jobs[0].alone_s == Approx(report.rows[0].time_s).epsilon(1e-9));
    CHECK(mix.jobs[0].gpus == 16);
    CHECK(mix.jobs[0].slowdown == Approx(1).epsilon(1e-9));
    CHECK(mix.jobs[0].blamed.empty());
}

TEST_CASE("jobs on disjoint links do not slow each other") {
    const std::string yaml = two_leaves(job("x", "node[0-1]") + job("y", "node[4-5]", "all_gather", "64 MiB"));
    for (const char* engine : {"flow", "packet"}) {
        INFO(engine);
        const JobMix mix =
            mixed(engine == std::string("flow") ? yaml
                                                : two_leaves(job("x", "node[0-1]", "all_reduce", "2 MiB") +
                                                             job("y", "node[4-5]", "all_gather", "4 MiB")),
                  engine);
        for (const MixedJob& each : mix.jobs) {
            CHECK(each.slowdown == Approx(1).margin(0.0005));
            CHECK(each.blamed.empty());
        }
        std::printf("figure: disjoint_slowdown %s %.4f %.4f\n", engine, mix.jobs[0].slowdown, mix.jobs[1].slowdown);
    }
}

// What a call takes alone on a slower cable between the leaves, in closed form.
double closed_form(const char* trunk, const char* what, const char* size) {
    const std::string yaml = fmt::format(
        "name: alone\ncluster: {{node: dgx-h100, nodes: 2, options: {{nics: 1}}, fabric: {{kind: explicit, link: "
        "infiniband-ndr}}, graph: {{devices: [{{name: a, part: quantum-2}}, {{name: b, part: quantum-2}}], cables: "
        "[{{a: node0.nic0, b: a}}, {{a: node1.nic0, b: b}}, {{a: a, b: b, link: {}}}]}}}}\nworkload: {{kind: "
        "collective, collective: {}, algorithm: ring, protocol: simple, sizes: [{}]}}\nengine: analytic\n",
        trunk, what, size);
    return simulate(parse_scenario(yaml, "alone.yaml"), parts()).rows[0].time_s;
}

// n jobs that would each fill the cable share it in n parts: each is as fast as alone on a cable of a nth of the rate.
TEST_CASE("jobs over one cable slow each other by closed form") {
    for (const auto& [jobs, part] : {std::pair(2, "infiniband-ndr200"), std::pair(4, "infiniband-hdr100")}) {
        std::string list = job("x", "node[0,4]") + job("y", "node[1,5]", "all_reduce", "64 MiB");
        if (jobs == 4) { list += job("z", "node[2,6]", "all_gather", "64 MiB") + job("w", "node[3,7]"); }
        const JobMix mix = mixed(two_leaves(list));
        const std::vector<std::pair<const char*, const char*>> calls = {
            {"all_reduce", "256 MiB"}, {"all_reduce", "64 MiB"}, {"all_gather", "64 MiB"}, {"all_reduce", "256 MiB"}};
        for (std::size_t i = 0; i < mix.jobs.size(); ++i) {
            const MixedJob& each = mix.jobs[i];
            const auto [what, size] = calls[i];
            const double expected = closed_form(part, what, size) / closed_form("infiniband-ndr", what, size);
            std::printf("figure: shared_slowdown flow %d jobs %s %.4f closed %.4f\n", jobs, each.name.c_str(),
                        each.slowdown, expected);
            CHECK(each.slowdown == Approx(expected).epsilon(0.015));
            CHECK(each.meeting == "a -> b");
            CHECK(each.own_share > 0.9);
        }
    }
    const JobMix two = mixed(two_leaves(job("x", "node[0,4]") + job("y", "node[1,5]", "all_reduce", "64 MiB")));
    CHECK(two.jobs[0].blamed == "y");
    CHECK(two.jobs[1].blamed == "x");
}

TEST_CASE("two cables for three jobs: each gets two thirds") {
    const JobMix mix = mixed(two_leaves(job("x", "node[0,4]") + job("y", "node[1,5]") + job("z", "node[2,6]"), 2));
    for (const MixedJob& each : mix.jobs) {
        // Alone and in pairs an adapter is as fast as one of the two cables.
        for (const double beside : each.beside) { CHECK(beside == Approx(1).margin(0.01)); }
        CHECK(each.slowdown == Approx(1.5).epsilon(0.01));
    }
}

TEST_CASE("the packet engine sees the same slowdown") {
    const JobMix mix = mixed(
        two_leaves(job("x", "node[0,4]", "all_reduce", "128 MiB") + job("y", "node[1,5]", "all_reduce", "64 MiB")),
        "packet");
    for (std::size_t i = 0; i < mix.jobs.size(); ++i) {
        const char* size = i == 0 ? "128 MiB" : "64 MiB";
        const double expected =
            closed_form("infiniband-ndr200", "all_reduce", size) / closed_form("infiniband-ndr", "all_reduce", size);
        std::printf("figure: shared_slowdown packet %s %.4f closed %.4f\n", mix.jobs[i].name.c_str(),
                    mix.jobs[i].slowdown, expected);
        CHECK(mix.jobs[i].slowdown == Approx(expected).epsilon(0.05));
    }
}

TEST_CASE("a training step is slowed by a collective over its links, and the collective by the step") {
    const JobMix mix = mixed(two_leaves(job("x", "node[0,4]", "all_reduce", "1 GiB") + step));
    CHECK(mix.jobs[1].slowdown > 1.005);
    CHECK(mix.jobs[0].slowdown > 1);
    CHECK(mix.jobs[1].blamed == "x");
    CHECK(mix.jobs[1].gpus == 16);
    // Neither can be slower than in turns.
    CHECK(mix.jobs[1].slowdown < 2.01);
}

TEST_CASE("what is no mix of jobs is refused at its place") {
    const auto message = [](const std::string& yaml, const std::string& engine = "flow") {
        try {
            mixed(yaml, engine);
        } catch (const InputError& error) { return std::string(error.what()); }
        return std::string("accepted");
    };
    CHECK_THAT(message(two_leaves(job("x", "node[0,4]") + job("y", "node[4,5]"))),
               ContainsSubstring("node 4 is of job 'x' already"));
    CHECK_THAT(message(two_leaves(job("x", "node[0,9]"))), ContainsSubstring("no node 9 among 8"));
    CHECK_THAT(message(two_leaves(job("x", "gpu7"))), ContainsSubstring("no node of the cluster is called 'gpu7'"));
    CHECK_THAT(message(two_leaves(job("x", "node[0,4]") + job("x", "node[1,5]"))),
               ContainsSubstring("two jobs are called 'x'"));
    CHECK_THAT(message(two_leaves(job("x", "node[0,4]")), "analytic"), ContainsSubstring("pass through each other"));
    CHECK_THAT(
        message(two_leaves(job("x", "node[0,4]", "all_reduce", "8 B") + job("y", "node[1,5]", "all_reduce", "64 GiB"))),
        ContainsSubstring("too short beside"));
}

TEST_CASE("the table, the JSON and the page say the same") {
    const Scenario scenario = parse_scenario(two_leaves(job("x", "node[0,4]") + job("y", "node[1,5]")), "jobs.yaml");
    const JobMix mix = mix_jobs(scenario, parts(), 2);
    const Json json = mix_json(scenario, mix);
    CHECK(json["jobs"][0]["slowdown"].get<double>() == mix.jobs[0].slowdown);
    CHECK(json["slowdowns"][1]["beside_x"].get<double>() == mix.jobs[1].beside[0]);
    CHECK(json["scenario"]["jobs"][1]["nodes"] == "node[1,5]");
    CHECK_THAT(mix_table(scenario, mix, 0), ContainsSubstring("y: both need a -> b"));
    CHECK(mix_page(scenario, mix).sections.size() >= 3);
}
