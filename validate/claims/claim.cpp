#include "validate/claims/claim.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/enum_name.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline claims {

namespace {

const std::map<std::string, double>& units() {
    static const std::map<std::string, double> table = {
        {"", 1},  {"GB/s", 1e9}, {"TB/s", 1e12}, {"Gb/s", 1.25e8}, {"us", 1e-6}, {"ns", 1e-9},    {"ms", 1e-3},
        {"B", 1}, {"%", 0.01},   {"cores", 1},   {"GPUs", 1},      {"times", 1}, {"samples/s", 1}};
    return table;
}

constexpr std::array<std::string_view, 4> standing_words = {"OK", "MODEL", "AMB", "WRONG"};
constexpr std::array<std::string_view, 4> verdict_words = {"reproduced", "only if", "contradicted by spec",
                                                           "not reproduced"};

template <class Enum> Enum read_word(const yaml::Node& node, std::span<const std::string_view> words) {
    return static_cast<Enum>(node.as_enum({words.begin(), words.end()}));
}

Observation read_observation(const yaml::Node& node) {
    node.allow({"run", "link", "part", "count", "take", "at", "is", "set", "times", "plus", "over"});
    Observation o;
    constexpr const char* sources[] = {"run", "link", "part", "count"};  // in the order of Observation::Source
    int named = 0;
    for (std::size_t i = 0; i < std::size(sources); ++i) {
        if (const yaml::Node* name = node.get(sources[i])) {
            o.source = static_cast<Observation::Source>(i);
            o.name = name->as_string();
            ++named;
        }
    }
    if (named != 1) { node.fail("a quantity is of one run, link, part or count"); }
    o.take = node.required("take").as_string();
    o.at = node.text_or("at");
    o.is = node.text_or("is");
    if (const yaml::Node* set = node.get("set")) {
        for (const yaml::Node& member : set->members()) { o.set.push_back(member.name + "=" + member.as_string()); }
    }
    if (const yaml::Node* times = node.get("times")) { o.times = times->as_double(); }
    if (const yaml::Node* plus = node.get("plus")) { o.plus.push_back(read_observation(*plus)); }
    if (const yaml::Node* over = node.get("over")) { o.over.push_back(read_observation(*over)); }
    return o;
}

Check read_check(const yaml::Node& node) {
    node.allow({"what", "unit", "role", "between", "of"});
    Check check;
    check.what = node.required("what").as_string();
    check.unit = node.text_or("unit");
    if (!units().contains(check.unit)) { node.required("unit").fail("no unit of claims"); }
    if (const yaml::Node* role = node.get("role")) {
        check.role = static_cast<CheckRole>(role->as_enum({"standing", "condition", "literal", "shown"}));
    }
    const std::vector<yaml::Node>& range = node.required("between").items();
    if (range.size() != 2 || range[0].as_double() > range[1].as_double()) {
        node.required("between").fail("a range has a lower and an upper end");
    }
    check.low = range[0].as_double();
    check.high = range[1].as_double();
    check.of = read_observation(node.required("of"));
    return check;
}

Claim read_claim(const yaml::Node& node) {
    node.allow({"id", "says", "known", "source", "standing", "conditions", "note", "verdict", "explained", "checks"});
    Claim claim;
    claim.id = node.required("id").as_string();
    claim.says = node.required("says").as_string();
    claim.known = node.required("known").as_string();
    claim.source = node.required("source").as_string();
    claim.standing = read_word<Standing>(node.required("standing"), standing_words);
    claim.conditions = node.text_or("conditions");
    claim.note = node.text_or("note");
    claim.verdict = read_word<ClaimVerdict>(node.required("verdict"), verdict_words);
    claim.explained = node.text_or("explained");
    for (const yaml::Node& check : node.required("checks").items()) { claim.checks.push_back(read_check(check)); }
    const bool conditional =
        std::ranges::any_of(claim.checks, [](const Check& check) { return check.role == CheckRole::condition; });
    if (conditional == claim.conditions.empty()) {
        node.fail("checks under conditions, and who names those conditions, come together");
    }
    return claim;
}

ClaimFile read_file(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"title", "scenarios", "claims"});
    ClaimFile file{root.required("title").as_string(), path, {}, {}};
    for (const yaml::Node& scenario : root.required("scenarios").members()) {
        file.scenarios[scenario.name] = scenario.as_string();
    }
    for (const yaml::Node& claim : root.required("claims").items()) { file.claims.push_back(read_claim(claim)); }
    return file;
}

}  // namespace

std::string_view to_string(Standing standing) { return enum_name(standing_words, standing); }
std::string_view to_string(ClaimVerdict verdict) { return enum_name(verdict_words, verdict); }

double claim_unit(const std::string& unit) { return units().at(unit); }

std::vector<ClaimFile> read_claims(const std::filesystem::path& folder) {
    std::vector<ClaimFile> files;
    for (const auto& path : yaml::files_among(std::filesystem::directory_iterator(folder))) {
        files.push_back(read_file(path));
    }
    return files;
}

}  // namespace fabricast::inline claims
