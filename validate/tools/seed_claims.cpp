// fabricast-seed-claims [--docs DIR] [--claims DIR] [--draws N] [--only ID]: compares every claim of validate/claims
// with the simulation, prints the figures and writes docs/seed-claims.md. With --only it prints that claim and writes
// nothing.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/text_file.hpp"
#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "validate/claims/claims_page.hpp"
#include "validate/claims/read_claims.hpp"
#include "validate/tools/run_tool.hpp"

namespace {

struct Arguments {
    std::filesystem::path docs = "docs";
    std::filesystem::path claims = "validate/claims";
    std::uint32_t draws = 20;
    std::string only;
};

bool parse(int argc, char** argv, Arguments& arguments) {
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 >= argc) {
            return false;
        }
        const char* value = argv[i + 1];
        if (name == "--docs") {
            arguments.docs = value;
        } else if (name == "--claims") {
            arguments.claims = value;
        } else if (name == "--draws") {
            arguments.draws = static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
        } else if (name == "--only") {
            arguments.only = value;
        } else {
            return false;
        }
    }
    return true;
}

int run(const Arguments& arguments) {
    using namespace fabricast;
    const Catalog catalog = read_catalog();
    std::vector<ClaimFile> files = read_claims(arguments.claims);
    for (ClaimFile& file : files) {
        std::erase_if(file.claims, [&](const Claim& claim) {
            return !arguments.only.empty() && !claim.id.starts_with(arguments.only);
        });
    }
    std::vector<JudgedFile> judged;
    std::vector<JudgedClaim> all;
    for (const ClaimFile& file : files) {
        judged.push_back({&file, judge(file, catalog, arguments.draws)});
        all.insert(all.end(), judged.back().claims.begin(), judged.back().claims.end());
    }
    const std::string page = claims_page(judged, arguments.draws);
    if (arguments.only.empty()) {
        write_atomically(arguments.docs / "seed-claims.md", page);
    } else {
        fmt::print("{}\n", page);
    }
    for (const JudgedClaim& claim : all) {
        if (claim.verdict != claim.claim->verdict) {
            fmt::print(stderr, "{}: {}, and {} is written\n", claim.claim->id, to_string(claim.verdict),
                       to_string(claim.claim->verdict));
        }
    }
    for (const NamedFigure& figure : claim_figures(all)) {
        fmt::print("figure: {} {:.0f} {}\n", figure.name, figure.value, figure.unit);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return fabricast::run_tool<Arguments>(
        "fabricast-seed-claims", "usage: fabricast-seed-claims [--docs DIR] [--claims DIR] [--draws N] [--only ID]\n",
        argc, argv, parse, run);
}
