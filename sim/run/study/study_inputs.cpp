#include "sim/run/study/study_inputs.hpp"

#include <algorithm>

#include "base/input_error.hpp"
#include "sim/run/study/parts_list.hpp"

namespace fabricast::inline studies {

std::vector<StudyInput> study_inputs(const std::vector<ReadDesign>& scenarios,
                                     const std::function<Catalog(const Scenario&)>& catalog_of) {
    std::vector<StudyInput> inputs;
    const auto add = [&](const std::string& name, Scenario scenario) {
        Catalog catalog = catalog_of(scenario);
        apply_prices(scenario, catalog);
        inputs.push_back({name, std::move(scenario), std::move(catalog)});
    };
    for (const ReadDesign& read : scenarios) {
        const Scenario scenario = read({});
        if (scenario.designs.empty()) { add(scenario.name, scenario); }
        for (const DesignSpec& design : scenario.designs) {
            std::vector<std::string> own;
            for (const auto& [path, value] : design.set) { own.push_back(std::string(path).append("=").append(value)); }
            try {
                add(design.name, read(own));
            } catch (const InputError& error) {
                throw InputError(place_of(scenario, "designs"), "design " + shown(design.name) + ": " + error.message);
            }
        }
    }
    for (const StudyInput& input : inputs) {
        if (std::ranges::count(inputs, input.name, &StudyInput::name) > 1) {
            throw DesignsAlike(error_message("two designs have one name", shown(input.name),
                                             "a `name` for each scenario and each of `designs`"));
        }
    }
    return inputs;
}

}  // namespace fabricast::inline studies
