#include "sim/plan/collectives/nccl/environment.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "sim/plan/collectives/nccl/rail_kernels.hpp"
#include "sim/plan/collectives/nccl/windows.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::inline collectives::nccl {

namespace {

// One variable as it is set, and what its meaning depends on.
struct Setting {
    const std::string& name;
    const std::string& value;
    Collective collective;
    Algorithms algorithms;
    Version version;  // of NCCL

    long whole(long least) const {
        const std::optional<long> number = number_in<long>(value);
        if (!number || *number < least) {
            throw PlanError(fmt::format("{}={}: expected a whole number, at least {}", name, value, least));
        }
        return *number;
    }
};

// The collectives that may stand before a list, in NCCL's spelling (ncclFuncStr of src/init.cc).
constexpr std::array<std::string_view, 5> prefixes{"broadcast", "reduce", "allgather", "reducescatter", "allreduce"};

// NCCL's spelling "allreduce" of ours, "all_reduce".
std::string spelling(Collective collective) {
    std::string ours(fabricast::to_string(collective));
    std::erase(ours, '_');
    return ours;
}

// Before 2.14 "collnet" meant both CollNet algorithms.
bool means(const std::string& item, std::string_view known) {
    const std::string name = lower_case(known);
    return item == name || (item == "collnet" && name.starts_with(item));
}

// A list of names, and the collective that it is for; empty: all of them.
struct List {
    std::string collective;
    std::string_view items;
};

// NCCL's syntax (parseList of src/graph/tuning.cc): "ring,tree", "^LL128" and, from 2.24 on, lists for some
// collectives, "ring;allreduce:tree,nvls". A release before that takes the ';' and the ':' for letters of a name.
std::vector<List> lists_of(const Setting& setting) {
    if (setting.version < Version{2, 24, 0}) { return {{"", setting.value}}; }
    std::vector<List> lists;
    for (const std::string_view entry : split(setting.value, ';')) {
        const std::size_t colon = entry.find(':');
        if (colon == std::string_view::npos) {
            if (!lists.empty()) {
                throw PlanError(
                    fmt::format("{}={}: only the first list may be without a collective before it (found "
                                "'{}'; accepted: {}, with a colon)",
                                setting.name, setting.value, entry, fmt::join(prefixes, ", ")));
            }
            lists.push_back({"", entry});
            continue;
        }
        lists.push_back({lower_case(entry.substr(0, colon)), entry.substr(colon + 1)});
        if (std::ranges::find(prefixes, lists.back().collective) == prefixes.end()) {
            throw PlanError(fmt::format("{}={}: NCCL takes no list for '{}' (accepted: {})", setting.name,
                                        setting.value, entry.substr(0, colon), fmt::join(prefixes, ", ")));
        }
    }
    return lists;
}

// Which of `known` may be chosen.
std::vector<bool> narrowed(const Setting& setting, const std::vector<std::string>& known) {
    std::vector<bool> allowed(known.size(), true);
    const std::string own = spelling(setting.collective);
    for (const auto& [collective, list] : lists_of(setting)) {
        const bool applies = collective.empty() || collective == own;
        const bool excluding = list.starts_with('^');
        if (applies) { allowed.assign(known.size(), excluding); }
        for (const std::string_view item : split(excluding ? list.substr(1) : list, ',')) {
            bool found = false;
            for (std::size_t i = 0; i < known.size(); ++i) {
                if (means(lower_case(item), known[i])) {
                    found = true;
                    if (applies) { allowed[i] = !excluding; }
                }
            }
            if (!found) {
                throw PlanError(fmt::format("{}={}: NCCL has no '{}' (it has {})", setting.name, setting.value, item,
                                            fmt::join(known, ", ")));
            }
        }
    }
    return allowed;
}

void set_algorithms(Environment& e, const Setting& setting) {
    const std::vector<bool> allowed = narrowed(setting, names_of(setting.algorithms, &AlgorithmModel::name));
    e.allowed.refused.clear();
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        if (!allowed[i]) { e.allowed.refused.insert(setting.algorithms[i]->key); }
    }
}

void set_protocols(Environment& e, const Setting& setting) {
    std::ranges::copy(narrowed(setting, {proto_names.begin(), proto_names.end()}), e.allowed.proto.begin());
    e.allowed.ll128_by_name = e.allowed.proto[index(Proto::ll128)] && !setting.value.starts_with('^');
}

