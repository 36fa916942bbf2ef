// The C face of sim/run/pricer.hpp: no exception and no C++ type crosses it.

#include <algorithm>
#include <cstring>
#include <exception>

#include "capi/fabricast.h"
#include "sim/report/result_file.hpp"
#include "sim/run/pricer.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"

struct fabricast_cluster {
    fabricast::Pricer pricer;
};

namespace fabricast::capi {

namespace {

int report(fabricast_error* to, const std::exception& failure) {
    const auto* own = dynamic_cast<const Error*>(&failure);
    const int code = static_cast<int>(own != nullptr ? own->exit_code : ExitCode::internal_or_io);
    if (to != nullptr) {
        to->code = code;
        const std::size_t length = std::min(std::strlen(failure.what()), sizeof to->text - 1);
        std::memcpy(to->text, failure.what(), length);
        to->text[length] = '\0';
    }
    return code;
}

// Runs `work`; 0, or the code of what it threw.
template <class Work> int guarded(fabricast_error* error, const Work& work) {
    try {
        work();
        return 0;
    } catch (const std::exception& failure) { return report(error, failure); }
}

}  // namespace

}  // namespace fabricast::capi

extern "C" {

const char* fabricast_version() { return fabricast::version().data(); }

fabricast_cluster* fabricast_open(const char* scenario_file, const char* const* overrides, fabricast_error* error) {
    fabricast_cluster* opened = nullptr;
    fabricast::capi::guarded(error, [&] {
        std::vector<std::string> said;
        for (; overrides != nullptr && *overrides != nullptr; ++overrides) { said.emplace_back(*overrides); }
        fabricast::Scenario scenario = fabricast::read_scenario(scenario_file, said);
        fabricast::Catalog catalog = fabricast::calibrated_catalog("", &scenario, {});
        opened = new fabricast_cluster{{std::move(scenario), std::move(catalog)}};
    });
    return opened;
}

void fabricast_close(fabricast_cluster* cluster) { delete cluster; }

int fabricast_price(fabricast_cluster* cluster, const fabricast_call* calls, size_t count, unsigned flags,
                    double* seconds, fabricast_error* error) {
    return fabricast::capi::guarded(error, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            const fabricast_call& call = calls[i];
            seconds[i] = cluster->pricer.seconds({fabricast::collective_named(call.collective),
                                                  fabricast::Bytes{call.bytes}, call.nodes, call.gpus_per_node},
                                                 (flags & FABRICAST_EXACT) != 0);
        }
    });
}

int fabricast_price_transfers(fabricast_cluster* cluster, const fabricast_transfer* transfers, size_t count,
                              double* seconds, fabricast_error* error) {
    return fabricast::capi::guarded(error, [&] {
        std::vector<fabricast::PricedTransfer> asked;
        asked.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
            asked.push_back({transfers[i].from, transfers[i].to, fabricast::Bytes{transfers[i].bytes}});
        }
        std::ranges::copy(cluster->pricer.seconds(asked), seconds);
    });
}

}  // extern "C"
