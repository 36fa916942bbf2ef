#include "topologies/pcie_words.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/pattern.hpp"
#include "base/text.hpp"

namespace fabricast::inline topologies {

namespace {

std::int64_t number_of(std::string_view word) {
    static constexpr std::array<std::string_view, 9> words = {"no",   "a",   "two",   "three", "four",
                                                              "five", "six", "seven", "eight"};
    const std::string lower = lower_case(word);
    const auto known = std::ranges::find(words, lower == "one" || lower == "an" ? "a" : std::string_view(lower));
    return known != words.end() ? known - words.begin() : count_in_word(word).value_or(0);
}

}  // namespace

PcieWords read_pcie_words(const yaml::Node& at) {
    static const Pattern root_ports(R"(^\s*GPUs on root ports\s*$)");
    static const Pattern switches(R"(^\s*(\w+) GPUs?( and (\w+) NICs?)? (a|an|each|per) switch\s*$)");
    const std::string& words = at.as_string();
    if (root_ports.found_in(words)) { return {}; }
    const std::optional<Pattern::Groups> match = switches.first_in(words);
    const PcieWords read = !match ? PcieWords{}
                                  : PcieWords{.gpus_a_switch = number_of(*(*match)[1]),
                                              .nics_a_switch = (*match)[3] ? number_of(*(*match)[3]) : 0};
    if (read.gpus_a_switch < 1) {
        at.fail("describes no PCIe tree", "GPUs on root ports, two GPUs and a NIC a switch, 4 GPUs a switch");
    }
    return read;
}

}  // namespace fabricast::inline topologies
