// Every file of a site's kinds among the samples is read, or refused with its place and reason; so is every form that
// mail, terminals and interrupted copies make of it. A table says which.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/text.hpp"
#include "discovery/format.hpp"
#include "discovery/site/checks.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/trace_files.hpp"
#include "topologies/fabric.hpp"

using namespace fabricast;
namespace fs = std::filesystem;

namespace {

const fs::path samples = fs::path(FABRICAST_SOURCE_DIR) / "../shared/samples";

std::vector<fs::path> sample_files() {
    std::vector<fs::path> files;
    for (const char* kind : {"nccl-topo-xml", "nccl-graph-xml", "nvidia-smi-topo", "nvidia-smi-nvlink", "hwloc-xml",
                             "ibnetdiscover", "ib-topo-file", "ufm-ndt", "sonic", "sonic-links-csv", "netq-json",
                             "topology-dot", "slurm-topology", "topograph-yaml", "simgrid-xml"}) {
        if (!fs::is_directory(samples / kind)) { continue; }
        for (const auto& entry : fs::directory_iterator(samples / kind)) {
            if (entry.path().filename() != "SOURCES.md") { files.push_back(entry.path()); }
        }
    }
    std::ranges::sort(files);
    return files;
}

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

constexpr const char* cut_note = " (may be cut short)";

// "read" with what it gave, or the refusal; a refusal without a place, and every other exception, fails.
std::string outcome(const std::string& text, const std::string& name) {
    try {
        const SourceText source(text, name);
        const Observations seen = observe(source);
        std::size_t gpus = 0;
        for (const NodeSeen& node : seen.nodes) { gpus += node.gpus.size(); }
        std::ostringstream out;
        out << padded(seen.format, 20) << seen.nodes.size() << " nodes inside, " << gpus << " GPUs, "
            << seen.devices.size() << " devices, " << seen.cables.size() << " cables, " << seen.groups.size()
            << " groups";
        const auto says_cut = [](const std::string& note) { return note.find("may be cut") != std::string::npos; };
        if (std::ranges::any_of(seen.notes, says_cut)) { out << cut_note; }
        return out.str();
    } catch (const InputError& error) {
        CHECK(error.place.has_value());
        CHECK(!error.message.empty());
        return std::string("refused: ") + error.what();
    }
}

bool refused(const std::string& text) { return text.starts_with("refused"); }

}  // namespace

TEST_CASE("every sample is read or refused with its place and reason") {
    if (sample_files().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    std::size_t read = 0, all = 0;
    for (const fs::path& file : sample_files()) {
        const std::string name = (file.parent_path().filename() / file.filename()).string();
        const std::string what = outcome(bytes_of(file), name);
        std::cout << padded(name, 52) << " " << what.substr(0, 150) << "\n";
        read += refused(what) ? 0 : 1;
        ++all;
    }
    std::cout << "figure: site_samples_read " << read << " of " << all << "\n";
    CHECK(read * 100 >=
          all * 85);  // what no reader is for stays refused: buffer profiles, platform files, a daemon's log
}

namespace {

std::string with_crlf(const std::string& text) {
    std::string crlf;
    for (const char c : text) { crlf += c == '\n' ? "\r\n" : std::string(1, c); }
    return crlf;
}

std::string without_tabs(std::string text) {
    std::ranges::replace(text, '\t', ' ');
    return text;
}

// As PowerShell's `>` writes it.
std::string as_utf16(const std::string& text, bool little) {
    std::string wide = little ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : text) { (wide += little ? c : '\0') += little ? '\0' : c; }
    return wide;
}

std::string shuffled(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) { lines.push_back(line); }
    std::uint64_t state = 1;
    for (std::size_t i = lines.size(); i > 1; --i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::swap(lines[i - 1], lines[(state >> 33U) % i]);
    }
    std::string mixed;
    for (const std::string& line : lines) { mixed += line + "\n"; }
    return mixed;
}

// A file on disk, as the command reads it: packed, or packed and cut.
std::string outcome_of_file(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    try {
        return outcome(read_source(path)->text(), path.filename().string());
    } catch (const InputError& error) {
        CHECK(error.place.has_value());
        return std::string("refused: ") + error.what();
    }
}

}  // namespace

