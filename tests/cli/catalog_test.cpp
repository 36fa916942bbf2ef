// fabricast catalog: what it prints, and what it refuses.

#include <fstream>

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_root.hpp"

using namespace fabricast::test;

namespace {

using fabricast::testing::root;

}  // namespace

TEST_CASE("catalog lists parts by kind, nodes among them, and shows one") {
    const ScratchFolder scratch("catalog");
    const Ran list = run_program("catalog", root, scratch);
    CHECK(list.code == 0);
    CHECK_THAT(list.out,
               ContainsSubstring("\nnode\n") && ContainsSubstring("dgx-h100") && ContainsSubstring("infiniband-ndr"));
    const Ran page = run_program("catalog show infiniband-hdr", root, scratch);
    CHECK(page.code == 0);
    CHECK_THAT(page.out, ContainsSubstring("infiniband-hdr (link)") && ContainsSubstring("origin") &&
                             ContainsSubstring("per direction: 25 GB/s"));
    CHECK_THAT(run_program("catalog show dgx-a100", root, scratch).out, ContainsSubstring("a100-sxm4"));
}

TEST_CASE("catalog refuses what it does not know with the nearest name") {
    const ScratchFolder scratch("catalog_bad");
    for (const auto& [arguments, word] :
         std::vector<std::pair<std::string, std::string>>{{"catalog show conectx-7", "nearest: 'connectx-7'"},
                                                          {"catalog lst", "nearest: 'list'"},
                                                          {"catalog list gpus", "nearest: 'gpu'"},
                                                          {"catalog show", "which part?"},
                                                          {"catalog show a b", "too many positional options"}}) {
        INFO(arguments);
        const Ran ran = run_program(arguments, root, scratch);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK_THAT(ran.first_error_line(), ContainsSubstring(word));
    }
}

TEST_CASE("a user's folder and an overlay show in the catalogue") {
    const ScratchFolder scratch("catalog_user");
    const std::filesystem::path parts = scratch.path / "parts";
    std::filesystem::create_directory(parts);
    std::ofstream(parts / "mine.yaml")
        << "half: {base: infiniband-ndr, note: Two lanes., origin: spec, source: a sheet, figures: {lanes: 2}}\n";
    CHECK_THAT(run_program("catalog show half --catalog " + parts.string(), root, scratch).out,
               ContainsSubstring("per direction: 25 GB/s"));
    const std::filesystem::path overlay = scratch.path / "overlay.yaml";
    std::ofstream(overlay)
        << "connectx-7:\n  figures:\n    latency.transmit: {value: 500 ns, origin: fitted, source: our-cluster}\n";
    CHECK_THAT(run_program("catalog show connectx-7 --calibration " + overlay.string(), root, scratch).out,
               ContainsSubstring("500 ns") && ContainsSubstring("our-cluster"));
    std::ofstream(overlay)
        << "connectx-7:\n  figures:\n    latency.trnsmit: {value: 500 ns, origin: fitted, source: our-cluster}\n";
    const Ran bad = run_program("catalog show connectx-7 --calibration " + overlay.string(), root, scratch);
    CHECK(bad.code == 2);
    CHECK_THAT(bad.first_error_line(),
               ContainsSubstring("overlay.yaml:3:5:") && ContainsSubstring("'latency.transmit'"));
}
