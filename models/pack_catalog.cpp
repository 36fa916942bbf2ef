// A build step: pack_catalog OUTPUT.cpp FILE.yaml... reads the catalogue as the program would and writes it as C++
// tables. A mistake in a part fails the build with an error at its line.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "models/catalog_reader.hpp"
#include "models/packed_catalog.hpp"

namespace {

using namespace fabricast;

std::string literal(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') { quoted += '\\'; }
        quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return quoted + "\"sv";  // with its length: Clang counts the steps of a constant expression
}

// One table as C++ text, row by row.
struct Table {
    std::string_view name;
    std::string rows{};
    std::size_t count = 0;

    void add(const std::string& row) {
        rows += "    " + row + ",\n";
        ++count;
    }
    // The last `size` rows, as an std::span.
    std::string last(std::size_t size) const { return fmt::format("{{{} + {}, {}}}", name, count - size, size); }
};

std::string pack(const Catalog& catalog) {
    Table parts{"parts"}, words{"words"}, figures{"figures"}, values{"values"}, sources{"sources"};
    for (const auto& [name, part] : catalog.parts) {
        for (const auto& [key, text] : part.text) { words.add(fmt::format("{{{}, {}}}", literal(key), literal(text))); }
        for (const auto& [path, figure] : part.figures) {
            for (const double value : figure.value) {
                values.add(fmt::format("{:a}", value));  // hexadecimal: every compiler reads it back exactly
            }
            for (const std::string& source : figure.source) { sources.add(literal(source)); }
            figures.add(fmt::format("{{{}, {}, {:a}, {:a}, {}, {}, {}}}", literal(path), literal(figure.unit),
                                    figure.low80, figure.high80, static_cast<int>(figure.origin),
                                    values.last(figure.value.size()), sources.last(figure.source.size())));
        }
        parts.add(fmt::format("{{{}, {}, {}, {}, {}}}", literal(name), literal(part.kind), literal(part.note),
                              words.last(part.text.size()), figures.last(part.figures.size())));
    }
    std::string out =
        "// Made by pack_catalog from models/catalog/*.yaml, which are the source.\n"
        "#include \"models/packed_catalog.hpp\"\n\nnamespace fabricast::inline models::packed {\n\n"
        "using namespace std::string_view_literals;\n\nnamespace {\n\n";
    const auto write = [&](std::string_view type, const Table& table) {
        out += fmt::format("constexpr {} {}[] = {{\n{}}};\n\n", type, table.name, table.rows);
    };
    write("std::string_view", sources);
    write("double", values);
    write("Word", words);
    write("Figure", figures);
    write("Part", parts);
    return out +
           "}  // namespace\n\nstd::span<const Part> catalog() { return parts; }\n\n"
           "}  // namespace fabricast::inline models::packed\n";
}

void run(const std::filesystem::path& output, std::vector<std::string> files) {
    std::sort(files.begin(), files.end());
    std::vector<yaml::Node> trees;
    for (const std::string& file : files) { trees.push_back(yaml::read(file)); }
    Catalog catalog;
    add_parts(catalog, trees);
    write_atomically(output, pack(catalog));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 3) {
            std::fputs("use: pack_catalog OUTPUT.cpp FILE.yaml...\n", stderr);
            return 2;
        }
        run(argv[1], {argv + 2, argv + argc});
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
