#include "sim/plan/traces/kineto_call.hpp"

#include <algorithm>

#include "base/pattern.hpp"
#include "base/text.hpp"

namespace fabricast::inline traces::kineto {

namespace {

// Number of elements of the first input: [[6637568]] or [[512, 1024], []]; for a list of tensors, their sum.
double elements(const Json& dims) {
    if (!dims.is_array() || dims.empty()) { return 0; }
    const bool is_shape = std::all_of(dims.begin(), dims.end(), [](const Json& d) { return d.is_number(); });
    if (is_shape) {
        double product = 1;
        for (const Json& d : dims) { product *= d.get<double>(); }
        return product;
    }
    double sum = 0;
    for (const Json& inner : dims) { sum += elements(inner); }
    return sum;
}

}  // namespace

std::optional<double> number(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !(found->is_number() || found->is_string())) { return std::nullopt; }
    return found->is_number() ? found->get<double>() : figure_in_word(found->get_ref<const std::string&>());
}

std::optional<std::uint32_t> rank(const Json& object, const char* key) {
    const std::optional<double> found = number(object, key);
    return found && *found >= 0 && *found < 4e9 ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
}

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::uint64_t whole(const Json& object, const char* key, const char* older_key) {
    const std::optional<double> found = object.contains(key) ? number(object, key) : number(object, older_key);
    return found && *found > 0 && *found < 9e15 ? static_cast<std::uint64_t>(*found) : 0;
}

std::vector<std::uint32_t> ranks_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    std::vector<std::uint32_t> ranks;
    if (found == object.end() || !(found->is_string() || found->is_array())) { return ranks; }
    const std::string list = found->is_string() ? found->get<std::string>() : found->dump();
    if (list.find("..") != std::string::npos) { return ranks; }
    static const Pattern digits("[0-9]+");
    for (const Pattern::Groups& found : digits.all_in(list)) {
        ranks.push_back(number_in<std::uint32_t>(*found.front()).value_or(0xffffffffU));
    }
    return ranks;
}

std::optional<KinetoCall> described_call(const Json& args) {
    const std::optional<CommCall> what = comm_call(text(args, "Collective name"));
    if (!what) { return std::nullopt; }
    KinetoCall call;
    call.what = *what;
    call.in_elements = number(args, "In msg nelems").value_or(0);
    call.out_elements = number(args, "Out msg nelems").value_or(0);
    call.dtype = call.what.barrier ? DataType::float32 : dtype_named(text(args, "dtype"));
    call.group = text(args, "Process Group Name");
    call.group_size = static_cast<std::uint32_t>(std::clamp(number(args, "Group size").value_or(0), 0.0, 4e9));
    call.ranks = ranks_in(args, "Process Group Ranks");
    if (call.ranks.empty() && call.group_size > 1 && call.group_size <= 1U << 24U) {
        call.ranks = strided_ranks(number(args, "Global rank start").value_or(-1),
                                   number(args, "Global rank stride").value_or(0), call.group_size);
    }
    if (call.what.kind != RecordKind::collective) {
        call.peer = rank(args, call.what.kind == RecordKind::send ? "Dst Rank" : "Src Rank");
    }
    return call;
}

std::optional<KinetoCall> call_by_dims(const Json& args, const std::string& name) {
    const std::optional<CommCall> what = comm_call(name.substr(std::string("nccl:").size()));
    const auto dims = args.contains("Input Dims") ? args.find("Input Dims") : args.find("Input dims");
    if (!what || dims == args.end()) { return std::nullopt; }
    KinetoCall call;
    call.what = *what;
    call.in_elements = call.out_elements = elements(*dims);
    const auto types = args.find("Input type");
    if (types != args.end() && types->is_array() && !types->empty() && types->front().is_string()) {
        call.dtype = dtype_named(types->front().get<std::string>());
    }
    return call.in_elements > 0 ? std::optional(call) : std::nullopt;
}

}  // namespace fabricast::inline traces::kineto
