#include "validate/import/measurement.hpp"

#include <filesystem>

#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

constexpr const char* whole = R"(id: two-gpus
source: {repo: example/bench, commit: abc}
kind: nccl
system: {gpu: "NVIDIA H100", nodes: 1, nic: null}
software: {nccl: "2.27.3", env: {NCCL_ALGO: Ring, NCCL_PROTO: LL}}
benchmark: {collective: all_reduce, ranks: 2}
columns: [size_bytes, time_us]
rows:
  - [8, 5.5]
  - [16, null]
)";

std::string message(const std::string& yaml) {
    try {
        parse_measurement(yaml, "m.yaml");
    } catch (const InputError& error) { return error.what(); }
    return "";
}

}  // namespace

TEST_CASE("a measurement keeps what the file says and leaves out what it says nothing about") {
    const Measurement m = parse_measurement(whole, "m.yaml");
    CHECK(m.id == "two-gpus");
    CHECK(text(m.source, "repo") == "example/bench");
    CHECK(text(m.system, "gpu") == "NVIDIA H100");
    CHECK_FALSE(m.system.contains("nic"));
    CHECK(m.system.at("gpu").place.line == 4);
    REQUIRE(m.rows.size() == 2);
    CHECK(m.rows[0][1] == "5.5");
    CHECK(m.rows[1][1].empty());
}

TEST_CASE("an environment written as a map reads as it is typed in a shell") {
    CHECK(text(parse_measurement(whole, "m.yaml").software, "env") == "NCCL_ALGO=Ring NCCL_PROTO=LL");
}

TEST_CASE("a source in one line of text is kept") {
    std::string yaml = whole;
    yaml.replace(yaml.find("{repo: example/bench, commit: abc}"), 34, "\"a blog post\"");
    CHECK(text(parse_measurement(yaml, "m.yaml").source, "url") == "a blog post");
}

TEST_CASE("a row of another width is refused where it stands") {
    std::string yaml = whole;
    yaml.replace(yaml.find("[16, null]"), 10, "[16]");
    const std::string said = message(yaml);
    CHECK_THAT(said, ContainsSubstring("m.yaml:10:"));
    CHECK_THAT(said, ContainsSubstring("1 values"));
}

TEST_CASE("a table with a column of counts is a measurement for each") {
    const Measurement m = parse_measurement(
        "id: t\nsource: {url: x}\nkind: nccl\nsystem: {gpu: B300}\nbenchmark: {ranks: \"2, 4\"}\n"
        "columns: [n_gpus, size_bytes, busbw_GBps]\nrows:\n  - [2, 8, 1]\n  - [4, 8, 2]\n  - [2, 16, 3]\n",
        "t.yaml");
    const std::vector<Measurement> parts = split_counts(m);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].id == "t-2g");
    CHECK(text(parts[0].benchmark, "ranks") == "2");
    CHECK(parts[0].columns == std::vector<std::string>{"size_bytes", "busbw_GBps"});
    CHECK(parts[0].rows == std::vector<std::vector<std::string>>{{"8", "1"}, {"16", "3"}});
    CHECK(parts[1].id == "t-4g");
    CHECK(split_counts(parts[0]).size() == 1);
}

TEST_CASE("a missing section is named") {
    std::string yaml = whole;
    yaml.erase(yaml.find("kind: nccl\n"), 11);
    CHECK_THAT(message(yaml), ContainsSubstring("kind"));
    CHECK_THAT(message("[1, 2]"), ContainsSubstring("a measurement file is a map"));
}

TEST_CASE("every measurement of this repository reads, under its own name and with a source") {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(FABRICAST_SOURCE_DIR "/validate/measurements")) {
        if (entry.path().extension() != ".yaml" || entry.path().parent_path().filename() == "measurements" ||
            entry.path().parent_path().filename() == "training") {
            continue;
        }
        INFO(entry.path());
        const Measurement m = read_measurement(entry.path());
        CHECK(m.id == entry.path().stem());
        CHECK((m.source.contains("repo") || m.source.contains("url")));
        ++files;
    }
    CHECK(files > 200);
}
