// The doors to large and foreign files: gzip, JSON piece by piece, XML, protobuf's wire format.

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstdint>
#include <string>

#include "base/gzip.hpp"
#include "base/json_stream.hpp"
#include "base/protobuf.hpp"
#include "base/xml.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/trace_files.hpp"

using namespace fabricast;
using test::TempFolder;

namespace {

struct Pieces {
    std::vector<std::string> texts;  // "member[index]=value"
};

Pieces stream(const std::filesystem::path& path, const JsonSelection& wishes) {
    InputFile file(path);
    Pieces pieces;
    stream_json(file, wishes, [&](const JsonPiece& piece) {
        pieces.texts.push_back(std::string(piece.member) + "[" + std::to_string(piece.index) +
                               "]=" + piece.value.dump());
    });
    return pieces;
}

InputError refusal(const std::filesystem::path& path, const JsonSelection& wishes = {{"list"}, {}}) {
    try {
        stream(path, wishes);
    } catch (const InputError& error) { return error; }
    FAIL("accepted " << path);
    throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("a packed file reads like the plain one") {
    const TempFolder folder;
    std::string text;
    for (int i = 0; i < 40'000; ++i) { text += "line " + std::to_string(i) + "\n"; }
    InputFile plain(folder.write("plain.txt", text));
    InputFile packed(folder.write("packed.gz", test::gzipped(text)));
    CHECK(read_rest(plain, text.size()) == text);
    CHECK(read_rest(packed, text.size()) == text);
    CHECK(packed.share() == 1);
    InputFile again(folder.write("again.gz", test::gzipped(text)));
    CHECK_THROWS_AS(read_rest(again, text.size() - 1), InputError);
}

TEST_CASE("a tar archive, packed or not, reads as its files") {
    const TempFolder folder;
    const std::string long_text(2000, 'x');
    const std::string tar = test::archived({{"runs/a.0.et", "first"}, {"empty", ""}, {"b", long_text}});
    for (const std::string& text : {tar, test::gzipped(tar)}) {
        InputFile file(folder.write("t.tar", text));
        CHECK(file.path() == folder.path() / "t.tar/runs/a.0.et");
        CHECK(read_rest(file, 100) == "first");
        REQUIRE(file.next_member());
        CHECK(read_rest(file, 100).empty());
        REQUIRE(file.next_member());
        CHECK(read_rest(file, 4000) == long_text);
        CHECK_FALSE(file.next_member());
        CHECK_FALSE(file.next_member());
    }
    InputFile unread(folder.write("u.tar", tar));
    CHECK(unread.next_member());
    CHECK(unread.next_member());
    CHECK(read_rest(unread, 4000) == long_text);
    InputFile other(folder.write("plain", long_text));
    CHECK_FALSE(other.next_member());
    CHECK(read_rest(other, 4000) == long_text);
}

TEST_CASE("a tar archive that was cut or damaged is refused") {
    const TempFolder folder;
    const std::string tar = test::archived({{"a", std::string(700, 'x')}, {"b", "y"}});
    const auto read_all = [&](const std::string& text) {
        InputFile file(folder.write("t.tar", text));
        do { read_rest(file, 4000); } while (file.next_member());
    };
    CHECK_NOTHROW(read_all(tar));
    CHECK_THROWS_WITH(read_all(tar.substr(0, 1000)), ContainsSubstring("ends inside this file"));
    CHECK_THROWS_WITH(read_all(tar.substr(0, 512 + 1024 + 100)), ContainsSubstring("ends inside a header"));
    std::string damaged = tar;
    damaged[512 + 1024 + 3] = 'z';  // in the second header
    CHECK_THROWS_WITH(read_all(damaged), ContainsSubstring("checksum"));
    // The checksum of gzip stands behind the blocks of zeros that end the archive.
    std::string packed = test::gzipped(tar);
    CHECK_NOTHROW(read_all(packed));
    CHECK_THROWS_WITH(read_all(packed.substr(0, packed.size() - 1)), ContainsSubstring("t.tar:1:1: damaged gzip data"));
    packed[packed.size() - 6] ^= 1;  // of the CRC
    CHECK_THROWS_WITH(read_all(packed), ContainsSubstring("damaged gzip data"));
    CHECK_THROWS_WITH(read_all(test::tar_member("folder", '5', "") + std::string(1024, '\0')),
                      ContainsSubstring("a tar archive without a file"));
    CHECK_THROWS_WITH(read_all(test::archived({{std::string(70'000, 'n'), "x"}})),
                      ContainsSubstring("a name of 70001 bytes"));
}

TEST_CASE("a long name in a tar archive is that of the file after it") {
    const TempFolder folder;
    const std::string name = "runs/" + std::string(150, 'n') + ".0.et";
    InputFile file(folder.write("t.tar", test::archived({{name, "first"}, {"b", "second"}})));
    CHECK(file.path() == folder.path() / "t.tar" / name);
    CHECK(read_rest(file, 100) == "first");
    REQUIRE(file.next_member());
    CHECK(file.path() == folder.path() / "t.tar/b");
}

TEST_CASE("a packed file that was cut or damaged is refused, wherever") {
    const TempFolder folder;
    const std::string whole = test::gzipped(std::string(3000, 'x') + "end");
    const auto read_all = [](const std::filesystem::path& path) {
        InputFile file(path);
        read_rest(file, 1 << 20);
    };
    for (std::size_t cut = 2; cut < whole.size(); cut += cut < 40 || cut > whole.size() - 20 ? 1 : 97) {
        INFO("cut after " << cut);
        CHECK_THROWS_AS(read_all(folder.write("cut.gz", whole.substr(0, cut))), InputError);
    }
    std::string damaged = whole;
    damaged[1500] = 'y';  // only the checksum sees it
    try {
        read_all(folder.write("damaged.gz", damaged));
        FAIL("accepted");
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("damaged.gz:1:1: damaged gzip data"));
    }
}

TEST_CASE("elements of a list come one by one, other members whole or not at all") {
    const TempFolder folder;
    const auto file =
        folder.write("t.json", R"({"a": {"list": [1]}, "list": [{"x": [1, {"y": 2}]}, 7, "t"], "b": {"c": null}})");
    CHECK(stream(file, {{"list"}, {"b"}}).texts == std::vector<std::string>{R"(list[0]={"x":[1,{"y":2}]})", "list[1]=7",
                                                                            R"(list[2]="t")", R"(b[0]={"c":null})"});
    const auto bare = folder.write("bare.json", R"([{"x": 1}, {"x": 2}])");
    CHECK(stream(bare, {{"list"}, {}}).texts == std::vector<std::string>{R"(list[0]={"x":1})", R"(list[1]={"x":2})"});
}

TEST_CASE("NaN and Infinity outside strings are borne, wherever a block ends") {
    const TempFolder folder;
    for (std::size_t pad = 65536 - 40; pad < 65536 + 4; ++pad) {
        const std::string text =
            "{\"list\": [\"" + std::string(pad, 'N') + "\", NaN, Infinity, -Infinity, -1, \"NaN \\\" Infinity\"]}";
        const Pieces pieces = stream(folder.write("nan.json", text), {{"list"}, {}});
        REQUIRE(pieces.texts.size() == 6);
        CHECK(pieces.texts[0].size() == pad + 10);
        CHECK(pieces.texts[1] == "list[1]=\"\"");
        CHECK(pieces.texts[2] == "list[2]=null");
        CHECK(pieces.texts[3] == "list[3]=null");
        CHECK(pieces.texts[4] == "list[4]=-1");
        CHECK(pieces.texts[5] == "list[5]=\"NaN \\\" Infinity\"");
    }
}

TEST_CASE("broken JSON is refused at its line, far into the file too") {
    const TempFolder folder;
    std::string text = "{\"list\": [\n";
    for (int i = 0; i < 30'000; ++i) { text += "  {\"number\": " + std::to_string(i) + "},\n"; }
    const InputError wrong = refusal(folder.write("wrong.json", text + "  {\"number\": nope}\n]}"));
    CHECK(wrong.place->line == 30'002);
    CHECK(wrong.place->column >= 14);
    CHECK(wrong.place->column <= 16);
    const InputError cut = refusal(folder.write("cut.json", text));
    CHECK(cut.place->line == 30'002);
    CHECK_THAT(cut.what(), ContainsSubstring("cut.json:30002:"));
}

TEST_CASE("JSON that would fill memory or the stack is refused") {
    const TempFolder folder;
    const std::string deep = "{\"list\": [" + std::string(100'000, '[');
    CHECK_THAT(refusal(folder.write("deep.json", deep)).what(), ContainsSubstring("nested deeper"));
    std::string wide = "{\"list\": [[";
    for (int i = 0; i < 1'000'001; ++i) { wide += "1,"; }
    CHECK_THAT(refusal(folder.write("wide.json", wide)).what(), ContainsSubstring("more than 1000000 values"));
}

TEST_CASE("XML becomes elements that know their lines") {
    const xml::Element root = xml::parse(
        "<?xml version=\"1.0\"?>\n<!-- c -->\n<a x=\"1\">\n  <b y=\"\"/>\n text <b y=\"7\"/>\n</a>\n", "t.xml");
    CHECK(root.name == "a");
    CHECK(root.whole("x", 0, 9) == 1);
    REQUIRE(root.children.size() == 2);
    CHECK(root.children[1].place.line == 5);
    CHECK(root.children[0].whole_or("y", -3, -9, 9) == -3);
    CHECK(root.children[0].whole_or("z", 4, 0, 9) == 4);
    CHECK_THROWS_WITH(root.children[1].required("z"), ContainsSubstring("t.xml:5:8: <b> lacks its attribute 'z'"));
    CHECK_THROWS_WITH(root.children[1].whole("y", 0, 6), ContainsSubstring("(found '7'; accepted: 0 to 6)"));
    CHECK_THROWS_WITH(xml::parse("<a>\n<b>\n</a>", "t.xml"), ContainsSubstring("t.xml:3:"));
    CHECK_THROWS_AS(xml::parse("", "t.xml"), InputError);
    std::string deep;
    for (int i = 0; i < 100; ++i) { deep += "<a>"; }
    for (int i = 0; i < 100; ++i) { deep += "</a>"; }
    CHECK_THROWS_WITH(xml::parse(deep, "t.xml"), ContainsSubstring("nested deeper"));
}

TEST_CASE("fields of a protobuf message are read in order, and bad ones are refused at their byte") {
    const WireRecord record{std::make_shared<const std::string>("t.et"), 7};
    // 1: varint 300; 2: "ab"; 3: fixed64 1; 4: fixed32 2.
    const std::string bytes(
        "\x08\xac\x02\x12\x02"
        "ab"
        "\x19\x01\0\0\0\0\0\0\0\x25\x02\0\0\0",
        21);
    WireMessage message(bytes, 100, record);
    WireField field;
    REQUIRE(message.next(field));
    CHECK((field.number == 1 && field.value == 300));
    REQUIRE(message.next(field));
    CHECK((field.number == 2 && field.content == "ab"));
    REQUIRE(message.next(field));
    CHECK((field.number == 3 && field.value == 1));
    REQUIRE(message.next(field));
    CHECK((field.number == 4 && field.value == 2));
    CHECK_FALSE(message.next(field));
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
        WireMessage part(std::string_view(bytes).substr(0, cut), 100, record);
        const bool at_a_field = cut == 3 || cut == 7 || cut == 16;
        const auto read_all = [&] {
            for (WireField f; part.next(f);) {}
        };
        INFO("cut after " << cut);
        if (at_a_field) {
            CHECK_NOTHROW(read_all());
        } else {
            CHECK_THROWS_WITH(read_all(), ContainsSubstring("t.et:1:1: record 7, byte 1"));
        }
    }
}

TEST_CASE("a packed file that unpacks to 256 times its size is refused before it fills the memory") {
    const TempFolder folder;
    // Deflate packs blanks 1029 to 1: 200 MiB in 204 kB, of which 256 times are 52 MB; up to 64 MiB do no harm.
    const std::string blanks(std::size_t{200} << 20U, ' ');
    std::string packed;
    namespace io = boost::iostreams;
    io::filtering_ostream out;
    out.push(io::gzip_compressor());
    out.push(io::back_inserter(packed));
    io::copy(io::array_source(blanks.data(), blanks.size()), out);
    const auto path = folder.write("bomb.json.gz", packed);
    InputFile file(path);
    std::vector<char> block(65536);
    std::uint64_t unpacked = 0;
    try {
        for (std::size_t got = 1; got > 0; unpacked += got) { got = file.read(block.data(), block.size()); }
        FAIL("read whole");
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("packed too densely"));
        CHECK_THAT(error.what(), ContainsSubstring("at most 256"));
    }
    // Of the block that goes over the line nothing is handed out.
    CHECK(unpacked + block.size() >= std::uint64_t{64} << 20U);
    CHECK(unpacked <= std::uint64_t{64} << 20U);
}

TEST_CASE("a value, a gap between values and the text of one piece have 16 MiB each") {
    const TempFolder folder;
    const std::string blanks(std::size_t{17} << 20U, ' ');
    CHECK_THAT(refusal(folder.write("gap.json", "{\"list\": [1," + blanks + "2]}")).what(),
               ContainsSubstring("a gap between two is too long"));
    CHECK_THAT(refusal(folder.write("word.json", "{\"list\": [\"" + blanks + "\"]}")).what(),
               ContainsSubstring("one value or a gap"));
    std::string many = "{\"list\": [[0";
    for (int i = 0; i < 17; ++i) { many += ",\"" + std::string(1 << 20, 'x') + "\""; }
    CHECK_THAT(refusal(folder.write("piece.json", many + "]]}")).what(),
               ContainsSubstring("holds more than 16777216 bytes of text"));
    // As many bytes in pieces of their own are no trouble.
    std::string pieces = "{\"list\": [0";
    for (int i = 0; i < 17; ++i) { pieces += ",\"" + std::string(1 << 20, 'x') + "\""; }
    CHECK(stream(folder.write("pieces.json", pieces + "]}"), {{"list"}, {}}).texts.size() == 18);
}
