// A format of logs is one value: a name, how to recognise a log and how to read it. This one is defined here, and the
// importer recognises, reads and names its logs like those of validate/import/formats.

#include "tests/support/catch.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"

using namespace fabricast;

namespace {

// "toybench all_reduce", then a size and microseconds a line, then "done".
std::vector<Measurement> read_toy(const LogText& log, const Statements&) {
    Measurement m;
    bool done = false;
    for (const TextLine& line : log.lines()) {
        const std::vector<TextWord> fields = line.words();
        if (line.starts_with("toybench ")) {
            m.kind = "nccl";
            m.id = fields.at(1).text;
            m.benchmark["tool"] = {"toybench", log.at(line)};
            m.benchmark["collective"] = {m.id, log.at(line)};
            m.columns = {"size_bytes", "time_us"};
        } else if (line.starts_with("done")) {
            done = true;
        } else if (fields.size() == 2) {
            count_in(log, line, fields[0]);
            figure_in(log, line, fields[1]);
            m.rows.push_back({std::string(fields[0].text), std::string(fields[1].text)});
            m.row_places.push_back(log.at(line));
        }
    }
    if (!done) { throw InputError(log.end(), error_message("the log ends too early", "", "a line 'done'")); }
    return {m};
}

bool fits(std::string_view text) { return text.starts_with("toybench "); }

std::vector<LogFormat> with_toy() {
    std::vector<LogFormat> formats = log_formats();
    formats.push_back({"toybench", "a benchmark of this test", false, fits, read_toy});
    return formats;
}

const std::string toy_log = "toybench all_reduce\n1024 12.5\n2048 14\ndone\n";

}  // namespace

TEST_CASE("a format that is added is recognised, read, named and written like the others") {
    const std::vector<Measurement> tables =
        import_log(toy_log, "Night Run.log", "auto", {{"system.nic", "none"}}, with_toy());
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].id == "night-run");
    CHECK(tables[0].rows.at(1).at(1) == "14");
    CHECK(text(tables[0].system, "nic") == "none");
    CHECK(parse_measurement(to_yaml(tables[0]), "again.yaml").rows == tables[0].rows);
    CHECK(import_log(toy_log, "x.log", "toybench", {}, with_toy()).size() == 1);
}

TEST_CASE("an added format refuses with a place, and is offered where a name is wrong") {
    CHECK_THROWS_WITH(import_log("toybench all_reduce\n1024 fast\ndone\n", "x.log", "auto", {}, with_toy()),
                      ContainsSubstring("x.log:2:6"));
    CHECK_THROWS_WITH(import_log("toybench all_reduce\n1024 12.5\n", "x.log", "auto", {}, with_toy()),
                      ContainsSubstring("x.log:3:1: the log ends too early"));
    CHECK_THROWS_WITH(import_log(toy_log, "x.log", "toybenc", {}, with_toy()),
                      ContainsSubstring("nearest: 'toybench'"));
    CHECK_THROWS_AS(import_log(toy_log, "x.log", "auto"), InputError);  // the program does not know it
}
