// Instances of clouds by name: each builds and runs, its environment is that of the logs' reader, and the user's keys
// win.

#include <map>
#include <set>

#include "base/text.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/parse.hpp"
#include "sim/scenario/scenario_tree.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario starting_from(const std::string& entry, const std::string& more = "") {
    return parse_scenario("name: t\ninclude: [" + entry +
                              "]\ncluster: {nodes: 2}\nworkload: {kind: collective, collective: all_reduce, sizes: [1 "
                              "MiB]}\n" +
                              more,
                          "t.yaml");
}

using Environment = std::map<std::string, std::string>;

// "NCCL_PROTO=simple NCCL_BUFFSIZE=8388608".
Environment environment_of(const std::string& text) {
    Environment environment;
    for (const std::string_view setting : split(text, ' ')) {
        const std::size_t equals = setting.find('=');
        environment.emplace(setting.substr(0, equals), setting.substr(equals + 1));
    }
    return environment;
}

}  // namespace

TEST_CASE("each instance of a cloud runs, and says where it is from") {
    std::set<std::string> names;
    for (const Cloud& cloud : clouds()) {
        INFO(cloud.name);
        CHECK(names.insert(cloud.name).second);
        CHECK(cloud.source.starts_with("https://"));
        CHECK_FALSE(cloud.note.empty());
        const Report report = simulate(starting_from("'cloud:" + cloud.name + "'"), catalogue());
        CHECK(report.rows.at(0).time_s > 0);
        for (const std::string& note : report.notes) { CHECK(note.find("not modelled") == std::string::npos); }
    }
    CHECK(names.size() > 30);
}

TEST_CASE("an instance's environment is that which logs of its cloud are read with") {
    std::set<Environment> known;
    const yaml::Node aliases = yaml::read(FABRICAST_SOURCE_DIR "/validate/aliases.yaml");
    for (const yaml::Node& row : aliases.required("networks").items()) {
        for (const yaml::Node& key : row.members()) {
            if (key.name == "env") { known.insert(environment_of(key.text)); }
        }
    }
    std::size_t with = 0;
    for (const Cloud& cloud : clouds()) {
        INFO(cloud.name);
        const Scenario scenario = starting_from("'cloud:" + cloud.name + "'");
        with += scenario.library.env.empty() ? 0 : 1;
        CHECK((scenario.library.env.empty() || known.contains(scenario.library.env)));
    }
    CHECK(with > 10);
}

TEST_CASE("the user's keys win over the instance's, and an unknown instance is refused at its line") {
    const Scenario mine = starting_from("'cloud:aws-p5'", "library: {env: {NCCL_BUFFSIZE: '4194304'}}\n");
    CHECK(mine.cluster.node == "hgx-h100-efa");
    CHECK(mine.library.env.at("NCCL_BUFFSIZE") == "4194304");
    CHECK(mine.library.env.at("NCCL_P2P_NET_CHUNKSIZE") == "524288");
    CHECK_THROWS_WITH(starting_from("'cloud:aws-p55'"), Catch::Contains("t.yaml:2:") && Catch::Contains("aws-p5") &&
                                                            Catch::Contains("catalog list cloud"));
}