// Path levels by name, or by number as old releases counted (src/graph/paths.cc, ncclGetLevel).
PeerLevel level(const Setting& setting) {
    using enum PeerLevel;
    using Named = std::pair<std::string_view, PeerLevel>;
    constexpr std::array levels{Named{"loc", loc}, Named{"nvl", nvl}, Named{"nvb", nvb}, Named{"c2c", nvb},
                                Named{"pix", pix}, Named{"pxb", pxb}, Named{"p2c", pxb}, Named{"pxn", pxb},
                                Named{"phb", phb}, Named{"sys", sys}};
    constexpr std::array<PeerLevel, 6> by_number{loc, pix, pxb, phb, sys, sys};
    const std::string asked = lower_case(setting.value);
    for (const auto& [name, value] : levels) {
        if (name == asked) { return value; }
    }
    return by_number[static_cast<std::size_t>(std::min(setting.whole(0), 5L))];
}

template <int Environment::*Channels> void set_channels(Environment& e, const Setting& setting) {
    e.*Channels = static_cast<int>(setting.whole(0));
}
void set_most_channels(Environment& e, const Setting& setting) {
    e.max_channels = static_cast<int>(std::max(setting.whole(0), 1L));  // ncclMaxNchannels
}
template <double Environment::*Bytes> void set_bytes(Environment& e, const Setting& setting) {
    e.*Bytes = static_cast<double>(setting.whole(1));
}
void set_cross_nic(Environment& e, const Setting& setting) {
    e.cross_nic = static_cast<int>(setting.whole(0));
    if (e.cross_nic > 2) { throw PlanError(fmt::format("{}={}: NCCL knows 0, 1 and 2", setting.name, setting.value)); }
}
void set_gpu_direct(Environment& e, const Setting& setting) { e.gpu_direct = level(setting); }

// NCCL takes no kernel over windows by a name that it does not know; here it is an error. "^" is all.
void set_window_kernel(Environment& e, const Setting& setting) {
    std::vector<std::string> known = names_of(window_kernels(), &WindowKernel::name);
    std::ranges::copy(names_of(rail_kernels(), &WindowKernel::name), std::back_inserter(known));
    if (setting.value == "^") { return; }
    if (std::ranges::find(known, setting.value) == known.end()) {
        throw PlanError(fmt::format("{}={}: no such kernel is modelled (accepted: {})", setting.name, setting.value,
                                    fmt::join(known, ", ")));
    }
    e.window_kernel = setting.value;
}

void set_gin(Environment& e, const Setting& setting) { e.gin = e.gin && setting.whole(0) != 0; }

// The kinds of src/include/nccl_device/core.h: -1 is NCCL's choice, which is the GPU wherever the NIC can.
void set_gin_type(Environment& e, const Setting& setting) {
    const long kind = setting.whole(-1);
    if (kind != -1 && kind != 2 && kind != 3) {
        throw PlanError(fmt::format("{}={}: no such kind (accepted: -1, 2 by a thread of the host, 3 by the GPU)",
                                    setting.name, setting.value));
    }
    e.gin_by_proxy = kind == 2;
}

// A number, or names with '|' between them (src/init.cc); only ZERO changes a time here.
void set_cta_policy(Environment& e, const Setting& setting) {
    for (const std::string_view item : split(setting.value, '|')) {
        const std::string word = lower_case(item);
        if (word == "2" || word == "zero") {
            e.zero_cta = true;
        } else if (word == "1" || word == "efficiency") {
            e.notes.push_back(fmt::format("{}={}: fewer blocks for registered buffers are not modelled", setting.name,
                                          setting.value));
        } else if (word != "0" && word != "default") {
            throw PlanError(fmt::format("{}={}: no such policy (accepted: DEFAULT, EFFICIENCY, ZERO, or 0 to 2)",
                                        setting.name, setting.value));
        }
    }
}

