#pragma once
// What documents claim about fabrics, held against the simulation. A claim is data (validate/claims/*.yaml): what is
// said, what standards and measurements say of it, and checks. A check is a quantity that a scenario simulates, or that
// a link's own formulas give, and the range it has to fall in.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

// Something to be simulated or computed: `take` of a scenario's run, of a link or of a part; times `times`, and what is
// in `plus` added to it, over what is in `over`.
struct Observation {
    enum class Source : std::uint8_t { run, link, part, count };
    Source source = Source::run;
    std::string name;              // of the scenario, link or part; of `count`: the kind of parts
    std::string take;              // "time", "bandwidth", "encoded", a figure's name
    std::string at;                // the size, where there are several
    std::string is;                // a word: 1 where what is taken equals it, else 0
    std::vector<std::string> set;  // overrides of the scenario, "workload.host.acs=true"
    double times = 1;
    std::vector<Observation> plus;
    std::vector<Observation> over;  // at most one
};

enum class CheckRole : std::uint8_t {
    standing,   // must hold, as everything is set by default
    condition,  // the same under conditions that the source names; decides where a standing check fails
    literal,    // the claim to the letter, which a standard contradicts: must not hold
    shown       // beside the others; decides nothing
};

struct Check {
    std::string what, unit;
    CheckRole role = CheckRole::standing;
    double low = 0, high = 0;  // in `unit`
    Observation of;
};

// What is known of the claim apart from this simulator.
enum class Standing : std::uint8_t { ok, model, ambiguous, wrong };

enum class ClaimVerdict : std::uint8_t { reproduced, only_if, contradicted, not_reproduced };
std::string_view to_string(Standing);
std::string_view to_string(ClaimVerdict);

struct Claim {
    std::string id, says, known, source;
    Standing standing = Standing::ok;
    std::string conditions;  // of the checks of that role, and who names them
    std::string note;
    ClaimVerdict verdict = ClaimVerdict::reproduced;  // as committed
    std::string explained;  // of a miss: "deviations", or the name of the test that shows its cause
    std::vector<Check> checks;
};

// One file: a theme.
struct ClaimFile {
    std::string title;
    std::filesystem::path file;
    std::map<std::string, std::string, std::less<>> scenarios;  // text, or the path of a file beside
    std::vector<Claim> claims;
};

// In SI base units; throws std::out_of_range for another word.
double claim_unit(const std::string& unit);

}  // namespace fabricast
