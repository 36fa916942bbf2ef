#include "cli/outputs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "cli/progress.hpp"
#include "sim/plan/traces/import.hpp"
#include "sim/report/html/page_html.hpp"

namespace fabricast::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* standard_output = "-";

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error) && !error) { return true; }
    const fs::path left = fs::weakly_canonical(fs::absolute(a), error);
    return !error && left == fs::weakly_canonical(fs::absolute(b), error);
}

// Whether it is a device or a pipe; /dev/null, for example, accepts any number of results.
bool special(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// The files that are read through options, of any command.
std::vector<std::string> files_read(const po::variables_map& values) {
    std::vector<std::string> files;
    for (const char* option :
         {"scenario", "scenarios", "measured", "measurements", "log", "file", "cluster", "calibration"}) {
        if (!values.contains(option)) { continue; }
        if (const auto* one = boost::any_cast<std::string>(&values[option].value())) {
            files.push_back(*one);
        } else {
            const std::vector<std::string> several = texts_of(values, option);
            files.insert(files.end(), several.begin(), several.end());
        }
    }
    std::error_code error;
    for (fs::directory_iterator it(text_of(values, "catalog"), error), end; !error && it != end; it.increment(error)) {
        files.push_back(it->path().string());
    }
    return files;
}

}  // namespace

Outputs::Outputs(const po::variables_map& values, const std::vector<std::string>& options)
    : values_(values), inputs_(files_read(values)) {
    for (const std::string& option : options) {
        if (values.contains(option)) { add(text_of(values, option.c_str())); }
    }
    if (values.contains("html")) { html::require_charts(); }
}

void Outputs::refuse_inputs(const std::string& file) const {
    const auto same = [&](const std::string& read) { return same_file(file, read); };
    if (file != standard_output && !special(file) && std::ranges::any_of(inputs_, same)) {
        throw UsageError(shown(file) + " would be written over what is read from it (accepted: another file)");
    }
}

void Outputs::keep(const Scenario& scenario) {
    std::set<std::string> read{scenario.file};
    for (const auto& [key, place] : scenario.places) {
        if (place.file) { read.insert(*place.file); }
    }
    read.insert(scenario.calibration.begin(), scenario.calibration.end());
    if (const auto* trace = std::get_if<TraceWorkload>(&scenario.workload)) {
        try {
            for (const fs::path& file : trace_files(trace->file)) { read.insert(file.string()); }
        } catch (const InputError&) {  // the run reports it, with its location
        }
    }
    inputs_.insert(inputs_.end(), read.begin(), read.end());
    for (const std::string& file : files_) { refuse_inputs(file); }
}

void Outputs::add(const fs::path& path) {
    const std::string file = path.string();
    const auto same = [&](const std::string& other) {
        return file == other || (file != standard_output && other != standard_output && same_file(file, other));
    };
    if (std::ranges::any_of(files_, same) && !special(path)) {
        throw UsageError("two results would be written to " + shown(file) + " (accepted: a file for each)");
    }
    if (file != standard_output) {
        std::error_code error;
        if (file.empty() || fs::is_directory(path, error)) {
            throw IoError(shown(file) + ": cannot be written (" + (file.empty() ? "no name" : "it is a folder") + ")");
        }
        if (path.has_parent_path() && !fs::is_directory(path.parent_path(), error)) {
            throw IoError(file + ": cannot be written (no such folder)");
        }
        refuse_inputs(file);
    }
    if (file != standard_output && !special(path)) { outlive_reader(); }
    files_.push_back(file);
}

void Outputs::write(const char* option, const std::function<std::string()>& text) const {
    if (values_.contains(option)) { write_output(text_of(values_, option), text()); }
}

void Outputs::write_json(const std::function<Json()>& json) const {
    write("json", [&] { return json().dump(2) + "\n"; });
}

void Outputs::write_page(const std::function<html::Page()>& page) const {
    write("html", [&] { return html::page_html(page()); });
}

void Outputs::write_table(const std::function<Records()>& records) const {
    write("csv", [&] { return csv_text(records()); });
    write("tsv", [&] { return tsv_text(records()); });
}

bool Outputs::to_standard_output() const { return std::ranges::count(files_, standard_output) > 0; }

std::ostream& Outputs::words() const { return to_standard_output() ? std::cerr : std::cout; }

std::size_t Outputs::width() const { return terminal_width(to_standard_output() ? STDERR_FILENO : STDOUT_FILENO); }

void write_output(const std::string& file, std::string_view text) {
    if (file != standard_output) {
        write_atomically(file, text);
        return;
    }
    std::cout.flush();
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written && !reader_gone()) { throw IoError("standard output: cannot be written"); }
}

}  // namespace fabricast::cli
