#pragma once
// What the floors below complain of, said about the user's file: they know names and shapes, not lines.

#include <string_view>

#include "models/catalog.hpp"
#include "sim/engines/memory.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// The same message as an InputError at `key` of the scenario.
[[noreturn]] void fail_at(const Scenario& scenario, std::string_view key, std::string_view message);

// CannotEnd, with the place of the cluster in front.
[[noreturn]] void cannot_end(const Scenario& scenario, std::string_view message);

// The key whose value an error about the catalogue names.
std::string_view key_of_part(const Scenario& scenario, std::string_view error_message);

// Runs `work`; errors about parts, shapes, plans and ranges become ScenarioErrors at the key they concern, and runs
// that cannot end, as between devices that no path joins, say where the cluster stands.
template <class Work>
auto pointing_into(const Scenario& scenario, const Work& work) {
    try {
        return work();
    } catch (const CatalogError& error) {
        fail_at(scenario, key_of_part(scenario, error.what()), error.what());
    } catch (const ClusterError& error) {
        fail_at(scenario, "cluster.fabric", error.what());
    } catch (const PlanError& error) {
        fail_at(scenario, "workload", error.what());
    } catch (const OutOfRange& error) {
        fail_at(scenario, "workload", error.what());
    } catch (const TooLarge& error) {
        fail_at(scenario, scenario.places.contains("engine") ? "engine" : "cluster.nodes", error.what());
    } catch (const Unreachable& error) {
        cannot_end(scenario, error.what());
    } catch (const CannotEnd& error) {
        cannot_end(scenario, error.what());
    }
}

// Of a collective: the root is a rank and it has partners; throws InputError.
void check_ranks(const Scenario& scenario, const Fabric& fabric);

}  // namespace fabricast
