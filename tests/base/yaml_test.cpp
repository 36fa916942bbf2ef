#include "base/yaml.hpp"

#include <filesystem>
#include <fstream>

#include "base/text_file.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// The message a text is refused with, or "accepted".
std::string refusal(const std::string& text) {
    try {
        yaml::parse(text, "t.yaml");
        return "accepted";
    } catch (const InputError& error) { return error.what(); }
}

std::string repeated(std::string_view part, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) { all += part; }
    return all;
}

}  // namespace

TEST_CASE("a text becomes a tree that knows its places, counted from one") {
    const yaml::Node root = yaml::parse("name: a\ncluster:\n  nodes: 16\n  shape: [2, 3]\n", "t.yaml");
    const yaml::Node& cluster = root.required("cluster");
    CHECK(root.required("name").as_string() == "a");
    CHECK(cluster.required("nodes").as_int() == 16);
    CHECK(cluster.required("nodes").place.line == 3);
    CHECK(cluster.required("nodes").place.column == 10);
    CHECK(cluster.required("nodes").key_place.column == 3);
    CHECK(cluster.required("shape").items()[1].name == "shape[1]");
    CHECK(root.get("fabric") == nullptr);
}

TEST_CASE("an alias is a copy of its anchor") {
    const yaml::Node root = yaml::parse("a: &x [1, 2]\nb: *x\n", "t.yaml");
    CHECK(root.required("b").items().size() == 2);
    CHECK(root.required("b").items()[0].name == "b[0]");
}

TEST_CASE("what yaml-cpp would let pass is refused with its place") {
    CHECK(refusal("a: 1\nb: 2\na: 3\n") == "t.yaml:3:1: duplicate key (found 'a'; accepted: each key once)");
    CHECK(refusal("a: &a [*a, *a]\n") ==
          "t.yaml:1:8: an alias refers to a value that contains it (accepted: aliases of finished values)");
    CHECK(refusal("a: 1\n---\nb: 2\n").starts_with("t.yaml:2:1: several documents"));
    CHECK(refusal("") == "t.yaml:1:1: the file is empty (found nothing; accepted: a map of keys)");
    CHECK(refusal("# only a comment\n\n").starts_with("t.yaml:1:1: the file is empty"));
    CHECK(refusal("a:\n\tb: 1\n") == "t.yaml:2:1: a tab in the indentation (accepted: spaces)");
    CHECK(refusal("a: !!binary xyz\n").starts_with("t.yaml:1:4: tags are not accepted"));
    CHECK(refusal("<<: {a: 1}\n").starts_with("t.yaml:1:1: merge keys are not accepted"));
    CHECK(refusal("[a]: 1\n").starts_with("t.yaml:1:1: a key must be a word (found a list"));
    CHECK(refusal("a: *b\n").starts_with("t.yaml:1:"));
    CHECK(refusal("a: [1, 2\n").starts_with("t.yaml:"));
    CHECK(refusal(std::string("a: \0b", 5)).starts_with("t.yaml:1:1: not a text"));
    CHECK(refusal("a: \xff\xfe").starts_with("t.yaml:1:1: not a text"));
    CHECK(refusal("a: \xED\xA0\x80").starts_with("t.yaml:1:1: not a text"));  // a UTF-16 surrogate
}

TEST_CASE("a text that ends inside quotes is refused, one that ends behind them is not") {
    CHECK(refusal("a: \"b\n") == "t.yaml:1:4: a text between quotes is not closed (accepted: a closing quote)");
    CHECK(refusal("a: 'b\nc: d\n").find("not closed") != std::string::npos);
    CHECK(refusal("\xC3\xA4: 'b''\n").find("not closed") != std::string::npos);
    CHECK(refusal("a: \"b\\\"\n").find("not closed") != std::string::npos);
    CHECK(refusal("a: 'b''c'") == "accepted");
    CHECK(refusal("\xC3\xA4: \"b\\\"\"") == "accepted");
    CHECK(refusal("a: &x \"b\"\nc: d # it's") == "accepted");
    CHECK(refusal("\xEF\xBB\xBF"
                  "a: 'b'") == "accepted");  // behind a byte order mark
}

