// An engine is a struct of options and one word in a table: a toy engine is added here, in a table of its own.

#include <fstream>
#include <sstream>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/replays.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Every operation ends when it begins; a message takes a fixed time on top.
struct Toy {
    static MemoryNeed memory(const Fabric&, const Schedule& schedule) {
        return {.count = static_cast<double>(schedule.size()), .what = "operations", .bytes_each = 1};
    }
    static constexpr EngineTraits traits{
        .name = "toy", .about = "a fixed time for each message", .memory = memory, .one_thread = true};

    Duration each = microseconds(5);
};

Timeline replay_task(const Toy& toy, const ReplayTask& task) {
    Timeline timeline;
    timeline.makespan = Time{} + toy.each * static_cast<std::int64_t>(task.schedule.transfers.size());
    return timeline;
}

struct Absent {
    static constexpr EngineTraits traits{
        .name = "absent", .about = "not in this build", .memory = Toy::memory, .events = true, .missing = [] {
            return std::string_view("this build has no such engine");
        }};
};

[[maybe_unused]] Timeline replay_task(const Absent&, const ReplayTask&) { return {}; }

using ToyTable = std::variant<Flow, Toy, Absent>;

Schedule two_messages(const Fabric& fabric) {
    Schedule schedule;
    schedule.connections = {testing::between(fabric, 0, 1)};
    schedule.add(Transfer{0, {100'000}, {}});
    schedule.add(Transfer{0, {100'000}, {}});
    return schedule;
}

}  // namespace

TEST_CASE("a toy engine is one word in a table: it has a name, options, and replays") {
    const Fabric fabric(tiny::one_node());
    const Schedule schedule = two_messages(fabric);
    CHECK(engine_names<ToyTable>() == std::vector<std::string>{"flow", "toy", "absent"});
    CHECK(engine_names<ToyTable>(&EngineTraits::events) == std::vector<std::string>{"flow", "absent"});
    const ToyTable toy = all_engines<ToyTable>().at(1);
    CHECK(traits_of(toy).one_thread);
    CHECK(replay<ToyTable>(toy, fabric, schedule).makespan == microseconds(10));
    CHECK(replay<ToyTable>(ToyTable(Toy{microseconds(7)}), fabric, schedule).makespan == microseconds(14));
    CHECK(replay<ToyTable>(ToyTable(Flow{}), fabric, schedule).makespan == replay(Flow{}, fabric, schedule).makespan);
}

TEST_CASE("what an engine lacks is refused before it replays") {
    const Fabric fabric(tiny::one_node());
    const Schedule schedule = two_messages(fabric);
    const std::vector<LinkEvent> events = {{microseconds(3), LinkId{0}, 0.5}};
    CHECK_THROWS_WITH(replay<ToyTable>(ToyTable(Toy{}), fabric, schedule, events),
                      ContainsSubstring("engine toy knows no link events (accepted: flow, packet)"));
    CHECK_THROWS_WITH(replay<ToyTable>(ToyTable(Absent{}), fabric, schedule),
                      ContainsSubstring("this build has no such engine"));
}

TEST_CASE("the engines' table in docs/architecture.md is the program's") {
    std::stringstream page;
    page << std::ifstream(FABRICAST_SOURCE_DIR "/docs/architecture.md").rdbuf();
    for (const Engine& engine : all_engines()) {
        const EngineTraits& traits = traits_of(engine);
        INFO(traits.name);
        const std::size_t row = page.str().find("\n| `" + std::string(traits.name) + "`");
        REQUIRE(row != std::string::npos);
        const std::size_t end = page.str().find('\n', row + 1);
        CHECK_THAT(page.str().substr(row, end - row), ContainsSubstring(std::string(traits.about)));
    }
    CHECK(std::holds_alternative<Flow>(all_engines().front()));
}