// Forms of one text must be read alike, or refused alike. What mixes or cuts a text is read or refused, with its place.
TEST_CASE("every form of a sample is read whole, or refused with its place and reason") {
    if (sample_files().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    const test::TempFolder folder;
    std::cout << padded("", 52)
              << " whole    CRLF BOM tabs UTF-16 gzip  lines mixed  cut: said so, refused  cut gzip\n";
    std::size_t alike = 0, forms = 0;
    for (const fs::path& file : sample_files()) {
        const std::string name = (file.parent_path().filename() / file.filename()).string();
        const std::string text = bytes_of(file), own = outcome(text, file.filename().string());
        const fs::path packed = folder.path() / file.filename();
        const std::string gzip = test::gzipped(text);
        std::string row;
        const auto compare = [&](const std::string& form, int width) {
            const bool same = refused(own) ? refused(form) : form == own;
            INFO(name << ": " << own << "; " << form);
            CHECK(same);
            alike += same ? 1 : 0;
            ++forms;
            row += padded(same ? "=" : "no", static_cast<std::size_t>(width));
        };
        compare(outcome(with_crlf(text), file.filename().string()), 5);
        compare(outcome("\xEF\xBB\xBF" + text, file.filename().string()), 4);
        compare(outcome(without_tabs(text), file.filename().string()), 5);
        compare(outcome(as_utf16(text, true), file.filename().string()), 3);
        compare(outcome(as_utf16(text, false), file.filename().string()), 4);
        compare(outcome_of_file(packed, gzip), 6);
        const std::string mixed = outcome(shuffled(text), file.filename().string());
        // A text that ends at the end of a line may be whole; any other says that it is not.
        std::size_t read = 0;
        for (std::size_t cut = 1; cut < 16; ++cut) {
            const std::string part = text.substr(0, text.size() * cut / 16),
                              found = outcome(part, file.filename().string());
            read += refused(found) ? 0 : 1;
            INFO(name << " cut to " << part.size() << ": " << found);
            CHECK((refused(found) || found.ends_with(cut_note) || part.ends_with('\n')));
        }
        CHECK(refused(outcome_of_file(packed, gzip.substr(0, gzip.size() / 2))));
        std::cout << padded(name, 52) << " " << padded(refused(own) ? "refused" : "read", 9) << row
                  << padded(mixed == own     ? "="
                            : refused(mixed) ? "refused"
                                             : "otherwise",
                            13)
                  << padded(fmt::format("{}, {}", read, 15 - read), 20) << "refused\n";
    }
    std::cout << "figure: site_sample_forms_alike " << alike << " of " << forms << "\n";
}

TEST_CASE("what a sample makes is a scenario that builds") {
    if (sample_files().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    const Catalog catalog = read_catalog();
    std::size_t built = 0, all = 0;
    for (const fs::path& file : sample_files()) {
        const std::string name = (file.parent_path().filename() / file.filename()).string();
        std::string what;
        try {
            std::vector<Observations> seen;
            seen.push_back(observe(SourceText(bytes_of(file), name)));
            Site site = join(std::move(seen));
            const Description made = describe(site, catalog, {});
            const Scenario scenario = parse_scenario(made.yaml, "made.yaml");
            const Fabric fabric(build(scenario, catalog));
            const std::size_t findings = check(site, made, catalog, {}).size();
            what = std::to_string(fabric.node_count()) + " x " + std::to_string(fabric.gpus_per_node()) + " " +
                   fabric.node().gpu.name + ", " + made.fabric + ", " + std::to_string(findings) + " findings";
            ++built;
        } catch (const InputError& error) {
            const bool no_format = std::string(error.what()).find("no kind of file") != std::string::npos;
            if (no_format) { continue; }
            what = std::string("refused: ") + error.what();
        }
        ++all;
        std::cout << padded(name, 52) << " " << what.substr(0, 200) << "\n";
    }
    std::cout << "figure: site_samples_built " << built << " of " << all << "\n";
    CHECK(built * 100 >= all * 80);  // the others describe no GPU or no host, and say so
}

// DataCrunch's GB300 rack: root ports of one lane of gen4 above bridges of sixteen of gen6.
TEST_CASE("GB300's tray has its NVLinks by count and each NIC behind its own bridge") {
    const fs::path file = samples / "nccl-topo-xml" / "gb300_1tray_healthy.xml";
    if (!fs::exists(file)) { SKIP_TEST("no ../shared/samples beside the sources"); }
    const Catalog catalog = read_catalog();
    std::vector<Observations> seen;
    seen.push_back(observe(SourceText(bytes_of(file), "gb300.xml")));
    Site site = join(std::move(seen));
    const Description made = describe(site, catalog, {});
    INFO(made.yaml);
    const Fabric fabric(build(parse_scenario(made.yaml, "made.yaml"), catalog));
    CHECK(fabric.node().gpu.name.find("gb300") != std::string::npos);
    double nvlink = 0;
    const Path between = fabric.path({.src = fabric.gpu(0), .dst = fabric.gpu(1)});
    for (const LinkId link : between.span()) {
        CHECK(fabric.link(link).cls == LinkClass::nvlink);
        nvlink = fabric.link(link).capacity;
    }
    CHECK(nvlink > 18 * 40e9);  // 18 links of NVLink 5
    for (std::uint32_t gpu = 0; gpu < fabric.gpus_per_node(); ++gpu) {
        const auto nics = fabric.near_nics(fabric.gpu(gpu));
        REQUIRE(!nics.empty());
        double least = 1e15;
        const Path path = fabric.path({.src = fabric.gpu(gpu), .dst = fabric.nic(0, nics[0]), .kind = PathKind::p2p});
        for (const LinkId link : path.span()) { least = std::min(least, fabric.link(link).capacity); }
        CHECK(least > 40e9);  // gen4 x1 is 2 GB/s
        std::cout << "figure: gb300 gpu" << gpu << " to its NIC " << least / 1e9 << " GB/s\n";
    }
}
