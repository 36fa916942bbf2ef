#pragma once
// One measured value beside its forecasts. Collectives, transfers and training tables supply such rows; every figure,
// page and chart of accuracy is computed from them.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace fabricast::inline score {

// The three regimes in which accuracy is reported: dominated by latency, by the choice of protocol, by bandwidth.

enum class Regime : std::uint8_t { small, mid, large };  // < 64 KiB, < 16 MiB, the rest
inline constexpr std::array<Regime, 3> all_regimes = {Regime::small, Regime::mid, Regime::large};

constexpr std::size_t index_of(Regime regime) { return static_cast<std::size_t>(regime); }

constexpr Regime regime_of(Bytes size) {
    return size.count < 65536 ? Regime::small : size.count < 16777216 ? Regime::mid : Regime::large;
}

constexpr std::string_view to_string(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"small", "mid", "large"};
    return words[index_of(regime)];
}

// The sizes of a regime, for people.
constexpr std::string_view sizes_of(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"below 64 KiB", "64 KiB to 16 MiB", "16 MiB and up"};
    return words[index_of(regime)];
}

// The end of the names of the catalogue's interval figures: "measured-here.middle".
constexpr std::string_view figure_suffix(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"small", "middle", "large"};
    return words[index_of(regime)];
}

// Which forecast is compared with the measurement.
enum class Forecast : std::uint8_t {
    ours,
    left_out,       // from a fit without the row's site
    publisher_out,  // from a fit without any site of its publisher
    gpu_out,        // from a fit without any site that has its GPU: of that only the datasheet is left
    // Null models of collectives; `fitted`: their constants come from the rows of other publishers.
    null_alphabeta,
    null_tuning,
    fitted_alphabeta,
    fitted_tuning,
    // The null model of training: one MFU for each kind of GPU; `out`: the MFU comes from the rows of other publishers.
    null_mfu,
    null_mfu_out,
};
inline constexpr std::size_t forecast_count = static_cast<std::size_t>(Forecast::null_mfu_out) + 1;

// Two sites are siblings in a fit if these three words are equal. Curves with different mechanisms have different
// words: PCIe cards with peer-to-peer access or staged, or a network under two generations of NCCL's plugin.
struct SystemGroup {
    std::string generation;  // "hopper"
    std::string nccl_era;  // "<2.18" or ">=2.18": NCCL's latencies and kernels changed there (nccl-mechanisms.md §3.4)
    std::string fabric;    // inside the node for one node, else between nodes: "nvswitch", "pcie-host",
                           // "infiniband-ndr", "infiniband-hdr-host-staged", "slingshot-11-ofi-1.6"
    auto operator<=>(const SystemGroup&) const = default;
    std::string words() const { return generation + " " + nccl_era + " " + fabric; }
};

// counted: in every figure. excluded: only in figures over everything, because the system is known to be degraded or
// the table says something else. unusable: in no figure (a warm-up, a value that is not forecast).
enum class RowUse : std::uint8_t { counted, excluded, unusable };

struct ComparedRow {
    std::string table;      // the dataset, file or published table with this row
    std::string label;      // of the row, if its size does not name it
    std::string site;       // sites have equal weight, however many rows they have
    std::string publisher;  // several sites may have the same; they are left out of a fit together
    std::string part;       // reported apart: "inside" and "between" nodes; "p2p", "rdma", "other"
    SystemGroup group;
    std::uint32_t nodes = 1;
    Bytes size{};
    RowUse use = RowUse::counted;
    std::string why;                                 // why it is not counted; empty: it is
    double measured = 0;                             // seconds
    std::array<double, forecast_count> forecasts{};  // seconds, by Forecast; 0: there is none
    bool sibling = false;            // whether another site of the same group was in the fit without this site
    bool publisher_sibling = false;  // the same for another publisher's site and the fit without this publisher

    double& operator[](Forecast which) { return forecasts[static_cast<std::size_t>(which)]; }
    double operator[](Forecast which) const { return forecasts[static_cast<std::size_t>(which)]; }
    bool counted() const { return use == RowUse::counted; }
    bool compares(Forecast which) const { return measured > 0 && (*this)[which] > 0; }
    double error(Forecast which = Forecast::ours) const { return (*this)[which] / measured - 1; }
    std::string_view used() const { return counted() ? "yes" : std::string_view(why); }
};

}  // namespace fabricast::inline score
