#include "sim/plan/transfers/transports.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast::inline transfers {

namespace transports {
#define FABRICAST_TRANSPORT(name) PathAttempt name(const PathRequest& request);
#include "transport_kinds.inc"
#undef FABRICAST_TRANSPORT
}  // namespace transports

namespace {

// "nvlink_p2p" -> "nvlink-p2p".
std::string part_name(std::string_view function) {
    std::string name(function);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

double preference(const Catalog& catalog, const std::string& name) {
    return catalog.at("data-path", name).number("preference");
}

// Whether the transport is meant for ends like these; if not, its refusal does not help the user.
bool is_for(const Part& transport, const PathRequest& r) {
    const auto kind = [&](DeviceId d) {
        return is_gpu(r.fabric, d) ? std::string("gpu") : is_host(r.fabric, d) ? "host" : "other";
    };
    const std::string a = std::min(kind(r.from), kind(r.to));
    const std::string b = std::max(kind(r.from), kind(r.to));
    const std::string ends = transport.word_or("ends", "");
    const auto says = [&](const std::string& word) { return has_word(ends, word); };
    const bool anywhere = !says("inside") && !says("across");
    return says(r.from == r.to ? "same" : a + "-" + b) && (anywhere || says(same_node(r) ? "inside" : "across"));
}

}  // namespace

std::span<const Transport> every_transport() {
    static const std::vector<Transport> all = {
#define FABRICAST_TRANSPORT(name) {part_name(#name), transports::name},
#include "transport_kinds.inc"
#undef FABRICAST_TRANSPORT
    };
    return all;
}

std::vector<std::string> transport_names(const Catalog& catalog, std::span<const Transport> transports) {
    std::vector<std::string> names = names_of(transports, &Transport::name);
    std::ranges::stable_sort(names, {}, [&](const std::string& name) {
        const double rank = preference(catalog, name);
        return rank > 0 ? rank : 1e9;
    });
    return names;
}

ChosenPath choose_path(const std::string& transport, const PathRequest& request) {
    const Catalog& catalog = request.figures.catalog();
    const std::vector<std::string> names = transport_names(catalog, request.transports);
    if (transport != "auto" && std::ranges::find(names, transport) == names.end()) {
        throw CatalogError("no transport '{}' (accepted: auto, {}){}", transport, fmt::join(names, ", "),
                           did_you_mean(transport, names));
    }
    std::vector<RefusedTransport> refused;
    for (const std::string& name : names) {
        const bool asked = transport == name;
        if (!asked && !(preference(catalog, name) > 0)) { continue; }
        PathAttempt answer = std::ranges::find(request.transports, name, &Transport::name)->ask(request);
        if (auto* path = std::get_if<DataPath>(&answer)) {
            if (!asked && transport != "auto") { continue; }
            path->transport = name;
            return {std::move(*path), std::move(refused)};
        }
        const std::string& reason = std::get<Refusal>(answer).reason;
        if (asked) { throw NoDataPath(name + " cannot be taken: " + reason); }
        if (is_for(request.figures.part(name), request)) { refused.push_back({name, reason}); }
    }
    if (refused.empty()) { throw NoDataPath("no transport is for these two devices"); }
    const auto text = [](const RefusedTransport& r) { return fmt::format("{}: {}", r.transport, r.reason); };
    throw NoDataPath(fmt::format("no transport can be taken ({})", fmt::join(names_of(refused, text), "; ")));
}

}  // namespace fabricast::inline transfers
