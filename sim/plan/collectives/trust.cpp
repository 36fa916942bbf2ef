#include "sim/plan/collectives/trust.hpp"

#include <fmt/ranges.h>

#include <set>

#include "base/text.hpp"

namespace fabricast::inline collectives {

bool hardly_told(const Figure& figure) {
    return figure.origin == Origin::estimated && !figure.source.empty() && figure.source.front() == hardly_told_source;
}

bool from_here(const Figure& figure) {
    return std::any_of(figure.source.begin(), figure.source.end(),
                       [](const std::string& source) { return source.starts_with(measured_here_prefix); });
}

namespace {

// Which word of a site must equal the system's for its data to count as data of the same system: the GPU for a kernel
// part, the link for a transport. Empty: every site counts, as for what NCCL adds on any network and for launches.
std::string_view told_on(const Part& part) {
    return part.kind == "transport" ? "link" : part.kind == "kernel" && part.text.contains("arch") ? "gpu" : "";
}

struct Tellers {
    std::set<std::string_view> same, any;  // sites with the system's own GPU or link; all sites
};

Tellers tellers(const KnownSites& known, const Part& part, const Figure& figure) {
    const std::string_view what = told_on(part);
    Tellers found;
    for (const std::string& dataset : figure.source) {
        const auto site = known.sites.find(dataset);
        if (site == known.sites.end()) { continue; }
        const std::string& name = site->second->word("site");
        found.any.insert(name);
        if (what.empty() || site->second->word_or(what, "") == (what == "gpu" ? known.gpu : known.link)) {
            found.same.insert(name);
        }
    }
    return found;
}

}  // namespace

std::string KnownSites::other_systems(const Part& part) const {
    const std::string_view what = told_on(part);
    std::set<std::string> others;
    for (const auto& [name, figure] : part.figures) {
        if (from_here(figure) || !tellers(*this, part, figure).same.empty()) { return ""; }
        for (const std::string& dataset : figure.source) {
            if (const auto site = sites.find(dataset); site != sites.end()) {
                others.insert(site->second->word_or(what, ""));
            }
        }
    }
    return fmt::format("{}", fmt::join(others, ", "));
}

Trust KnownSites::told(const Part& part, const Figure& figure, Evidence at_best) const {
    const auto both = [&](Evidence own) { return Trust{weaker(at_best, own), weaker(at_best, own)}; };
    if (figure.origin == Origin::spec || figure.origin == Origin::vendor) {
        return both(Evidence::same_gpu_era_fabric);
    }
    if (figure.origin == Origin::estimated && !hardly_told(figure)) { return both(Evidence::same_family); }
    const Tellers told = tellers(*this, part, figure);
    Trust trust = both(told.same.size() > 1                     ? Evidence::same_gpu_era_fabric
                       : told.same.empty() && !told.any.empty() ? Evidence::same_family
                                                                : Evidence::one_site);
    if (hardly_told(figure)) { trust.evidence = weaker(trust.evidence, Evidence::same_family); }
    return trust;
}

std::map<std::string_view, const Part*> sites_by_dataset(const Catalog& catalog) {
    std::map<std::string_view, const Part*> sites;
    for (const Part* site : catalog.of_kind("site")) {
        for (const std::string_view name : split(site->word("datasets"), ' ')) { sites.emplace(name, site); }
    }
    return sites;
}

}  // namespace fabricast::inline collectives