struct Variable {
    std::string_view name;
    void (*set)(Environment&, const Setting&);
};
constexpr std::array variables{
    Variable{"NCCL_ALGO", set_algorithms},
    Variable{"NCCL_PROTO", set_protocols},
    Variable{"NCCL_NVLS_ENABLE", [](Environment& e, const Setting& s) { e.nvls_enable = s.whole(0) != 0; }},
    Variable{"NCCL_MIN_NRINGS", set_channels<&Environment::min_channels>},
    Variable{"NCCL_MIN_NCHANNELS", set_channels<&Environment::min_channels>},
    Variable{"NCCL_MIN_CTAS", set_channels<&Environment::min_ctas>},
    Variable{"NCCL_MAX_NRINGS", set_most_channels},
    Variable{"NCCL_MAX_NCHANNELS", set_most_channels},
    Variable{"NCCL_MAX_CTAS", set_channels<&Environment::max_ctas>},
    Variable{"NCCL_BUFFSIZE", set_bytes<&Environment::buffer_bytes>},
    Variable{"NCCL_NVLS_CHUNKSIZE", set_bytes<&Environment::nvls_chunk>},
    Variable{"NCCL_NVLSTREE_MAX_CHUNKSIZE", set_bytes<&Environment::nvls_tree_chunk>},
    Variable{"NCCL_P2P_NET_CHUNKSIZE", set_bytes<&Environment::p2p_net_chunk>},
    Variable{"NCCL_P2P_NVL_CHUNKSIZE", set_bytes<&Environment::p2p_nvl_chunk>},
    Variable{"NCCL_CROSS_NIC", set_cross_nic},
    Variable{"NCCL_PXN_DISABLE", [](Environment& e, const Setting& s) { e.pxn = s.whole(0) == 0; }},
    Variable{"NCCL_COLLNET_ENABLE", [](Environment& e, const Setting& s) { e.collnet_enable = s.whole(0) != 0; }},
    Variable{
        "NCCL_P2P_DISABLE",
        [](Environment& e, const Setting& s) { e.peers = s.whole(0) == 1 ? std::optional(PeerLevel::loc) : e.peers; }},
    // NCCL_P2P_DISABLE is read first and wins.
    Variable{"NCCL_P2P_LEVEL", [](Environment& e, const Setting& s) { e.peers = e.peers.value_or(level(s)); }},
    Variable{"NCCL_IB_GDR_LEVEL", set_gpu_direct},
    Variable{"NCCL_NET_GDR_LEVEL", set_gpu_direct},
    Variable{"NCCL_TUNER_PLUGIN", [](Environment& e, const Setting& s) { e.tuner = s.value; }},
    Variable{"NCCL_WIN_ENABLE", [](Environment& e, const Setting& s) { e.windows = e.windows && s.whole(0) != 0; }},
    Variable{"NCCL_CUMEM_ENABLE", [](Environment& e, const Setting& s) { e.windows = e.windows && s.whole(-2) != 0; }},
    Variable{"NCCL_GIN_ENABLE", set_gin},
    Variable{"NCCL_SYM_GIN_KERNELS_ENABLE", set_gin},
    Variable{"NCCL_GIN_TYPE", set_gin_type},
    Variable{"NCCL_SYM_KERNEL", set_window_kernel},
    Variable{"NCCL_SYM_CTAS",
             [](Environment& e, const Setting& s) { e.window_blocks = static_cast<int>(std::min(s.whole(0), 64L)); }},
    Variable{"NCCL_CTA_POLICY", set_cta_policy},
    Variable{"NCCL_SYM_CE_THRESHOLD", set_bytes<&Environment::copy_threshold>},
};

}  // namespace

std::vector<std::string> modelled_variables() { return names_of(variables, &Variable::name); }

std::string unread_note(std::string_view name) {
    if (name == "NCCL_GRAPH_FILE") {
        return "NCCL_GRAPH_FILE is not read: rings and trees are those that NCCL's search finds on the node";
    }
    if (name == "NCCL_TOPO_FILE") {
        return "NCCL_TOPO_FILE is not read: the node is as the scenario wires it (`fabricast cluster` makes a node of "
               "such a file)";
    }
    return "";
}

Environment read_environment(const std::map<std::string, std::string>& given, Collective collective,
                             Algorithms algorithms, const Version& version) {
    Environment e;
    for (const Variable& variable : variables) {  // of two for one thing the later wins
        const auto found = given.find(std::string(variable.name));
        if (found == given.end()) { continue; }
        try {
            variable.set(e, {found->first, found->second, collective, algorithms, version});
        } catch (const PlanError& error) { throw PlanError(error.what(), "library.env." + found->first); }
    }
    for (const auto& [name, value] : given) {
        if (std::ranges::find(variables, name, &Variable::name) != variables.end()) { continue; }
        const std::string unread = unread_note(name);
        e.notes.push_back(unread.empty() ? name + " is not modelled: ignored" : unread);
    }
    return e;
}

}  // namespace fabricast::inline collectives::nccl
