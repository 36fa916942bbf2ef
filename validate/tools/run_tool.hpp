#pragma once
// Common part of every tool's main(): parse, run, and turn errors into messages and exit codes.

#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

#include "base/input_error.hpp"

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

// parse(argc, argv, arguments) returns false if the usage is to be printed; run(arguments) returns the exit code. The
// exit code is 2 for mistakes of the user, 1 for other errors.
template <class Arguments, class Parse, class Run>
int run_tool(const char* name, const char* usage, int argc, char** argv, const Parse& parse, const Run& run) {
    if (helped(usage, argc, argv)) {
        return 0;
    }
    try {
        Arguments arguments;
        if (!parse(argc, argv, arguments)) {
            std::fputs(usage, stderr);
            return 2;
        }
        return run(arguments);
    } catch (const InputError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        return 1;
    }
}

}  // namespace fabricast