TEST_CASE("depth is limited to 64 levels, however it is written") {
    CHECK(refusal(repeated("[", 64) + repeated("]", 64)) == "accepted");
    CHECK(refusal(repeated("[", 65) + repeated("]", 65)).starts_with("t.yaml:1:65: nested too deeply"));
    CHECK(refusal(repeated("[", 100'000)).find("nested too deeply") != std::string::npos);
    CHECK(refusal(repeated("{a: ", 100'000)).find("nested too deeply") != std::string::npos);
    CHECK(refusal(repeated("- ", 100'000)).find("nested too deeply") != std::string::npos);
    CHECK(refusal(repeated("? ", 100'000)) != "accepted");
    // By aliases: each level wraps the one before, three levels a line.
    std::string chain = "a0: &a0 [1]\n";
    for (int i = 1; i < 40; ++i) {
        chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [[*a" + std::to_string(i - 1) + "]]\n";
    }
    CHECK(refusal(chain).find("nested too deeply") != std::string::npos);
}

TEST_CASE("a flood of tokens is refused before yaml-cpp queues it") {
    const std::string refused =
        "t.yaml:1:1: too many values (accepted: at most 500000 of the characters []{},:&*?!-\"')";
    for (const char* part : {"[", "{", "[\n", "a: ", "x,", "&a "}) {
        CHECK(refusal("[" + repeated(part, 500'001)) == refused);
    }
    CHECK(refusal(std::string((16 << 20) + 1, '\n')).starts_with("t.yaml:1:1: too large"));
}

TEST_CASE("an alias bomb is refused before it is built") {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string inner = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(inner + ", ", 9) + inner + "]\n";
    }
    CHECK(refusal(bomb).find("too many values") != std::string::npos);
    CHECK(refusal("a: [" + repeated("1, ", 100'001) + "]\n").find("too many values") != std::string::npos);
    CHECK(refusal("a: [" + repeated("1, ", 99'000) + "]\n") == "accepted");
}

TEST_CASE("a file that is too large is refused by its size, without reading it") {
    const auto path = std::filesystem::temp_directory_path() / "fabricast_yaml_test_large.yaml";
    std::ofstream(path).close();
    std::filesystem::resize_file(path, 100'000'000);  // sparse
    CHECK_THROWS_WITH(yaml::read(path),
                      path.string() + ":1:1: too large (found 100000000 bytes; accepted: at most 16777216)");
    std::filesystem::remove(path);
    CHECK_THROWS_WITH(yaml::read(path), path.string() + ":1:1: cannot be read (no such file)");
    CHECK_THROWS_AS(yaml::read(std::filesystem::temp_directory_path()), InputError);
}

TEST_CASE("accessors say what is wrong, what was found and what is accepted") {
    const yaml::Node root = yaml::parse("nodes: sixteen\nkind: rnig\nflag: yes\nlist: [1]\nempty:\n", "t.yaml");
    CHECK_THROWS_WITH(
        root.required("nodes").as_int(1, 8),
        "t.yaml:1:8: 'nodes' must be a whole number (found 'sixteen'; accepted: a whole number from 1 to 8)");
    CHECK_THROWS_WITH(root.required("kind").as_enum({"ring", "tree"}),
                      "t.yaml:2:7: 'kind' is not one of the words accepted here (found 'rnig'; accepted: ring, tree; "
                      "nearest: 'ring')");
    CHECK_THROWS_WITH(root.required("flag").as_bool(),
                      "t.yaml:3:7: 'flag' must be true or false (found 'yes'; accepted: true, false)");
    CHECK_THROWS_WITH(root.required("list").as_string(),
                      "t.yaml:4:7: 'list' must be a word (found a list; accepted: one word or text)");
    CHECK_THROWS_WITH(root.required("empty").as_string(),
                      "t.yaml:5:1: 'empty' must be a word (found nothing; accepted: one word or text)");
    CHECK_THROWS_WITH(
        root.allow({"node", "kind", "flag", "list", "empty"}),
        "t.yaml:1:1: unknown key (found 'nodes'; accepted: node, kind, flag, list, empty; nearest: 'node')");
    CHECK_THROWS_WITH(root.required("node"),
                      "t.yaml:1:1: missing key 'node' (found nodes, kind, flag, list, empty; nearest: 'nodes')");
}

TEST_CASE("writing is whole or nothing") {
    const auto path = std::filesystem::temp_directory_path() / "fabricast_write_test.txt";
    write_atomically(path, "whole");
    CHECK(read_text(path, 100) == "whole");
    std::filesystem::remove(path);
    CHECK_THROWS_AS(write_atomically("/nonexistent-folder/x", "y"), IoError);
}

TEST_CASE("a file for what is being written has a new name each time and is nobody else's") {
    const auto path = std::filesystem::temp_directory_path() / "fabricast_new_file_test.txt";
    const NewFile first(path), second(path);
    CHECK(first.temporary() != second.temporary());
    CHECK(first.temporary().parent_path() == path.parent_path());
    CHECK(read_text(first.temporary(), 100).empty());
    CHECK_THROWS_AS(NewFile("/nonexistent-folder/x"), IoError);
}
