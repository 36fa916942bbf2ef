#pragma once
// Common part of every tool's main(): reads the options, runs, and turns errors into messages and exit codes.

#include <cstdio>
#include <exception>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast {

// Whether `--help` was given; if so, prints the usage.
inline bool helped(const char* usage, int argc, char** argv) {
    for (const char* argument : std::span(argv, static_cast<std::size_t>(argc))) {
        if (std::string_view(argument) == "--help") {
            std::fputs(usage, stdout);
            return true;
        }
    }
    return false;
}

// The values of each option that was given, by name; a flag has none.
struct Options {
    std::map<std::string, std::vector<std::string>, std::less<>> given;

    bool has(std::string_view name) const { return given.contains(name); }
    std::string value(std::string_view name, std::string_view otherwise = "") const {
        return has(name) ? given.find(name)->second.back() : std::string(otherwise);
    }
    std::vector<std::string> values(std::string_view name) const {
        return has(name) ? given.find(name)->second : std::vector<std::string>{};
    }
};

// The options that the usage names: "[--docs DIR]" takes a value, "[--loso]" is a flag; the value of "FILE" is a word
// of its own. Returns false for any other word, and if FILE or an option's value is missing.
inline bool read_options(std::string_view usage, int argc, char** argv, Options& options) {
    const bool takes_file = usage.find(" FILE\n") != std::string_view::npos;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (takes_file && !options.has("FILE") && !name.starts_with("-")) {
            options.given["FILE"] = {name};
            continue;
        }
        const bool flag = usage.find("[" + name + "]") != std::string_view::npos;
        const bool valued = usage.find("[" + name + " ") != std::string_view::npos;
        if (!name.starts_with("--") || !(flag || (valued && i + 1 < argc))) { return false; }
        std::vector<std::string>& values = options.given[name];
        if (valued) { values.emplace_back(argv[++i]); }
    }
    return options.has("FILE") == takes_file;
}

// run(options) writes and prints what the tool is for. An error ends it with the exit code of the error.
template <class Run> int run_tool(const char* name, const char* usage, int argc, char** argv, const Run& run) {
    if (helped(usage, argc, argv)) { return 0; }
    try {
        Options options;
        if (!read_options(usage, argc, argv, options)) {
            std::fputs(usage, stderr);
            return 2;
        }
        run(options);
        return 0;
    } catch (const std::exception& error) { return static_cast<int>(report_error(name, error)); }
}

}  // namespace fabricast
