#pragma once
// What the main() of every tool does: parse, run, and turn errors into messages and exit codes.

#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

#include "base/input_error.hpp"

namespace fabricast {

// Whether `--help` was asked for; the usage is printed then.
inline bool helped(const char* usage, int argc, char** argv) {
    for (const char* argument : std::span(argv, static_cast<std::size_t>(argc))) {
        if (std::string_view(argument) == "--help") {
            std::fputs(usage, stdout);
            return true;
        }
    }
    return false;
}

// parse(argc, argv, arguments) -> false where the usage is to be printed; run(arguments) -> the exit code. 2 for what
// the user got wrong, 1 for the rest.
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
