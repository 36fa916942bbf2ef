#include "validate/calibration/fitted_nulls.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "validate/calibration/robust_fit.hpp"

namespace fabricast::inline calibration {
namespace {

// A row with the inputs of the two models.
struct NullRow {
    ComparedRow* row = nullptr;
    const ComparedSize* size = nullptr;
};

double alpha_beta(const ComparedSize& size, std::span<const double> c) {
    return c[0] + size.hops.intra * c[1] + size.hops.inter * c[2] + size.wire / c[3];
}
double tuning(const ComparedSize& size, std::span<const double> c) { return c[0] + size.null_tuning * c[1]; }

struct Model {
    double (*seconds)(const ComparedSize&, std::span<const double>);
    Forecast forecast;
    std::vector<FitParameter> parameters;
};

// The priors are the published constants of the models (compare.hpp), so weak that any data outweigh them.
const std::vector<Model>& models() {
    constexpr double spread = 1.5, low = 1e-3, high = 1e3;
    const auto parameter = [](const char* name, double prior) {
        return FitParameter{name, prior, prior, spread, prior * low, prior * high};
    };
    static const std::vector<Model> list = {
        {alpha_beta,
         Forecast::fitted_alphabeta,
         {parameter("launch", 7e-6), parameter("intra", 0.6e-6), parameter("inter", 3e-6), parameter("share", 1)}},
        {tuning, Forecast::fitted_tuning, {parameter("launch", 1e-6), parameter("factor", 1)}}};
    return list;
}

// As in our own fit, all rows of a site in one regime count as one observation.
std::vector<double> fitted(const Model& model, const std::vector<NullRow>& rows) {
    std::map<std::pair<std::string, Regime>, std::vector<const NullRow*>> cells;
    for (const NullRow& row : rows) { cells[{row.row->site, regime_of(row.row->size)}].push_back(&row); }
    std::vector<FitCurve> curves;
    for (const auto& [cell, members] : cells) {
        FitCurve curve;
        for (std::size_t p = 0; p < model.parameters.size(); ++p) { curve.parameters.push_back(p); }
        curve.weights.assign(members.size(), 1 / std::sqrt(static_cast<double>(members.size())));
        curve.errors = [&model, &members = members](std::span<const double> values, std::span<double> errors) {
            for (std::size_t i = 0; i < errors.size(); ++i) {
                errors[i] = std::log(model.seconds(*members[i]->size, values) / members[i]->row->measured);
            }
        };
        curves.push_back(std::move(curve));
    }
    std::vector<double> values;
    for (const FittedValue& value :
         robust_fit(model.parameters, {}, curves, static_cast<double>(curves.size())).values) {
        values.push_back(value.value);
    }
    return values;
}

using Class = std::tuple<std::string, std::string, std::string>;  // part, GPU generation, fabric

}  // namespace

void forecast_fitted_nulls(std::vector<ComparedRow>& rows, const Collection& collection) {
    std::map<std::pair<std::string, Bytes>, const ComparedSize*> sizes;
    for (const CollectedCurve& curve : collection.curves) {
        for (const ComparedSize& size : curve.comparison.sizes) {
            sizes[{curve.comparison.id, size.measured.size}] = &size;
        }
    }
    std::map<std::pair<std::string, Class>, std::vector<NullRow>> judged;  // by publisher
    for (ComparedRow& row : rows) {
        if (row.counted()) {
            judged[{row.publisher, {row.part, row.group.generation, row.group.fabric}}].push_back(
                {&row, sizes.at({row.table, row.size})});
        }
    }
    for (const auto& [key, own] : judged) {
        const auto& [publisher, kind] = key;
        std::vector<NullRow> alike;
        std::vector<NullRow> others;
        for (const auto& [other, list] : judged) {
            if (other.first != publisher && std::get<0>(other.second) == std::get<0>(kind)) {
                others.insert(others.end(), list.begin(), list.end());
                if (other.second == kind) { alike.insert(alike.end(), list.begin(), list.end()); }
            }
        }
        if (others.empty()) { continue; }
        for (const Model& model : models()) {
            const std::vector<double> constants = fitted(model, alike.empty() ? others : alike);
            for (const NullRow& row : own) { (*row.row)[model.forecast] = model.seconds(*row.size, constants); }
        }
    }
}

}  // namespace fabricast::inline calibration
