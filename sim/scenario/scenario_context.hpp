#pragma once
// Turns errors of the lower layers, which know names and shapes but no lines, into errors about the user's file.

#include <string_view>

#include "models/catalog.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/plan/collectives/plan.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// Throws the message as an InputError at `key` of the scenario.
[[noreturn]] void fail_at(const Scenario& scenario, std::string_view key, std::string_view message);
// The same with the message of error_message().
[[noreturn]] void fail_at(const Scenario& scenario, std::string_view key, std::string_view what, std::string_view found,
                          std::string_view accepted, std::string_view nearest = {});

// Looks something up in the catalogue; what is missing there is reported at the key that asked for it.
template <class Look> auto look_up_at(const Scenario& scenario, std::string_view key, const Look& look) {
    try {
        return look();
    } catch (const CatalogError& error) { fail_at(scenario, key, error.what()); }
}

// Throws CannotEnd; its message begins with where the cluster is stated.
[[noreturn]] void cannot_end(const Scenario& scenario, std::string_view message);

// The key whose value an error about the catalogue names; "cluster" if no other.
std::string_view key_of_part(const Scenario& scenario, std::string_view error_message);

// Runs `work`. Errors about parts, shapes, plans and ranges become InputErrors at the key they concern; if the run
// cannot end, or no path joins two devices, CannotEnd says where the cluster is stated.
template <class Work> auto pointing_into(const Scenario& scenario, const Work& work) {
    try {
        return work();
    } catch (const CatalogError& error) {
        fail_at(scenario, key_of_part(scenario, error.what()), error.what());
    } catch (const ClusterError& error) {
        fail_at(scenario, "cluster.fabric", error.what());
    } catch (const PlanError& error) { fail_at(scenario, error.key, error.what()); } catch (const OutOfRange& error) {
        fail_at(scenario, "workload", error.what());
    } catch (const TooLarge& error) {
        fail_at(scenario, scenario.places.contains("engine") ? "engine" : "cluster.nodes", error.what());
    } catch (const Unreachable& error) { cannot_end(scenario, error.what()); } catch (const CannotEnd& error) {
        cannot_end(scenario, error.what());
    }
}

}  // namespace fabricast::inline scenario
