#include "validate/diagnose/diagnosed.hpp"

#include "validate/diagnose/diagnosis_text.hpp"
#include "validate/diagnose/links.hpp"
#include "validate/diagnose/system_of.hpp"

namespace fabricast::inline diagnosis {

Diagnosed diagnosed(const Measurement& measurement, const std::optional<Scenario>& cluster, const std::string& node,
                    const Catalog& catalog) {
    try {
        if (const auto link = link_test_of(measurement)) {
            const LinkDiagnosis found = diagnose_link(measurement, *link, cluster, node, catalog);
            return {to_text(found, measurement.id), to_json(found, measurement.id), true};
        }
        const SuspectedSystem system = system_of(measurement, cluster, node);
        const Diagnosis found = diagnose(system.scenario, rows_of(measurement, system, catalog), catalog);
        return {to_text(found, measurement.id, system.assumptions), to_json(found, measurement.id)};
    } catch (const NotACurve& error) { throw InputError(measurement.place, error.what()); }
}

}  // namespace fabricast::inline diagnosis
