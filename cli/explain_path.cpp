#include <ostream>

#include "base/unit_text.hpp"
#include "cli/command.hpp"
#include "cli/explain.hpp"
#include "cli/inputs.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::cli {

namespace {

// The scenario's transfer, or one with default conditions if it has none, between the devices of --path.
TransferWorkload transfer_of(const Scenario& scenario, const po::variables_map& values) {
    const auto* written = std::get_if<TransferWorkload>(&scenario.workload);
    TransferWorkload transfer = written != nullptr ? *written : TransferWorkload{};
    const std::vector<std::string> ends = texts_of(values, "path");
    if (ends.size() == 2) {
        transfer.from = ends[0];
        transfer.to = ends[1];
    } else if (!ends.empty() || written == nullptr) {
        throw UsageError("--path takes two devices, as in --path node0.gpu0 node1.gpu3");
    }
    if (values.contains("transport")) { transfer.transport = text_of(values, "transport"); }
    constexpr Bytes usual{1 << 20};
    transfer.sizes = {values.contains("size") ? parse_bytes(text_of(values, "size")) : usual};
    return transfer;
}

}  // namespace

void add_path_options(po::options_description& options) {
    options.add_options()  //
        ("path", texts_value("A B")->multitoken(),
         "the way data takes from device A to device B: copies, DMA, cores, latency, bandwidth")  //
        ("transport", text_value("T"), "of that path (default: auto)")("size", text_value("S"),
                                                                       "of a message on it (default: 1 MiB)");
}

bool names_path(const po::variables_map& values) {
    return values.contains("path") || values.contains("transport") || values.contains("size");
}

bool asks_for_path(const po::variables_map& values, const Scenario& scenario) {
    return names_path(values) || std::holds_alternative<TransferWorkload>(scenario.workload);
}

ExitCode explain_path(const po::variables_map& values, const Outputs& outputs, const Scenario& scenario) {
    const Catalog catalog = catalog_of(values, &scenario);
    try {
        const TransferWorkload transfer = transfer_of(scenario, values);
        outputs.words() << pointing_into(scenario, [&] {
            const Workload workload = transfer;
            const Fabric fabric = fabric_for(workload, Fabric(build(scenario, catalog)), catalog);
            const PlanContext context{fabric, scenario.library, scenario.launch, catalog};
            try {
                const Exchange exchange = exchange_at(transfer.sizes.front(), workload, context, Flow{});
                return describe(exchange, transfer, fabric);
            } catch (const NoDataPath& error) {  // of the options, not of the scenario
                throw UsageError(error.what());
            }
        });
    } catch (const UnitError& error) { throw UsageError(std::string("--size: ") + error.what()); }
    return ok;
}

}  // namespace fabricast::cli
