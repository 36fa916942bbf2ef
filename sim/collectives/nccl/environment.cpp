#include "sim/collectives/nccl/environment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <type_traits>

#include "sim/collectives/plan.hpp"
#include "sim/io/text.hpp"

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

// "allreduce" of NCCL's lists against "all_reduce" of ours.
bool names(const std::string& prefix, Collective collective) {
    std::string ours(fabricast::word(collective));
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
                                            [&](Kind k) { return lower_case(word(k)) == lower_case(item); });
            if constexpr (std::is_same_v<Kind, Algo>) {
                if (lower_case(item) == "collnet") {  // before 2.14 one word for both
                    allowed[index(Algo::collnet_direct)] = allowed[index(Algo::collnet_chain)] = !excluding;
                    continue;
                }
            }
            if (found == kinds.end()) {
                std::string known;
                for (const Kind k : kinds) {
                    known.append(known.empty() ? "" : ", ").append(word(k));
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

// Path levels in NCCL's order; a number is read as in old releases (0 never ... 5 always).
bool level_off(const std::string& variable, const std::string& text) {
    constexpr std::array<std::string_view, 8> levels{"loc", "nvl", "pix", "pxb", "pxn", "phb", "sys", "c2c"};
    const std::string level = lower_case(text);
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) {
        return level == "loc";
    }
    return whole(variable, text, 0) == 0;
}

}  // namespace

Environment read_environment(const std::map<std::string, std::string>& variables, Collective collective) {
    Environment e;
    for (const auto& [name, value] : variables) {
        if (name == "NCCL_ALGO") {
            narrow(name, value, every_algo, collective, e.allowed.algo);
        } else if (name == "NCCL_PROTO") {
            narrow(name, value, every_proto, collective, e.allowed.proto);
            e.allowed.ll128_by_name = e.allowed.proto[index(Proto::ll128)] && !value.starts_with('^');
        } else if (name == "NCCL_NVLS_ENABLE") {
            e.nvls_enable = whole(name, value, 0) != 0;
        } else if (name == "NCCL_MIN_NCHANNELS" || name == "NCCL_MIN_NRINGS" || name == "NCCL_MIN_CTAS") {
            e.min_channels = static_cast<int>(whole(name, value, 1));
        } else if (name == "NCCL_MAX_NCHANNELS" || name == "NCCL_MAX_NRINGS" || name == "NCCL_MAX_CTAS") {
            e.max_channels = static_cast<int>(whole(name, value, 1));
        } else if (name == "NCCL_BUFFSIZE") {
            e.buffer_bytes = static_cast<double>(whole(name, value, 1));
        } else if (name == "NCCL_NVLS_CHUNKSIZE") {
            e.nvls_chunk = static_cast<double>(whole(name, value, 1));
        } else if (name == "NCCL_NVLSTREE_MAX_CHUNKSIZE") {
            e.nvls_tree_chunk = static_cast<double>(whole(name, value, 1));
        } else if (name == "NCCL_P2P_NET_CHUNKSIZE") {
            e.p2p_net_chunk = static_cast<double>(whole(name, value, 1));
        } else if (name == "NCCL_P2P_NVL_CHUNKSIZE") {
            e.p2p_nvl_chunk = static_cast<double>(whole(name, value, 1));
        } else if (name == "NCCL_CROSS_NIC") {
            e.cross_nic = static_cast<int>(whole(name, value, 0));
        } else if (name == "NCCL_PXN_DISABLE") {
            e.pxn = whole(name, value, 0) == 0;
        } else if (name == "NCCL_COLLNET_ENABLE") {
            e.collnet_enable = whole(name, value, 0) != 0;
        } else if (name == "NCCL_P2P_DISABLE") {
            e.p2p = whole(name, value, 0) == 0;
        } else if (name == "NCCL_P2P_LEVEL") {
            e.p2p = !level_off(name, value);
        } else if (name == "NCCL_NET_GDR_LEVEL" || name == "NCCL_IB_GDR_LEVEL") {
            e.gpu_direct = !level_off(name, value);
        } else {
            e.notes.push_back(name + " is not modelled: ignored");
        }
    }
    return e;
}

}  // namespace fabricast::nccl
