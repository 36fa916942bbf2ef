// fabricast import KIND FILE -o OUT: converts a file that another program wrote to one of our formats.

#include "sim/plan/traces/import.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/traces/recording_yaml.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::cli {

namespace {

// One file made from an input: its text, and a label to tell it from others of that input ("" if there is one).
struct Written {
    std::string label;
    std::string text;
    std::string note;  // printed on the terminal
};

// A kind of file that can be imported.
struct ImportKind {
    std::string name;
    std::string summary;
};

std::string note_of(const Measurement& m) {
    return fmt::format("{}: {} rows{}", m.id, m.rows.size(), m.notes.empty() ? "" : " (" + m.notes + ")");
}

std::vector<Written> read_log(const std::filesystem::path& file, std::string_view format, const Statements& said) {
    std::vector<Written> written;
    const std::vector<Measurement> tables = import_log(read_log_text(file), file.string(), format, said);
    written.reserve(tables.size());
    for (const Measurement& m : tables) { written.push_back({tables.size() > 1 ? m.id : "", to_yaml(m), note_of(m)}); }
    return written;
}

constexpr std::string_view our_own = "recording";

std::vector<Written> read_trace(const std::filesystem::path& file, const TraceFormat* format) {
    const Recording recording = import_trace({file, format, {}});
    std::size_t records = 0;
    for (const RankRecording& rank : recording.ranks) { records += rank.records.size(); }
    std::string note = fmt::format("{} records of {} ranks", records, recording.ranks.size());
    for (const std::string& missing : recording.notes) { note += "\n# " + missing; }
    try {
        return {{"", recording_yaml(recording), note}};
    } catch (const std::length_error& error) { throw InputError(file.string(), error.what()); }
}

// Logs become measurement files. Traces are converted to our own recording format; a scenario can replay both.
std::vector<ImportKind> kinds() {
    std::vector<ImportKind> list;
    for (const LogFormat& format : log_formats()) {
        list.push_back({std::string(format.name), std::string(format.summary)});
    }
    for (const TraceFormat* format : trace_formats()) {
        if (format->name != our_own) {
            list.push_back({std::string(format->name), "a recorded trace: " + std::string(format->meaning)});
        }
    }
    return list;
}

std::vector<std::string> kind_names() { return names_of(kinds(), &ImportKind::name); }

// Which program wrote the file: a benchmark, by any line of its log, or else a tracer, by the file's start and name.
std::string kind_of_file(const std::filesystem::path& path) {
    InputFile file(path);
    const std::string start = read_start(file, yaml::max_file_bytes);
    for (const LogFormat& format : log_formats()) {
        if (format.fits(start)) { return std::string(format.name); }
    }
    const TraceFormat* const trace = format_of_start(start, path);
    if (trace == nullptr || trace->name == our_own) {
        throw InputError(path.string(), error_message("no known program wrote this",
                                                      start.empty() ? "an empty file" : "", joined(kind_names())));
    }
    return std::string(trace->name);
}

std::vector<Written> read_as(const std::string& asked, const std::filesystem::path& file, const Statements& said) {
    const std::string name = asked == "auto" ? kind_of_file(file) : asked;
    for (const LogFormat& format : log_formats()) {
        if (format.name == name) { return read_log(file, name, said); }
    }
    for (const TraceFormat* format : trace_formats()) {
        if (format->name == name && name != our_own) { return read_trace(file, format); }
    }
    throw UsageError(error_message("no such kind to import", shown(name), "auto, " + joined(kind_names()),
                                   nearest_word(name, kind_names())));
}

// "out.yaml" and "run-all-reduce" -> "out-all-reduce.yaml": the prefix that all labels of the input share is left out.
std::filesystem::path output_for(const std::filesystem::path& out, const std::string& label,
                                 const std::string& common) {
    if (label.empty()) { return out; }
    const std::string tail = label.starts_with(common) ? label.substr(common.size()) : "-" + label;
    return out.parent_path() / (out.stem().string() + tail + out.extension().string());
}

// Where a collective's name that stretches over `end` begins in the label: "log-all" of "log-all-reduce" ends inside
// one.
std::size_t before_collective(const std::string& label, std::size_t end) {
    for (std::string name : names_up_to(Collective::scatter)) {
        std::ranges::replace(name, '_', '-');
        const std::size_t at = label.rfind("-" + name, end);
        if (at != std::string::npos && at < end && end < at + 1 + name.size()) { return at; }
    }
    return end;
}

// The words that all labels share at their start, without a part of a collective's name.
std::string common_start(const std::vector<Written>& written) {
    std::string common = written.front().label;
    for (const Written& one : written) {
        while (!one.label.starts_with(common)) { common.pop_back(); }
    }
    const std::size_t dash = common.rfind('-');
    std::size_t end = dash == std::string::npos ? 0 : dash;
    for (const Written& one : written) { end = std::min(end, before_collective(one.label, end)); }
    return common.substr(0, end);
}

ExitCode import_file(const po::variables_map& values) {
    if (values.contains("list")) {
        for (const ImportKind& kind : kinds()) { std::cout << padded(kind.name, 24) << kind.summary << "\n"; }
        return ok;
    }
    if (!values.contains("kind") || !values.contains("file") || !values.contains("output")) {
        throw MissingArgument("what to import, from where, and to where?");
    }
    const std::filesystem::path file = text_of(values, "file");
    const std::filesystem::path out = text_of(values, "output");
    Outputs outputs(values, {"output"});
    const std::vector<Written> written = read_as(text_of(values, "kind"), file, statements_of(values));
    if (written.size() > 1 && out == "-") {
        throw UsageError("the log holds {} tables, and standard output takes one (accepted: -o FILE)", written.size());
    }
    const std::string common = common_start(written);
    std::vector<std::filesystem::path> paths;
    for (const Written& one : written) {
        paths.push_back(output_for(out, one.label, common));
        if (!one.label.empty()) { outputs.add(paths.back()); }
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
        write_output(paths[i].string(), written[i].text);
        outputs.words() << paths[i].string() << ": " << written[i].note << "\n";
    }
    return ok;
}

}  // namespace

const Command import_command = {
    "import",
    "a benchmark's log as a measurement file",
    "KIND FILE -o OUT [OPTION...]",
    {
        {"kind", text_value("KIND"), "auto, or what wrote the file"},
        {"file", text_value("FILE"), "what to read"},
        {"output", text_value("OUT"), "what to write; several tables become OUT with a label each", "o"},
        {"set", texts_value("KEY=VALUE"), "say what the file does not: system.network=\"InfiniBand NDR\"; repeatable"},
        {"list", {}, "list the kinds"},
    },
    {{{"kind", 1}, {"file", 1}}},
    import_file};

}  // namespace fabricast::cli
