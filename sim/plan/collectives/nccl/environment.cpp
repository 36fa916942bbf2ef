#include "sim/plan/collectives/nccl/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/text.hpp"
#include "sim/plan/collectives/plan.hpp"

namespace fabricast::nccl {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        if (to > from) {
            parts.emplace_back(text.substr(from, to - from));
        }
        from = to + 1;
    }
    return parts;
}

// Compares NCCL's spelling "allreduce" with ours, "all_reduce".
bool names(const std::string& prefix, Collective collective) {
    std::string ours(fabricast::to_string(collective));
    std::erase(ours, '_');
    return lower_case(prefix) == ours;
}

// NCCL's list syntax (src/graph/tuning.cc, parseList): "ring,tree", "^LL128", "ring;allreduce:tree,nvls".
template <class Kind, std::size_t N>
void narrow(const std::string& variable, const std::string& text, const std::array<Kind, N>& kinds,
            Collective collective, std::array<bool, N>& allowed) {
    for (const std::string& entry : split(text, ';')) {
        const std::size_t colon = entry.find(':');
        std::string list = entry;
        if (colon != std::string::npos) {
            if (!names(entry.substr(0, colon), collective)) {
                continue;
            }
            list = entry.substr(colon + 1);
        }
        const bool excluding = list.starts_with('^');
        allowed.fill(excluding);
        for (const std::string& item : split(excluding ? list.substr(1) : list, ',')) {
            const auto found = std::find_if(kinds.begin(), kinds.end(),
                                            [&](Kind k) { return lower_case(to_string(k)) == lower_case(item); });
            if constexpr (std::is_same_v<Kind, Algo>) {
                if (lower_case(item) == "collnet") {  // before 2.14 this word meant both forms
                    allowed[index(Algo::collnet_direct)] = allowed[index(Algo::collnet_chain)] = !excluding;
                    continue;
                }
            }
            if (found == kinds.end()) {
                std::string known;
                for (const Kind k : kinds) {
                    known.append(known.empty() ? "" : ", ").append(to_string(k));
                }
                std::string message = variable;
                message.append("=").append(text).append(": NCCL has no '").append(item).append("' (it has ");
                throw PlanError(message.append(known).append(")"));
            }
            allowed[static_cast<std::size_t>(found - kinds.begin())] = !excluding;
        }
    }
}

long whole(const std::string& variable, const std::string& text, long least) {
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least) {
        throw PlanError(variable + "=" + text + ": expected a whole number, at least " + std::to_string(least));
    }
    return value;
}

// Path levels by name, or by number as old releases counted (src/graph/paths.cc, ncclGetLevel).
PeerLevel level(const std::string& variable, const std::string& text) {
    using enum PeerLevel;
    constexpr std::array<std::pair<std::string_view, PeerLevel>, 10> levels{{{"loc", loc},
                                                                             {"nvl", nvl},
                                                                             {"nvb", nvb},
                                                                             {"c2c", nvb},
                                                                             {"pix", pix},
                                                                             {"pxb", pxb},
                                                                             {"p2c", pxb},
                                                                             {"pxn", pxb},
                                                                             {"phb", phb},
                                                                             {"sys", sys}}};
    constexpr std::array<PeerLevel, 6> by_number{loc, pix, pxb, phb, sys, sys};
    const std::string asked = lower_case(text);
    for (const auto& [name, value] : levels) {
        if (name == asked) {
            return value;
        }
    }
    return by_number[static_cast<std::size_t>(std::min(whole(variable, text, 0), 5L))];
}

using Setter = void (*)(Environment&, const std::string& variable, const std::string& value, Collective);

