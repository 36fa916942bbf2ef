// What tells a format, how files of many ranks are read, and Chakra's graphs.

#include <algorithm>

#include "base/error.hpp"
#include "base/unit_text.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("an archive of ranks is read as the files in it") {
    const TempFolder folder;
    const std::string tar = test::archived({{"run/t.0.et", chakra_trace(0)}, {"run/t.1.et", chakra_trace(1)}});
    const Recording r = import_trace({folder.write("run.tar.gz", test::gzipped(tar)), nullptr, {}});
    CHECK(r.format == "chakra");
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 2);
    CHECK(r.ranks[1].rank == 1);
}

TEST_CASE("a Chakra graph is put in order, whatever the file's") {
    const TempFolder folder;
    folder.write("t.0.et", chakra_trace(0));
    folder.write("t.1.et", chakra_trace(1));
    const Recording r = import_trace({folder.path() / "t.*.et", nullptr, {}});
    CHECK(r.format == "chakra");
    CHECK(r.world == 2);
    REQUIRE(r.ranks.size() == 2);
    CHECK(r.ranks[1].rank == 1);
    const RankRecording& rank = r.ranks[0];
    REQUIRE(rank.records.size() == 5);
    const auto named = [&](std::string_view name) {
        const auto found = std::find_if(rank.records.begin(), rank.records.end(),
                                        [&](const Record& record) { return r.names[record.name] == name; });
        return static_cast<std::uint32_t>(found - rank.records.begin());
    };
    CHECK(after(rank, named("gather")) == std::vector<std::uint32_t>{named("matmul")});
    CHECK(after(rank, named("optimizer")).size() == 2);
    CHECK(rank.records[named("matmul")].time == microseconds(10));
    const Record& gather = rank.records[named("gather")];
    CHECK((gather.collective == Collective::all_gather && gather.bytes == 1 << 20));
    CHECK(rank.records[named("s")].other == 1);
    CHECK(rank.records[named("r")].kind == RecordKind::receive);
}

TEST_CASE("Chakra nodes that wait for each other in a circle are refused by record") {
    const TempFolder folder;
    std::string file = delimited(text_field(1, "0.0.4"));
    file += delimited(whole_field(1, 1) + text_field(2, "a") + whole_field(3, 4) + text_field(5, "\x02"));
    file += delimited(whole_field(1, 2) + text_field(2, "b") + whole_field(3, 4) + text_field(5, "\x01"));
    CHECK_THROWS_WITH(import_text(folder, "c.0.et", file), ContainsSubstring("record 1: node 1 waits for itself"));
}

TEST_CASE("the beginning of a file tells its format") {
    const TempFolder folder;
    CHECK(guess_format(folder.write("a", kineto_trace())).name == "kineto");
    CHECK(guess_format(folder.write("b", pytorch_et_trace)).name == "pytorch-et");
    CHECK(guess_format(folder.write("c", gzipped(kineto_trace()))).name == "kineto");
    CHECK(guess_format(folder.write("d", goal_trace)).name == "goal");
    CHECK(guess_format(folder.write("e", msccl_trace)).name == "msccl");
    CHECK(guess_format(folder.write("f", nccl_log)).name == "nccl-log");
    CHECK(guess_format(folder.write("g", recording_trace)).name == "recording");
    CHECK(guess_format(folder.write("h.et", chakra_trace(0))).name == "chakra");
    CHECK(guess_format(folder.write("i", chakra_trace(0))).name == "chakra");
    CHECK_THROWS_WITH(guess_format(folder.write("j", "hello")), ContainsSubstring("no trace format is like this file"));
    CHECK_THROWS_AS(guess_format(folder.write("k", "")), InputError);
}

TEST_CASE("files of many ranks are read in the order of the numbers in their names") {
    const TempFolder folder;
    for (const int i : {10, 9, 0, 1, 11, 2}) { folder.write("rank_" + std::to_string(i) + ".json", "{}"); }
    const std::vector<std::filesystem::path> files = trace_files(folder.path() / "rank_*.json");
    REQUIRE(files.size() == 6);
    CHECK(files[3].filename() == "rank_9.json");
    CHECK(files[4].filename() == "rank_10.json");
    CHECK(trace_files(folder.path()).size() == 6);
    CHECK_THROWS_WITH(trace_files(folder.path() / "*.et"), ContainsSubstring("no file fits"));
    CHECK(rank_in_name("a/trace.12.et") == 12U);
    CHECK(rank_in_name("rank3.json.gz") == 3U);
    CHECK(rank_in_name("h100_rank-7_x2.json") == 7U);
    CHECK_FALSE(rank_in_name("trace.json"));
}

TEST_CASE("what macOS puts beside the files of an archive or folder is not a rank") {
    const TempFolder folder;
    const std::string tar = test::archived(
        {{"run/._t.0.et", "AppleDouble"}, {"run/t.0.et", chakra_trace(0)}, {"run/t.1.et", chakra_trace(1)}});
    CHECK(import_trace({folder.write("run.tar", tar), nullptr, {}}).ranks.size() == 2);
    const TempFolder both;
    both.write("._t.0.et", "AppleDouble");
    both.write("t.0.et", chakra_trace(0));
    both.write("t.1.et", chakra_trace(1));
    CHECK(import_trace({both.path(), nullptr, {}}).ranks.size() == 2);
}

namespace {

bool fits_toy(const TraceStart& start) { return start.text.starts_with("toy trace"); }

// A kernel for each line behind the first, as long as the line says.
void read_toy(InputFile& file, Recording& recording, const ReadProgress& progress, Bytes) {
    RankRecording rank(rank_of_file(recording, file), "");
    for_each_line(file, progress, [&](std::string_view line, int number) {
        if (number > 1) {
            Record kernel;
            kernel.time = parse_duration(line);
            rank.add(kernel);
        }
    });
    recording.ranks.push_back(std::move(rank));
}

}  // namespace

TEST_CASE("a format is a row of the table that the importer is given") {
    static constexpr TraceFormat toy = {"toy", "a toy", true, fits_toy, read_toy};
    static constexpr const TraceFormat* table[] = {&toy};
    const TempFolder folder;
    const auto file = folder.write("rank3.txt", "toy trace\n10 us\n20 us\n");
    CHECK(format_named("toy", table) == &toy);
    const Recording r = import_trace({file, nullptr, {}, table});
    CHECK(r.format == "toy");
    REQUIRE(r.ranks.size() == 1);
    CHECK(r.ranks.front().rank == 3);
    REQUIRE(r.ranks.front().records.size() == 2);
    CHECK(r.ranks.front().records.back().time == parse_duration("20 us"));
    CHECK_THROWS_WITH(import_trace({folder.write("other.txt", "else"), nullptr, {}, table}),
                      ContainsSubstring("no trace format is like this file") && ContainsSubstring("toy"));
}
