#include "validate/calibration/catalog_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "base/text.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "validate/calibration/part_similarity.hpp"

namespace fabricast::inline calibration {
namespace {

constexpr double hardly_told_share = 0.7;  // hardly_told_source states this number

std::string yaml_list(const std::set<std::string>& names) { return fmt::format("[{}]", fmt::join(names, ", ")); }

std::set<std::string> every_dataset(const PartUpdate& update) {
    std::set<std::string> all;
    for (const auto& [figure, fitted] : update.figures) { all.insert(fitted.datasets.begin(), fitted.datasets.end()); }
    return all;
}

// The YAML line of a figure; it has a source only if it differs from that of the part.
std::string figure_line(const std::string& part, const std::string& name, const FittedValue& fitted,
                        const std::string& unit, const std::set<std::string>& of_part) {
    const std::set<std::string>& datasets = fitted.datasets;
    const Prior* prior = prior_of(part + "/" + name);
    const bool hardly_told = !datasets.empty() && prior != nullptr && share_left(fitted, *prior) > hardly_told_share;
    std::string source = datasets == of_part ? "" : ", source: " + yaml_list(datasets);
    if (datasets.empty()) {
        source = fmt::format(", source: \"{}\"", kin_source);
    } else if (hardly_told) {
        source = fmt::format(", source: [\"{}\", {}", hardly_told_source, yaml_list(datasets).substr(1));
    }
    return fmt::format("    {}: {{value: {}, low80: {}, high80: {}, origin: {}{}}}", name, written(fitted.value, unit),
                       written(fitted.low80, unit), written(fitted.high80, unit),
                       datasets.empty() || hardly_told ? "estimated" : "fitted", source);
}

std::string prior_line(const std::string& part, const std::string& name, const std::string& unit) {
    const Prior* prior = prior_of(part + "/" + name);
    if (prior == nullptr) { return ""; }
    return fmt::format(
        "    {}: {{value: {}, origin: estimated, source: \"validate/calibration/priors.yaml: no data of this "
        "combination\"}}",
        name, written(prior->value, unit));
}

std::string_view key_of(std::string_view line) {
    const std::size_t start = line.find_first_not_of(' ');
    const std::size_t colon = line.find(':');
    return start == std::string_view::npos || colon == std::string_view::npos ? std::string_view{}
                                                                              : line.substr(start, colon - start);
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The text as a valid part name: lower-case letters, digits, dashes and dots.
std::string kebab(std::string_view words) {
    std::string name = lower_case(words);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.'; }, '-');
    return name;
}

constexpr const char* sites_head =
    "# Who told the fitted figures: the datasets of each site, by the GPU and, between nodes, the link they were "
    "measured\n"
    "# on. What a forecast says of itself follows from them (docs/collectives.md, 4). Written by `./dev fit`.\n";

}  // namespace

std::string written(double value, const std::string& unit) {
    if (unit == "s") { return fmt::format("{:.5g} us", value * 1e6); }
    if (unit == "B/s") { return fmt::format("{:.5g} GB/s", value * 1e-9); }
    return fmt::format("{:.5g}", value);
}

std::map<std::string, PartUpdate> part_updates(const FitResult& fit, const Catalog& catalog,
                                               const std::vector<FitDataset>& data, FabricCache& cache) {
    std::map<std::string, PartUpdate> updates;
    for (const auto& [name, fitted] : fit.figures) { updates[part_of(name)].figures[figure_in(name)] = fitted; }
    // The largest system in the data: in GPUs per node for a kernel, in nodes for a transport.
    const Catalog fitted = with_figures(catalog, fit.figures);
    for (const FitDataset& dataset : data) {
        const std::string judged = dataset.scenario.cluster.nodes > 1 ? "transport" : "kernel";
        const Fabric& fabric = cache.at(dataset.scenario);
        const CurveForecaster forecaster(dataset.scenario, fabric, fitted);
        for (const Bytes size : dataset.sizes) {
            for (const std::string& cost : forecaster.at(size).costs) {
                const std::string part = part_of(cost);
                if (fitted.parts.at(part).kind == judged) {
                    const double reach = judged == "kernel" ? fabric.gpus_per_node() : fabric.node_count();
                    updates[part].reach = std::max(updates[part].reach, reach);
                }
            }
        }
    }
    return updates;
}

double share_left(const FittedValue& fitted, const Prior& prior) { return deviation_of(fitted) / prior.spread; }

std::string with_updates(std::string_view yaml, const std::map<std::string, PartUpdate>& updates,
                         const Catalog& catalog) {
    std::string out;
    const Part* part = nullptr;  // part being written
    const PartUpdate* update = nullptr;
    std::string blank;  // empty lines and comments, held back until the next line of YAML
    while (!yaml.empty()) {
        const std::string_view line = yaml.substr(0, yaml.find('\n'));
        yaml.remove_prefix(std::min(yaml.size(), line.size() + 1));
        const std::string_view key = key_of(line);
        if (line.empty() || line[indent_of(line)] == '#') {
            blank += std::string(line) + "\n";
            continue;
        }
        if (indent_of(line) == 0) {
            const auto found = catalog.parts.find(key);
            part = found != catalog.parts.end() && has_costs(found->second) ? &found->second : nullptr;
            const auto change = updates.find(std::string(key));
            update = part != nullptr && change != updates.end() ? &change->second : nullptr;
        }
        out += blank;
        blank.clear();
        const std::size_t indent = part == nullptr ? 0 : indent_of(line);
        if (indent == 2 && key == "source" && update != nullptr && !every_dataset(*update).empty()) {
            out += "  source: " + yaml_list(every_dataset(*update)) + "\n";
        } else if (indent == 4 && key.starts_with("data.") && update != nullptr && update->reach > 0) {
            out += fmt::format("    {}: {:g}\n", key, update->reach);
        } else if (indent == 4 && part->figures.contains(key)) {
            const std::string name(key);
            const Figure& figure = part->figures.find(key)->second;
            std::string replaced;
            if (update != nullptr && update->figures.contains(name)) {
                replaced = figure_line(part->name, name, update->figures.at(name), figure.unit, every_dataset(*update));
            } else if ((figure.origin == Origin::fitted || hardly_told(figure)) && !name.starts_with("data.")) {
                replaced = prior_line(part->name, name, figure.unit);
            }
            out += (replaced.empty() ? std::string(line) : replaced) + "\n";
        } else {
            out += std::string(line) + "\n";
        }
    }
    return out + blank;
}

std::string site_parts(const std::vector<FitDataset>& data, FabricCache& cache) {
    std::map<std::tuple<std::string, std::string, std::string>, std::string> datasets;  // by site, GPU and link
    for (const FitDataset& dataset : data) {
        const Fabric& fabric = cache.at(dataset.scenario);
        const std::string link = fabric.node_count() > 1 ? fabric.cluster().fabric.link.name : "";
        std::string& list = datasets[{dataset.site, fabric.node().gpu.name, link}];
        list += (list.empty() ? "" : " ") + dataset.id;
    }
    std::string yaml = sites_head;
    for (const auto& [where, list] : datasets) {
        const auto& [site, gpu, link] = where;
        const std::string of = gpu + (link.empty() ? "" : "-" + link);
        yaml += fmt::format("\n{}:\n  kind: site\n  note: \"Data of {}{}.\"\n  site: {}\n  gpu: {}\n",
                            kebab("site-" + site + "-" + of), gpu, link.empty() ? "" : " over " + link, site, gpu);
        yaml += link.empty() ? "" : "  link: " + link + "\n";
        yaml += "  datasets: " + list + "\n";
    }
    return yaml;
}

}  // namespace fabricast::inline calibration
