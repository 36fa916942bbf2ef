#include "sim/plan/collectives/nccl/release.hpp"

#include <fmt/ranges.h>

#include <array>
#include <cassert>

#include "base/text.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

constexpr std::array<std::string_view, 4> generation_keys{"volta", "ampere", "hopper", "blackwell"};

// What some releases do and others do not.
constexpr std::string_view all_flags =
    "doubles_few_channels raises_rings_to_nvls shortens_simple_tree_chunks nvls_gathers collnet_direct_gathers "
    "nvls_gathers_leave_out_own corrects_nvls_tree nvls_channels_add_to_start tunes_nvls_tree scales_p2p_channels "
    "splits_p2p_everywhere raises_p2p_ll rings_alike_on_amd two_rings_of_two_bridges forwards_to_rails "
    "ll128_over_c2c windows copy_engines copies_large_gathers copies_between_nodes registers_windows "
    "shares_registered_channels gathers_whole_shares";

// Throws PlanError if the part has a flag that is none.
std::set<std::string_view> flags_of(const Part& part) {
    constexpr std::string_view prefix = "flag.";
    std::set<std::string_view> flags;
    for (const auto& [path, figure] : part.figures) {
        if (!path.starts_with(prefix)) { continue; }
        const std::string_view name = std::string_view(path).substr(prefix.size());
        if (!has_word(all_flags, name)) {
            throw PlanError(fmt::format("{} has {}, which is not a flag of NCCL releases (they are {})", part.name,
                                        path, fmt::join(split(all_flags, ' '), ", ")));
        }
        if (part.number(path) != 0) { flags.insert(name); }
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

bool Release::does(std::string_view flag) const {
    assert(all_flags.find(flag) != std::string_view::npos);
    return flags.contains(flag);
}

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
    return {.entry = best, .version = best_version, .flags = flags_of(*best)};
}

}  // namespace fabricast::inline collectives::nccl
