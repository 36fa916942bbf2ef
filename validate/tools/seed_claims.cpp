// fabricast-seed-claims: compares every claim of validate/claims with the simulation, prints the figures and writes
// docs/seed-claims.md. With --only it prints the claims whose id begins so and writes nothing.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/text_file.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/claims/judge.hpp"
#include "validate/tools/run_tool.hpp"

namespace {

using namespace fabricast;

constexpr const char* usage = "usage: fabricast-seed-claims [--docs DIR] [--claims DIR] [--draws N] [--only ID]\n";

void run(const Options& options) {
    const std::string only = options.value("--only");
    const auto draws = static_cast<std::uint32_t>(std::strtoul(options.value("--draws", "20").c_str(), nullptr, 10));
    const Catalog catalog = read_catalog();
    std::vector<ClaimFile> files = read_claims(options.value("--claims", "validate/claims"));
    std::vector<JudgedFile> judged;
    for (ClaimFile& file : files) {
        std::erase_if(file.claims, [&](const Claim& claim) { return !claim.id.starts_with(only); });
        judged.push_back({&file, judge(file, catalog, draws)});
    }
    const std::string page = claims_page(judged, draws);
    if (only.empty()) {
        write_atomically(std::filesystem::path(options.value("--docs", "docs")) / "seed-claims.md", page);
    } else {
        fmt::print("{}\n", page);
    }
    for (const JudgedFile& file : judged) {
        for (const auto& [claim, verdict, checks] : file.claims) {
            if (verdict != claim->verdict) {
                fmt::print(stderr, "{}: {}, and {} is written\n", claim->id, to_string(verdict),
                           to_string(claim->verdict));
            }
        }
    }
    for (const NamedFigure& figure : claim_figures(judged)) {
        fmt::print("figure: {} {:.0f} {}\n", figure.name, figure.value, figure.unit);
    }
}

}  // namespace

int main(int argc, char** argv) { return run_tool("fabricast-seed-claims", usage, argc, argv, run); }
