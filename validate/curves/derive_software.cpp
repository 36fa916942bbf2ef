#include "validate/curves/derive_software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/names.hpp"
#include "validate/import/alias.hpp"

namespace fabricast::inline curves {

std::vector<std::string_view> releases_in_use(std::string_view generation) {
    return split(word_in(builtin_aliases().nccl_usual, generation), ' ');
}

namespace {

bool came_later(std::string_view version, const Measurement& m) {
    const std::string_view out = word_in(builtin_aliases().nccl_dates, version), date = text(m.source, "date");
    return !out.empty() && !date.empty() && date < out;
}

// nccl-tests prints "graph:" in its first line and "#wrong" over its columns since it followed NCCL 2.13 (August 2022).
// Who builds it anew does not run it on a library of years before.
bool came_long_before(std::string_view version, const Measurement& m) {
    const std::string_view header = text(m.benchmark, "header");
    const bool follows = header.find(" graph: ") != header.npos || header.find("#wrong") != header.npos;
    return follows && nccl::parse_version(version) < nccl::Version{2, 13};
}

}  // namespace

bool out_of_time(std::string_view version, const Measurement& m) {
    return came_later(version, m) || came_long_before(version, m);
}

namespace {

std::uint32_t whole(std::string_view words) { return number_in<std::uint32_t>(words).value_or(0); }

// "2.16.5+cuda11.8" -> "2.16.5"; "" if there is no version.
std::string version_in(std::string_view words, const Pattern& pattern) {
    std::string version;
    if (const std::optional<Pattern::Groups> match = pattern.first_in(words)) {
        for (std::size_t part = 1; part < match->size(); ++part) {
            version += ((*match)[part] && part > 1 ? "." : "") + std::string((*match)[part].value_or(""));
        }
    }
    return version;
}

// Releases of CUDA below 8 are older than NCCL 2.
bool is_rocm(std::string_view toolkit) { return nccl::parse_version(toolkit) < nccl::Version{8, 0}; }

// The NCCL version: as stated, else as named elsewhere in the file, else from the CUDA release, else from the GPU
// generation.
std::string nccl_version(const Measurement& m, Derived& out) {
    static const Pattern plain(R"((?:^|[^\d.])(\d+)\.(\d+)(?:\.(\d+))?)");
    static const Pattern own(R"((?:^|[^\d.])(2)\.(\d+)(?:\.(\d+))?)");  // any other is a CUDA or ROCm release
    static const Pattern code(R"(^\s*(2)(\d\d)(\d\d)\s*$)");            // NCCL_VERSION_CODE: 22703
    static const Pattern library(R"(library ?= ?(2)(\d\d)(\d\d)\b)");   // nccl-tests, beside that of its headers
    static const Pattern other_library(
        R"((rocm|cuda|pytorch|container|image)\D*(\d+))");  // where the release came from
    static const Pattern named(R"(nccl[ _/-]*v?(2)[._](\d+)(?:[._](\d+))?)");
    const std::string_view said = text(m.software, "nccl");
    for (const Pattern* form : {&own, &code, &library}) {
        if (std::string stated = version_in(said, *form); !stated.empty()) { return stated; }
    }
    if (!version_in(said, plain).empty() && version_in(said, other_library).empty()) {
        out.assumptions.push_back("nccl: " + shown(said) + " is no release that fabricast knows; as if not stated");
    }
    for (const std::string_view other : {text(m.software, "env"), text(m.software, "notes"), text(m.source, "path"),
                                         text(m.system, "notes"), std::string_view(m.notes)}) {
        if (std::string found = version_in(other, named); !found.empty()) {
            out.assumptions.push_back("nccl: not stated; " + found + " is named in " + shown(other));
            return found;
        }
    }
    static const Pattern minor(R"(^(\d+)\.(\d+))");
    const std::string cuda = version_in(text(m.software, "cuda"), plain);
    std::string shipped;
    std::string last;  // release of the same toolkit that the table knows
    for (const auto& [from, version] : builtin_aliases().nccl_by_cuda) {
        if (!cuda.empty() && nccl::parse_version(cuda) >= nccl::parse_version(from)) { shipped = version; }
        if (!cuda.empty() && is_rocm(cuda) == is_rocm(from)) { last = from; }
    }
    if (!shipped.empty()) {
        const std::string toolkit = is_rocm(cuda) ? "ROCm " : "CUDA ";
        const bool newer = version_in(cuda, minor) != last && nccl::parse_version(cuda) > nccl::parse_version(last);
        out.nccl_guessed = newer;
        out.assumptions.push_back(
            newer ? "nccl: not stated; " + shipped + ", which " + toolkit + last +
                        " shipped with, or later, for it is not known what " + toolkit + cuda + " shipped with"
                  : "nccl: not stated; " + shipped + ", which " + toolkit + cuda + " shipped with");
        return shipped;
    }
    const WordMap& by_generation = builtin_aliases().nccl_by_generation;
    const std::string& generation = out.group.generation;
    std::string version(out.scenario.cluster.nodes > 1 ? word_in(by_generation, generation + " between") : "");
    if (version.empty()) { version = word_in(by_generation, generation); }
    if (version.empty()) { version = LibrarySpec{}.nccl; }
    if (out_of_time(version, m)) {  // the nearest of those in use when the file was written
        std::vector<std::string_view> others = releases_in_use(generation);
        std::erase_if(others, [&](std::string_view other) { return out_of_time(other, m); });
        if (!others.empty()) { version = came_later(version, m) ? others.back() : others.front(); }
    }
    out.nccl_guessed = true;
    out.assumptions.push_back("nccl: not stated; " + version + ", usual for " + generation);
    return version;
}

// Reads every NAME=value of a text; a later one replaces an earlier one.
void read_environment(std::string_view words, Derived& out) {
    static const Pattern assignment(R"rx(\b([A-Z][A-Z0-9]*_[A-Z0-9_]+) ?= ?("[^"]*"|[^\s;")]+))rx",
                                    Pattern::Case::counts);
    static const std::vector<std::string> modelled = nccl::modelled_variables();
    std::string others;
    for (const Pattern::Groups& match : assignment.all_in(words)) {
        const std::string name(*match[1]);
        std::string value(*match[2]);
        std::erase(value, '"');
        if (name.starts_with("NCCL_")) { out.scenario.library.env[name] = value; }
        if (const std::string note = nccl::unread_note(name); !note.empty()) {
            out.assumptions.push_back("env: " + note);
        } else if (std::ranges::find(modelled, name) == modelled.end()) {
            others += (others.empty() ? "" : ", ") + name;
        }
    }
    if (!others.empty()) { out.assumptions.push_back("env: " + others + " not modelled"); }
}

// The number after the option, for example "-g 8" or "nGpus 8"; 0 if neither is in the text.
std::uint32_t option(std::string_view words, const std::string& letter, const std::string& name) {
    const Pattern pattern("(?:^|\\s)-" + letter + " ?(\\d+)\\b|\\b" + name + " (\\d+)\\b", Pattern::Case::counts);
    const std::optional<Pattern::Groups> match = pattern.first_in(words);
    return match ? whole(*((*match)[1] ? (*match)[1] : (*match)[2])) : 0;
}

// Until nccl-tests had -a (commit 1dfc76e of 30 June 2021) it printed rank 0's time.
void derive_average(const Measurement& m, std::string_view words, LaunchSpec& launch, Derived& out) {
    static const Pattern asked(R"((?:^|\s)(?:-a|--average) ?([0-3])\b)", Pattern::Case::counts);
    const std::string_view date = text(m.source, "date");
    if (const auto match = asked.first_in(words)) {
        launch.average = static_cast<RankTime>(whole(*(*match)[1]));
    } else if (!date.empty() && date < "2021-08" && text(m.benchmark, "tool") == "nccl-tests") {
        launch.average = RankTime::rank0;
        out.assumptions.emplace_back("launch: rank 0's time, as nccl-tests printed until July 2021");
    }
}

void derive_launch(const Measurement& m, Derived& out) {
    LaunchSpec& launch = out.scenario.launch;
    const std::string words =
        std::string(text(m.benchmark, "header")) + " " + std::string(text(m.benchmark, "options"));
    const std::uint32_t gpus = option(words, "g", "nGpus");
    const std::uint32_t threads = option(words, "t", "nThread");
    if (const std::uint32_t n = option(words, "n", "(?:^|[^p] )iters:"); n != 0) {
        launch.iterations = static_cast<int>(n);
    }
    derive_average(m, words, launch, out);
    const std::uint32_t registered = option(words, "R", "register:");
    if (registered == 2) {
        out.scenario.library.registered = Registered::window;
        out.assumptions.emplace_back("registered: symmetric windows, as -R 2 says");
    } else if (registered == 1) {
        out.scenario.library.registered = Registered::buffer;
        out.assumptions.emplace_back("registered: each buffer by itself, as -R 1 says");
    }
    if (option(words, "x", "cta_policy:") == 2) {
        out.scenario.library.env["NCCL_CTA_POLICY"] = "ZERO";
        out.assumptions.emplace_back("copy engines instead of kernels, as -x 2 says");
    }
    if (first_match(builtin_aliases().launchers, text(m.benchmark, "tool")) != nullptr) {
        launch.mode = LaunchMode::framework;
        out.assumptions.push_back("launch: " + shown(text(m.benchmark, "tool")) + " is a framework's loop");
    } else if (gpus > 1) {
        launch.mode = LaunchMode::thread;
        out.assumptions.push_back("launch: one thread drives " + std::to_string(gpus) + " GPUs");
    } else if (threads > 1) {
        launch.mode = LaunchMode::threads;
        out.assumptions.push_back("launch: one process drives " + std::to_string(threads) + " GPUs, a thread each");
    } else if (gpus == 0 && threads == 0) {
        out.launch_guessed = true;
        out.assumptions.emplace_back("launch: not stated; one process a GPU");
    }
}

// Letters and digits only, in lower case: "NVLS-Tree", "nvls_tree" and "NVLSTree" are one word.
std::string bare(std::string_view words) {
    std::string word = lower_case(words);
    std::erase_if(word, [](unsigned char c) { return std::isalnum(c) == 0; });
    return word;
}

// The name in `names` that the words spell; none for "auto" and "default".
template <typename Kind, std::size_t N>
std::optional<Kind> forced(const std::array<std::string_view, N>& names, std::string_view what, std::string_view words,
                           Derived& out) {
    const std::string word = bare(words);
    if (word.empty() || word == "auto" || word == "default") { return std::nullopt; }
    const auto found = std::ranges::find(names, word, bare);
    if (found == names.end()) {
        out.assumptions.push_back(
            fmt::format("{}: {} is none that fabricast knows; forecast as the library chooses", what, shown(words)));
        return std::nullopt;
    }
    return static_cast<Kind>(found - names.begin());
}

// Channels and instances of an MSCCL program: "4_2" in the variant, as its authors name their files, else all channels.
void derive_program(const Measurement& m, CollectiveWorkload& workload) {
    static const Pattern variant(R"(^\s*(x|\d+)_(\d+)\b)");
    const bool ring = workload.algorithm == Algorithm::msccl_ring;
    const std::uint32_t channels = std::max(1U, whole(text(m.benchmark, "nchannels")));
    (ring ? workload.channels : workload.instances) = channels;
    if (const auto match = variant.first_in(text(m.benchmark, "variant"))) {
        workload.instances = std::max(1U, whole(*(*match)[2]));
        if (ring) { workload.channels = std::max(1U, whole(*(*match)[1])); }
    }
}

// The algorithm and protocol that the benchmark was forced to take, where it says so.
void derive_algorithm(const Measurement& m, Derived& out) {
    CollectiveWorkload& workload = collective_of(out.scenario);
    std::string words(text(m.benchmark, "algorithm"));
    if (lower_case(words).find("msccl") != std::string::npos) {
        const bool pairs = bare(words).find("allpair") != std::string::npos;
        words = pairs ? "msccl-all-pairs" : words;
    }
    if (const auto algorithm = forced<Algorithm>(algorithm_names, "algorithm", words, out)) {
        workload.algorithm = *algorithm;
    }
    if (const auto protocol = forced<Protocol>(protocol_names, "protocol", text(m.benchmark, "protocol"), out)) {
        workload.protocol = *protocol;
    }
    if (is_msccl(workload.algorithm)) { derive_program(m, workload); }
    if (workload.algorithm != Algorithm::automatic || workload.protocol != Protocol::automatic) {
        out.assumptions.push_back(fmt::format("algorithm: forced to {}, protocol {}, as the benchmark says",
                                              to_string(workload.algorithm), to_string(workload.protocol)));
    }
}

}  // namespace

void derive_software(const Measurement& m, Derived& out) {
    read_environment(text(m.software, "env"), out);
    read_environment(text(m.benchmark, "options"), out);
    out.scenario.library.nccl = nccl_version(m, out);
    out.group.nccl_era = nccl::parse_version(out.scenario.library.nccl) < nccl::Version{2, 18} ? "<2.18" : ">=2.18";
    derive_launch(m, out);
    derive_algorithm(m, out);
}

}  // namespace fabricast::inline curves
