// Every file of a site's kinds among the samples is read, or refused with its place and reason; so is every form that
// mail, terminals and interrupted copies make of it. A table says which.

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

TEST_CASE("a sample in another form is read alike") {
    if (sample_files().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    for (const fs::path& file : sample_files()) {
        const std::string name = file.filename().string();
        const std::string text = bytes_of(file);
        const std::string own = outcome(text, name);
        std::string crlf, spaced = text;
        for (const char c : text) { crlf += c == '\n' ? "\r\n" : std::string(1, c); }
        std::ranges::replace(spaced, '\t', ' ');
        INFO(name);
        CHECK(refused(outcome(crlf, name)) == refused(own));
        CHECK(refused(outcome("\xEF\xBB\xBF" + text, name)) == refused(own));
        CHECK(refused(outcome(spaced, name)) == refused(own));
        if (!refused(own)) {
            CHECK(outcome(crlf, name) == own);
            CHECK(outcome("\xEF\xBB\xBF" + text, name) == own);
            CHECK(outcome(spaced, name) == own);
        }
    }
}

TEST_CASE("a cut or shuffled sample is read or refused, and never crashes") {
    if (sample_files().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    for (const fs::path& file : sample_files()) {
        const std::string name = file.filename().string();
        const std::string text = bytes_of(file);
        for (std::size_t cut = 1; cut < 16; ++cut) { outcome(text.substr(0, text.size() * cut / 16), name); }
        std::vector<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) { lines.push_back(line); }
        std::uint64_t state = 1;
        for (std::size_t i = lines.size(); i > 1; --i) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            std::swap(lines[i - 1], lines[(state >> 33U) % i]);
        }
        std::string shuffled;
        for (const std::string& line : lines) { shuffled += line + "\n"; }
        outcome(shuffled, name);
    }
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
        const auto nics = fabric.near_nics(gpu);
        REQUIRE(!nics.empty());
        double least = 1e15;
        const Path path = fabric.path({.src = fabric.gpu(gpu), .dst = fabric.nic(0, nics[0]), .kind = PathKind::p2p});
        for (const LinkId link : path.span()) { least = std::min(least, fabric.link(link).capacity); }
        CHECK(least > 40e9);  // gen4 x1 is 2 GB/s
        std::cout << "figure: gb300 gpu" << gpu << " to its NIC " << least / 1e9 << " GB/s\n";
    }
}
