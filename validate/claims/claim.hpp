#pragma once
// Claims of documents about fabrics, to be compared with the simulation. A claim is data (validate/claims/*.yaml): what
// the document says, what standards and measurements say about it, and checks. A check is a quantity and the range that
// it must be in; the quantity comes from simulating a scenario or from the formulas of a link.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fabricast::inline claims {

// A quantity to simulate or compute: (`take` of a run, link or part, times `times`, plus those in `plus`) / `over`.
struct Observation {
    enum class Source : std::uint8_t { run, link, part, count };
    Source source = Source::run;
    std::string name;              // of the scenario, link or part; for `count`: the kind of parts
    std::string take;              // "time", "bandwidth", "encoded", or the name of a figure
    std::string at;                // the size, if there are several
    std::string is;                // a word: the value is 1 if the quantity equals it, else 0
    std::vector<std::string> set;  // overrides of the scenario: "workload.host.acs=true"
    double times = 1;
    std::vector<Observation> plus;
    std::vector<Observation> over;  // at most one
};

enum class CheckRole : std::uint8_t {
    standing,   // must hold with default settings
    condition,  // must hold under conditions that the source names; decides if a standing check fails
    literal,    // the claim taken literally, which a standard contradicts: must not hold
    shown       // for information; decides nothing
};

struct Check {
    std::string what, unit;
    CheckRole role = CheckRole::standing;
    double low = 0, high = 0;  // in `unit`
    Observation of;
};

// What is known about the claim from sources other than this simulator.
enum class Standing : std::uint8_t { ok, model, ambiguous, wrong };

enum class ClaimVerdict : std::uint8_t { reproduced, only_if, contradicted, not_reproduced };
std::string_view to_string(Standing);
std::string_view to_string(ClaimVerdict);

struct Claim {
    std::string id, says, known, source;
    Standing standing = Standing::ok;
    std::string conditions;  // conditions of the checks of role `condition`, and who states them
    std::string note;
    ClaimVerdict verdict = ClaimVerdict::reproduced;  // as stated in the claims file
    std::string explained;  // if the claim is missed: "deviations", or the name of the test that shows the cause
    std::vector<Check> checks;
};

// One file of claims on one topic.
struct ClaimFile {
    std::string title;
    std::filesystem::path file;
    std::map<std::string, std::string, std::less<>> scenarios;  // text, or the path of a file next to the claims file
    std::vector<Claim> claims;
};

// The SI value of one unit. Throws std::out_of_range for an unknown unit.
double claim_unit(const std::string& unit);

// Every file of a folder, by name. Throws InputError if one is malformed.
std::vector<ClaimFile> read_claims(const std::filesystem::path& folder);

}  // namespace fabricast::inline claims
