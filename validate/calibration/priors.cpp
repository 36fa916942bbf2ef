#include "validate/calibration/priors.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "validate/import/embedded.hpp"

namespace fabricast::inline calibration {

namespace {

std::vector<Prior> read_priors(const yaml::Node& root) {
    root.allow({"priors"});
    std::vector<Prior> priors;
    const auto quantity = [](const yaml::Node& node, std::string_view key) {
        const yaml::Node* member = node.get(key);
        if (member == nullptr) { return 0.0; }
        const bool ratio = member->is_scalar() && member->text.find(' ') == std::string::npos;
        return ratio ? member->as_double() : as_quantity(*member).value;
    };
    for (const yaml::Node& node : root.required("priors").items()) {
        node.allow({"match", "value", "spread", "low", "high"});
        priors.push_back({node.required("match").as_string(), quantity(node, "value"),
                          node.required("spread").as_double(), quantity(node, "low"), quantity(node, "high")});
        if (priors.back().value <= 0) { node.fail("a prior is above zero"); }
    }
    return priors;
}

}  // namespace

const std::vector<Prior>& builtin_priors() {
    static const std::vector<Prior> priors = read_priors(embedded_tree("validate/calibration/priors.yaml"));
    return priors;
}

const Prior* prior_of(const FigureName& name) {
    const std::vector<Prior>& priors = builtin_priors();
    const auto found = std::ranges::find_if(priors, [&](const Prior& p) { return glob_matches(p.match, name); });
    return found == priors.end() ? nullptr : &*found;
}

FitParameter parameter_at(double value, const FigureName& name, const Prior& prior) {
    const double low = prior.low > 0 ? prior.low : value / widest_factor;
    const double high = prior.high > 0 ? prior.high : value * widest_factor;
    return {name, value, value, prior.spread, std::min(low, value), std::max(high, value)};
}

}  // namespace fabricast::inline calibration
