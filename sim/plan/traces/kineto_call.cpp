#include "sim/plan/traces/kineto_call.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fabricast::kineto {

namespace {

// Number of elements of the first input: [[6637568]] or [[512, 1024], []]; for a list of tensors, the sum over all of
// them.
double elements(const Json& dims) {
    if (!dims.is_array() || dims.empty()) {
        return 0;
    }
    const bool is_shape = std::all_of(dims.begin(), dims.end(), [](const Json& d) { return d.is_number(); });
    if (is_shape) {
        double product = 1;
        for (const Json& d : dims) {
            product *= d.get<double>();
        }
        return product;
    }
    double sum = 0;
    for (const Json& inner : dims) {
        sum += elements(inner);
    }
    return sum;
}

}  // namespace

std::optional<double> number(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) {
        return std::nullopt;
    }
    if (found->is_number()) {
        return found->get<double>();
    }
    if (found->is_string()) {
        const auto& text = found->get_ref<const std::string&>();
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (!text.empty() && *end == '\0' && std::isfinite(value)) {
            return value;
        }
    }
    return std::nullopt;
}

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t whole(const Json& object, const char* key, const char* older_key) {
    const std::optional<double> found = object.contains(key) ? number(object, key) : number(object, older_key);
    return found && *found > 0 && *found < 9e15 ? static_cast<std::uint64_t>(*found) : 0;
}

std::vector<std::uint32_t> ranks_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    std::vector<std::uint32_t> ranks;
    if (found == object.end() || !(found->is_string() || found->is_array())) {
        return ranks;
    }
    const std::string list = found->is_string() ? found->get<std::string>() : found->dump();
    if (list.find("..") != std::string::npos) {
        return ranks;
    }
    for (std::size_t at = 0; at < list.size();) {
        if (list[at] < '0' || list[at] > '9') {
            ++at;
            continue;
        }
        std::uint64_t rank = 0;
        for (; at < list.size() && list[at] >= '0' && list[at] <= '9'; ++at) {
            rank = std::min<std::uint64_t>(rank * 10 + static_cast<std::uint64_t>(list[at] - '0'), 0xffffffffU);
        }
        ranks.push_back(static_cast<std::uint32_t>(rank));
    }
    return ranks;
}

std::optional<KinetoCall> described_call(const Json& args) {
    const std::optional<CommCall> what = comm_call(text(args, "Collective name"));
    if (!what) {
        return std::nullopt;
    }
    KinetoCall call;
    call.what = *what;
    call.in_elements = number(args, "In msg nelems").value_or(0);
    call.out_elements = number(args, "Out msg nelems").value_or(0);
    call.dtype = call.what.barrier ? DataType::float32 : dtype_named(text(args, "dtype"));
    call.group = text(args, "Process Group Name");
    call.group_size = static_cast<std::uint32_t>(std::clamp(number(args, "Group size").value_or(0), 0.0, 4e9));
    call.ranks = ranks_in(args, "Process Group Ranks");
    const std::optional<double> first = number(args, "Global rank start");
    const std::optional<double> stride = number(args, "Global rank stride");
    if (call.ranks.empty() && first && stride && *first >= 0 && *stride >= 1 && call.group_size > 1 &&
        call.group_size <= 1U << 24U && *first + *stride * call.group_size < 4e9) {
        for (std::uint32_t i = 0; i < call.group_size; ++i) {
            call.ranks.push_back(static_cast<std::uint32_t>(*first + *stride * i));
        }
    }
    if (call.what.kind != RecordKind::collective) {
        const std::optional<double> peer = number(args, call.what.kind == RecordKind::send ? "Dst Rank" : "Src Rank");
        call.peer = peer && *peer >= 0 && *peer < 4e9 ? static_cast<std::int64_t>(*peer) : -1;
    }
    return call;
}

std::optional<KinetoCall> call_by_dims(const Json& args, const std::string& name) {
    const std::optional<CommCall> what = comm_call(name.substr(std::string("nccl:").size()));
    const auto dims = args.contains("Input Dims") ? args.find("Input Dims") : args.find("Input dims");
    if (!what || dims == args.end()) {
        return std::nullopt;
    }
    KinetoCall call;
    call.what = *what;
    call.in_elements = call.out_elements = elements(*dims);
    const auto types = args.find("Input type");
    if (types != args.end() && types->is_array() && !types->empty() && types->front().is_string()) {
        call.dtype = dtype_named(types->front().get<std::string>());
    }
    return call.in_elements > 0 ? std::optional(call) : std::nullopt;
}

}  // namespace fabricast::kineto
