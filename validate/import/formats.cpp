#include "validate/import/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/gzip.hpp"
#include "base/text.hpp"

namespace fabricast::inline validate_import {

namespace formats {
#define FABRICAST_LOG_FORMAT(name) extern const LogFormat name;
#include "log_formats.inc"
#undef FABRICAST_LOG_FORMAT
}  // namespace formats

namespace {

// Kebab-case for ids: "all_reduce" -> "all-reduce".
std::string kebab(std::string_view words) {
    std::string id;
    for (const char c : lower_case(words)) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.') {
            id += c;
        } else if (!id.empty() && id.back() != '-') {
            id += '-';
        }
    }
    while (id.ends_with('-')) { id.pop_back(); }
    return id;
}

MeasurementSection& section_of(Measurement& m, std::string_view name, const SourceLocation& place) {
    for (const auto& [section, member] :
         {std::pair("system", &Measurement::system), std::pair("software", &Measurement::software),
          std::pair("benchmark", &Measurement::benchmark)}) {
        if (name == section) { return m.*member; }
    }
    refuse(place, "no such section of a measurement", shown(name), "system, software, benchmark");
}

void lay_over(Measurement& m, const Statements& said, const SourceLocation& place) {
    for (const auto& [path, words] : said) {
        const std::size_t dot = path.find('.');
        if (dot == std::string::npos) {
            refuse(place, "a statement names a section and a key", shown(path), "system.network");
        }
        const std::string name = path.substr(0, dot), key = path.substr(dot + 1);
        MeasurementSection& section = section_of(m, name, place);
        const std::vector<std::string> known = keys_of_section(name);
        if (!section.contains(key) && std::ranges::find(known, key) == known.end()) {
            refuse(place, "no such key of a measurement's " + name, shown(key), joined(known),
                   nearest_word(key, known));
        }
        section[key] = {words, place};
    }
}

// Descriptions of a GPU, a network or an environment are a few words long; anything longer than this describes nothing.
constexpr std::size_t longest_words = 16384;

void refuse_long_words(const Measurement& m) {
    for (const MeasurementSection* section : {&m.source, &m.system, &m.software, &m.benchmark}) {
        for (const auto& [key, said] : *section) {
            if (said.text.size() > longest_words) {
                refuse(said.place, "too long for what it says: " + shown(key),
                       fmt::format("{} bytes", said.text.size()), fmt::format("at most {}", longest_words));
            }
        }
    }
}

// Tables with the same label ("all_reduce" of two runs) get a number.
void name_all(std::vector<Measurement>& tables, const std::string& stem) {
    std::map<std::string, int> seen;
    const bool several = tables.size() > 1;
    for (Measurement& m : tables) {
        const int n = ++seen[m.id];
        m.id = several ? stem + "-" + kebab(m.id) + (n > 1 ? "-" + std::to_string(n) : "") : stem;
    }
}

}  // namespace

const std::vector<LogFormat>& log_formats() {
    static const std::vector<LogFormat> formats = {
#define FABRICAST_LOG_FORMAT(name) formats::name,
#include "log_formats.inc"
#undef FABRICAST_LOG_FORMAT
    };
    return formats;
}

const LogFormat& log_format(std::string_view name, const LogText& log, const std::vector<LogFormat>& formats) {
    std::vector<std::string> names;
    for (const LogFormat& format : formats) {
        if (format.name == name || (name == "auto" && format.fits(log.text()))) { return format; }
        names.emplace_back(format.name);
    }
    if (name == "auto") {
        refuse(log.start(), "no known benchmark wrote this", log.text().empty() ? "an empty file" : "",
               "a log of " + joined(names));
    }
    refuse(log.start(), "no such format", shown(name), joined(names), nearest_word(name, names));
}

std::vector<Measurement> import_log(std::string text, const std::string& file, std::string_view format,
                                    const Statements& said, const std::vector<LogFormat>& formats) {
    const LogText log(std::move(text), file);
    const LogFormat& chosen = log_format(format, log, formats);
    std::vector<Measurement> tables = chosen.read(log, said);
    if (tables.empty()) {
        log.refuse_prefix();
        refuse(log.end(), "the log holds no result", "nothing but its header",
               fmt::format("a whole table of {}", chosen.name));
    }
    const std::filesystem::path path(file);
    const std::string stem = kebab(path.stem().string());
    name_all(tables, stem.empty() ? "log" : stem);
    for (Measurement& m : tables) {
        m.file = file;
        m.place = log.start();
        m.source["path"] = {path.filename().string(), log.start()};
        lay_over(m, said, log.start());
        refuse_long_words(m);
    }
    return tables;
}

std::string read_log_text(const std::filesystem::path& path) {
    InputFile file(path);
    std::string text = read_rest(file, yaml::max_file_bytes);
    if (file.next_member()) {
        throw InputError({std::make_shared<const std::string>(path.string())},
                         "an archive of several files (accepted: one log)");
    }
    return text;
}

std::vector<Measurement> read_measurements(const std::string& path, const Statements& said) {
    std::string text = read_log_text(path);
    const bool log = std::ranges::any_of(log_formats(), [&](const LogFormat& f) { return f.fits(text); });
    const bool measurement = holds(text, "\ncolumns:") || text.starts_with("columns:");
    if (log && !measurement) { return import_log(std::move(text), path, "auto", said); }
    Measurement one = parse_measurement(text, path);
    lay_over(one, said, one.place);
    refuse_long_words(one);
    return has_series(one) ? split_series(one) : split_counts(one);
}

}  // namespace fabricast::inline validate_import
