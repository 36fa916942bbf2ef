#pragma once
// One NCCL release: its part `nccl-<version>` of the catalogue. models/catalog/nccl.yaml explains each figure. In
// seconds, bytes and bytes per second.

#include <cstddef>
#include <string>
#include <string_view>

#include "models/catalog.hpp"
#include "sim/plan/collectives/nccl/names.hpp"

namespace fabricast::inline collectives::nccl {

enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };
Generation generation(int compute_capability);

// What some releases do and others do not: the figures flag.NAME.
struct Flags {
    bool doubles_few_channels = false;
    bool raises_channels_to_nvls = false, raises_rings_to_nvls = false;
    bool shortens_simple_tree_chunks = false;
    bool nvls_gathers = false, collnet_direct_gathers = false;
    bool nvls_gathers_leave_out_own = false;
    bool corrects_nvls_tree = false;
    bool nvls_channels_add_to_start = false;
    bool tunes_nvls_tree = false;
    bool scales_p2p_channels = false, splits_p2p_everywhere = false, raises_p2p_ll = false;
    bool rings_alike_on_amd = false, two_rings_of_two_bridges = false;
    bool forwards_to_rails = false, ll128_over_c2c = false;
    bool windows = false, copy_engines = false, copies_large_gathers = false, copies_between_nodes = false;
    bool registers_windows = false, shares_registered_channels = false, gathers_whole_shares = false;
};

struct Release {
    const Part* entry = nullptr;  // in the catalogue, which must outlive this
    Version version;              // of that part
    Flags flags;

    bool has(std::string_view algorithm) const;  // by its key
    bool is(std::string_view what, std::string_view word) const { return entry->word_or(what, "") == word; }

    // Figures of the part. `number` throws CatalogError if it is missing; the others then give 0 or nothing.
    double number(std::string_view figure) const { return entry->number(figure); }
    double number_or_0(std::string_view figure) const { return entry->number_or(figure, 0); }
    double item(std::string_view figure, std::size_t i) const;  // of a list
    // The value for a GPU's generation: a release older than a GPU treats it as the newest that it knows.
    double item_of(std::string_view figure, Generation generation, std::size_t i) const;
    double number_of(std::string_view figure, Proto proto) const;  // FIGURE.PROTO
    int slots() const { return static_cast<int>(number("buffer.steps")); }
};

// The newest release that is not newer than `version`, or the oldest one, of NCCL or of a library that was made of
// it, by the name of its parts. Throws PlanError if the catalogue has none, or if the release has a flag that is none.
Release release(const Catalog& catalog, const Version& version, std::string_view library = "nccl");

// The library of a GPU's collectives, by the name of its parts in the catalogue.
std::string library_of(const Catalog& catalog, std::string_view gpu);
// What people call it: "NCCL", "RCCL".
std::string library_name(std::string_view library);

}  // namespace fabricast::inline collectives::nccl
