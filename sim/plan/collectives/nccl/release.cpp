#include "sim/plan/collectives/nccl/release.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

constexpr std::array<std::string_view, 4> generation_keys{"volta", "ampere", "hopper", "blackwell"};

struct Flag {
    std::string_view name;
    bool Flags::*field;
};
constexpr std::array all_flags{Flag{"doubles_few_channels", &Flags::doubles_few_channels},
                               Flag{"raises_channels_to_nvls", &Flags::raises_channels_to_nvls},
                               Flag{"raises_rings_to_nvls", &Flags::raises_rings_to_nvls},
                               Flag{"shortens_simple_tree_chunks", &Flags::shortens_simple_tree_chunks},
                               Flag{"nvls_gathers", &Flags::nvls_gathers},
                               Flag{"collnet_direct_gathers", &Flags::collnet_direct_gathers},
                               Flag{"nvls_gathers_leave_out_own", &Flags::nvls_gathers_leave_out_own},
                               Flag{"corrects_nvls_tree", &Flags::corrects_nvls_tree},
                               Flag{"nvls_channels_add_to_start", &Flags::nvls_channels_add_to_start},
                               Flag{"tunes_nvls_tree", &Flags::tunes_nvls_tree},
                               Flag{"scales_p2p_channels", &Flags::scales_p2p_channels},
                               Flag{"splits_p2p_everywhere", &Flags::splits_p2p_everywhere},
                               Flag{"raises_p2p_ll", &Flags::raises_p2p_ll},
                               Flag{"rings_alike_on_amd", &Flags::rings_alike_on_amd},
                               Flag{"two_rings_of_two_bridges", &Flags::two_rings_of_two_bridges},
                               Flag{"forwards_to_rails", &Flags::forwards_to_rails},
                               Flag{"ll128_over_c2c", &Flags::ll128_over_c2c},
                               Flag{"windows", &Flags::windows},
                               Flag{"copy_engines", &Flags::copy_engines},
                               Flag{"copies_large_gathers", &Flags::copies_large_gathers},
                               Flag{"copies_between_nodes", &Flags::copies_between_nodes},
                               Flag{"registers_windows", &Flags::registers_windows},
                               Flag{"shares_registered_channels", &Flags::shares_registered_channels},
                               Flag{"gathers_whole_shares", &Flags::gathers_whole_shares}};

// Throws PlanError if the part has a flag that is none.
Flags read_flags(const Part& part) {
    constexpr std::string_view prefix = "flag.";
    Flags flags;
    for (const auto& [path, figure] : part.figures) {
        if (!path.starts_with(prefix)) { continue; }
        const auto found = std::ranges::find(all_flags, std::string_view(path).substr(prefix.size()), &Flag::name);
        if (found == all_flags.end()) {
            throw PlanError(fmt::format("{} has {}, which is not a flag of NCCL releases (they are {})", part.name,
                                        path, fmt::join(names_of(all_flags, &Flag::name), ", ")));
        }
        flags.*found->field = part.number(path) != 0;
    }
    return flags;
}

}  // namespace

Generation generation(int compute_capability) {
    return compute_capability >= 100  ? Generation::blackwell
           : compute_capability >= 90 ? Generation::hopper
           : compute_capability >= 80 ? Generation::ampere
                                      : Generation::volta;
}

bool Release::has(std::string_view algorithm) const { return has_word(entry->word("algorithms"), algorithm); }

double Release::item(std::string_view figure, std::size_t i) const {
    if (!entry->has(figure)) { return 0; }
    const std::vector<double>& list = entry->list(figure);
    return i < list.size() ? list[i] : 0;
}

double Release::item_of(std::string_view figure, Generation generation, std::size_t i) const {
    for (auto g = static_cast<std::size_t>(generation);; --g) {
        const std::string path = fmt::format("{}.{}", figure, generation_keys[g]);
        if (g == 0 || entry->has(path)) { return item(path, i); }
    }
}

double Release::number_of(std::string_view figure, Proto proto) const {
    return number(fmt::format("{}.{}", figure, figure_prefix(proto)));
}

Release release(const Catalog& catalog, const Version& version, std::string_view library) {
    const Part* best = nullptr;
    Version best_version;
    for (const Part* part : catalog.of_kind("library")) {
        if (!part->name.starts_with(fmt::format("{}-", library))) { continue; }
        const Version found = parse_version(part->word("version"));
        const bool better = best == nullptr || (found <= version ? best_version > version || found > best_version
                                                                 : best_version > version && found < best_version);
        if (better) {
            best = part;
            best_version = found;
        }
    }
    if (best == nullptr) {
        throw PlanError(fmt::format("the catalogue holds no release of {0} (parts named {0}-<version>)", library));
    }
    return {.entry = best, .version = best_version, .flags = read_flags(*best)};
}

std::string library_of(const Catalog& catalog, std::string_view gpu) {
    const Part* part = catalog.find(gpu);
    return part == nullptr ? "nccl" : part->word_or("collectives", "nccl");
}

std::string library_name(std::string_view library) {
    std::string name(library.substr(0, library.find('-')));
    for (char& c : name) { c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
    return name;
}

}  // namespace fabricast::inline collectives::nccl
