#include "sim/plan/transfers/transports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "sim/plan/transfers/places.hpp"

namespace fabricast {

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

bool wanted(const Catalog& catalog, const std::string& name) {
    return catalog.at("data-path", name).number("preference") > 0;
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

std::string every_reason(const std::vector<Candidate>& refused) {
    std::string all;
    for (const Candidate& candidate : refused) {
        all += (all.empty() ? "" : "; ") + candidate.transport + ": " + candidate.attempt.refusal;
    }
    return all;
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
    std::vector<std::string> names;
    for (const Transport& transport : transports) {
        names.emplace_back(transport.name);
    }
    const auto rank = [&](const std::string& name) {
        const double preference = catalog.at("data-path", name).number("preference");
        return preference > 0 ? preference : 1e9;
    };
    std::ranges::stable_sort(names, {}, rank);
    return names;
}

PathAttempt attempt(const std::string& transport, const PathRequest& request) {
    const auto found = std::ranges::find(request.transports, transport, &Transport::name);
    if (found != request.transports.end()) {
        return found->ask(request);
    }
    const std::vector<std::string> names = transport_names(request.figures.catalog(), request.transports);
    const std::string near = nearest_word(transport, names);
    throw CatalogError(fmt::format("no transport '{}' (accepted: auto, {}){}", transport, fmt::join(names, ", "),
                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

ChosenPath choose_path(const std::string& transport, const PathRequest& request) {
    std::vector<Candidate> refused;
    for (const std::string& name : transport_names(request.figures.catalog(), request.transports)) {
        const bool asked = transport == name;
        if (!asked && !wanted(request.figures.catalog(), name)) {
            continue;
        }
        PathAttempt answer = attempt(name, request);
        if (answer.path && (asked || transport == "auto")) {
            answer.path->transport = name;
            return {std::move(*answer.path), std::move(refused)};
        }
        if (asked) {
            throw NoDataPath(name + " cannot be taken: " + answer.refusal);
        }
        if (!answer.path && is_for(request.figures.part(name), request)) {
            refused.push_back({name, std::move(answer)});
        }
    }
    if (transport != "auto") {
        attempt(transport, request);  // throws: no such transport
    }
    throw NoDataPath(refused.empty() ? "no transport is for these two devices"
                                     : "no transport can be taken (" + every_reason(refused) + ")");
}

}  // namespace fabricast
