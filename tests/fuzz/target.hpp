#pragma once
// What is fuzzed: each target takes any bytes, and either does its work or refuses them as a user would be refused.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::fuzz {

struct Target {
    std::string name;  // also that of its folder in corpus/
    std::function<void(std::string_view bytes)> take;
    // Inputs that the tree has anyway: files below its root, as a shell's pattern. Empty: none.
    std::string seeds = {};
};

// All of them. Every format of logs, traces and site files is one, by the program's own tables of formats.
const std::vector<Target>& targets();

// Random valid scenarios, made of the bytes as of a sequence of choices, and what must hold of their answers.
void run_random_scenario(std::string_view bytes);

// Calls the target. What it refuses with a place, a line of text and an exit code for bad input is fine; anything else
// that it throws escapes, which is a finding.
void feed(const Target& target, std::string_view bytes);

// Ends the process as a sanitizer would, so that a fuzzer keeps the input.
void require(bool holds, std::string_view what);

}  // namespace fabricast::fuzz