void set_algorithms(Environment& e, const std::string& name, const std::string& value, Collective collective) {
    narrow(name, value, every_algo, collective, e.allowed.algo);
}
void set_protocols(Environment& e, const std::string& name, const std::string& value, Collective collective) {
    narrow(name, value, every_proto, collective, e.allowed.proto);
    e.allowed.ll128_by_name = e.allowed.proto[index(Proto::ll128)] && !value.starts_with('^');
}
void set_least_channels(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.min_channels = static_cast<int>(whole(name, value, 1));
}
void set_most_channels(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.max_channels = static_cast<int>(whole(name, value, 1));
}
template <double Environment::*Bytes>
void set_bytes(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.*Bytes = static_cast<double>(whole(name, value, 1));
}
void set_cross_nic(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.cross_nic = static_cast<int>(whole(name, value, 0));
    if (e.cross_nic > 2) {
        throw PlanError(name + "=" + value + ": NCCL knows 0, 1 and 2");
    }
}
void set_pxn(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.pxn = whole(name, value, 0) == 0;
}
void set_collnet(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.collnet_enable = whole(name, value, 0) != 0;
}
void set_nvls(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.nvls_enable = whole(name, value, 0) != 0;
}
void disable_peers(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.peers = whole(name, value, 0) == 1 ? std::optional(PeerLevel::loc) : e.peers;
}
void set_peer_level(Environment& e, const std::string& name, const std::string& value, Collective) {
    const PeerLevel asked = level(name, value);
    e.peers = e.peers.value_or(asked);  // NCCL_P2P_DISABLE is read first and wins
}
void set_gpu_direct(Environment& e, const std::string& name, const std::string& value, Collective) {
    e.gpu_direct = level(name, value) != PeerLevel::loc;
}

struct Variable {
    std::string_view name;
    Setter set;
};
constexpr std::array<Variable, 21> variables{{
    {"NCCL_ALGO", set_algorithms},
    {"NCCL_PROTO", set_protocols},
    {"NCCL_NVLS_ENABLE", set_nvls},
    {"NCCL_MIN_NCHANNELS", set_least_channels},
    {"NCCL_MIN_NRINGS", set_least_channels},
    {"NCCL_MIN_CTAS", set_least_channels},
    {"NCCL_MAX_NCHANNELS", set_most_channels},
    {"NCCL_MAX_NRINGS", set_most_channels},
    {"NCCL_MAX_CTAS", set_most_channels},
    {"NCCL_BUFFSIZE", set_bytes<&Environment::buffer_bytes>},
    {"NCCL_NVLS_CHUNKSIZE", set_bytes<&Environment::nvls_chunk>},
    {"NCCL_NVLSTREE_MAX_CHUNKSIZE", set_bytes<&Environment::nvls_tree_chunk>},
    {"NCCL_P2P_NET_CHUNKSIZE", set_bytes<&Environment::p2p_net_chunk>},
    {"NCCL_P2P_NVL_CHUNKSIZE", set_bytes<&Environment::p2p_nvl_chunk>},
    {"NCCL_CROSS_NIC", set_cross_nic},
    {"NCCL_PXN_DISABLE", set_pxn},
    {"NCCL_COLLNET_ENABLE", set_collnet},
    {"NCCL_P2P_DISABLE", disable_peers},
    {"NCCL_P2P_LEVEL", set_peer_level},
    {"NCCL_NET_GDR_LEVEL", set_gpu_direct},
    {"NCCL_IB_GDR_LEVEL", set_gpu_direct},
}};

}  // namespace

std::span<const std::string_view> modelled_variables() {
    static const auto names = [] {
        std::array<std::string_view, variables.size()> list;
        std::transform(variables.begin(), variables.end(), list.begin(), [](const Variable& v) { return v.name; });
        return list;
    }();
    return names;
}

Environment read_environment(const std::map<std::string, std::string>& given, Collective collective) {
    Environment e;
    for (const auto& [name, value] : given) {
        const auto known = std::find_if(variables.begin(), variables.end(),
                                        [&, &wanted = name](const Variable& v) { return v.name == wanted; });
        if (known != variables.end()) {
            known->set(e, name, value, collective);
        } else {
            e.notes.push_back(name + " is not modelled: ignored");
        }
    }
    return e;
}

}  // namespace fabricast::nccl
