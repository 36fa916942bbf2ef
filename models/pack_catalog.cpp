// A build step: pack_catalog OUTPUT.cpp FILE.yaml... reads the catalogue as the program would and writes it as C++
// tables. A mistake in a part fails the build with an error at its line.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
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
        if (c == '"' || c == '\\') {
            quoted += '\\';
        }
        quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return quoted + '"';
}

// A hexadecimal literal, which every compiler reads back exactly.
std::string literal(double value) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%a", value);
    return digits;
}

// One table as C++ text, row by row.
struct Table {
    std::ostringstream rows;
    std::uint32_t count = 0;

    void add(const std::string& row) {
        rows << "    " << row << ",\n";
        ++count;
    }
};

std::string range(std::uint32_t first, std::uint32_t end) {
    return "{" + std::to_string(first) + ", " + std::to_string(end - first) + "}";
}

std::string pack(const Catalog& catalog) {
    Table parts, words, figures, values, sources;
    for (const auto& [name, part] : catalog.parts) {
        const std::uint32_t first_word = words.count;
        for (const auto& [key, text] : part.text) {
            words.add("{" + literal(key) + ", " + literal(text) + "}");
        }
        const std::uint32_t first_figure = figures.count;
        for (const auto& [path, figure] : part.figures) {
            const std::uint32_t first_value = values.count;
            for (const double value : figure.value) {
                values.add(literal(value));
            }
            const std::uint32_t first_source = sources.count;
            for (const std::string& source : figure.source) {
                sources.add(literal(source));
            }
            figures.add("{" + literal(path) + ", " + literal(figure.unit) + ", " + literal(figure.low80) + ", " +
                        literal(figure.high80) + ", " + std::to_string(static_cast<int>(figure.origin)) + ", " +
                        range(first_value, values.count) + ", " + range(first_source, sources.count) + "}");
        }
        parts.add("{" + literal(name) + ", " + literal(part.kind) + ", " + literal(part.note) + ", " +
                  range(first_word, words.count) + ", " + range(first_figure, figures.count) + "}");
    }
    std::ostringstream out;
    out << "// Made by pack_catalog from models/catalog/*.yaml, which are the source.\n"
        << "#include \"models/packed_catalog.hpp\"\n\nnamespace fabricast::packed {\n\nnamespace {\n\n";
    const auto write = [&](std::string_view type, std::string_view name, const Table& table) {
        out << "constexpr " << type << ' ' << name << "[] = {\n" << table.rows.str() << "};\n\n";
    };
    write("std::string_view", "sources", sources);
    write("double", "values", values);
    write("Word", "words", words);
    write("Figure", "figures", figures);
    write("Part", "parts", parts);
    out << "}  // namespace\n\nTables catalog() { return {parts, words, figures, values, sources}; }\n\n"
        << "}  // namespace fabricast::packed\n";
    return out.str();
}

void run(const std::filesystem::path& output, std::vector<std::string> files) {
    std::sort(files.begin(), files.end());
    std::vector<std::string> contents;
    contents.reserve(files.size());
    for (const std::string& file : files) {
        contents.push_back(read_text(file, yaml::max_file_bytes));
    }
    std::vector<CatalogText> texts;
    texts.reserve(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
        texts.push_back({files[i], contents[i]});
    }
    Catalog catalog;
    add_parts(catalog, texts);
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
