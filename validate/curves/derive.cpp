#include "validate/curves/derive.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/nearest_word.hpp"
#include "sim/plan/collectives/costs.hpp"
#include "validate/curves/derive_network.hpp"

namespace fabricast {
namespace {

// The enumerator with this name. Throws std::out_of_range if the alias table names none.
template <class Enum>
Enum spelled(std::string_view name) {
    for (std::uint8_t i = 0;; ++i) {
        if (to_string(static_cast<Enum>(i)) == name) {
            return static_cast<Enum>(i);
        }
    }
}

std::uint32_t whole(std::string_view words) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
    return error == std::errc{} && end == words.data() + words.size() ? value : 0;
}

// A count as the file states it; 0 if it does not. Throws if the text is not a count.
std::uint32_t count(const MeasurementSection& section, std::string_view key) {
    const auto found = section.find(key);
    if (found == section.end()) {
        return 0;
    }
    const std::uint32_t value = whole(found->second.text);
    constexpr std::uint32_t most = 1U << 20U;
    if (value == 0 || value > most) {
        throw InputError(found->second.place,
                         error_message(std::string(key) + " is no count", shown(found->second.text), "1 to 1048576"));
    }
    return value;
}

SourceLocation place_of(const MeasurementSection& section, std::string_view key, const SourceLocation& otherwise) {
    const auto found = section.find(key);
    return found == section.end() ? otherwise : found->second.place;
}

// The known name that is nearest to any word of the text: "NVIDIA B300" -> "b200-sxm".
std::string nearest_of(std::string_view words, const std::vector<std::string>& names) {
    std::vector<std::string> stems;
    for (const std::string& name : names) {
        stems.push_back(name.substr(0, name.find('-')));
    }
    std::string token;
    for (const char c : std::string(words) + ' ') {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            token += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            continue;
        }
        const bool model = std::ranges::any_of(token, [](unsigned char d) { return std::isdigit(d) != 0; });
        if (const std::string near = model ? nearest_word(token, stems) : ""; !near.empty()) {
            return names[static_cast<std::size_t>(std::ranges::find(stems, near) - stems.begin())];
        }
        token.clear();
    }
    return "";
}

// The alias that matches a statement. Throws if no row of the list matches.
const Alias& understood(const Measurement& measurement, const MeasurementSection& section, std::string_view key,
                        const AliasList& list, std::string_view meaning) {
    const auto found = section.find(key);
    std::vector<std::string> names;
    for (const Alias& alias : list) {
        if (const std::string name(alias.word(meaning)); std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    if (found == section.end()) {
        throw InputError(measurement.place,
                         error_message("the file does not say its " + std::string(key), "", joined(names)));
    }
    if (const Alias* alias = first_match(list, found->second.text)) {
        return *alias;
    }
    throw InputError(found->second.place,
                     error_message("a " + std::string(key) + " that no alias understands", shown(found->second.text),
                                   joined(names), nearest_of(found->second.text, names)));
}

// ---- the node -------------------------------------------------------------------------------------------------------

struct Counts {
    std::uint32_t nodes = 1;
    std::uint32_t used = 1;  // GPUs of each node that take part
    std::uint32_t ranks = 1;
};

Counts counts(const Measurement& m, Derived& out) {
    Counts c;
    c.nodes = count(m.system, "nodes");
    c.ranks = count(m.benchmark, "ranks");
    const std::uint32_t per_node = count(m.system, "gpus_per_node");
    if (const std::uint32_t used = count(m.system, "gpus_used"); c.ranks == 0 && used != 0) {
        c.ranks = used;
    }
    if (c.nodes == 0) {
        c.nodes = per_node == 0 || c.ranks == 0 ? 1 : (c.ranks + per_node - 1) / per_node;
        out.assumptions.push_back("nodes: not stated; " + std::to_string(c.nodes));
    }
    if (c.ranks == 0) {
        c.ranks = c.nodes * (per_node == 0 ? 1 : per_node);
        if (per_node == 0) {
            throw InputError(m.place, "the file says neither `benchmark.ranks` nor `system.gpus_per_node`");
        }
        out.assumptions.push_back("ranks: not stated; every GPU of every node, " + std::to_string(c.ranks));
    }
    if (c.ranks % c.nodes != 0) {
        throw InputError(place_of(m.benchmark, "ranks", m.place),
                         error_message("ranks that do not divide over the nodes", std::to_string(c.ranks),
                                       "a multiple of " + std::to_string(c.nodes)));
    }
    c.used = c.ranks / c.nodes;
    return c;
}

// How the GPUs of a node are connected, as the alias table names it.
std::string intra_of(const Measurement& m, const AliasTable& table, const Alias& gpu, Derived& out) {
    std::string_view usual = gpu.word("intra");
    const std::string_view said = text(m.system, "intra");
    const Alias* alias = first_match(table.intra, said);
    const std::uint32_t whole_node = std::max(count(m.system, "gpus_per_node"), count(m.system, "gpus_used"));
    constexpr std::uint32_t small_board = 4;
    if (const std::string_view four = gpu.word("four"); !four.empty() && whole_node > 1 && whole_node <= small_board) {
        usual = four;
    }
    std::string intra(alias == nullptr || alias->word("intra") == "usual" ? usual : alias->word("intra"));
    if (alias == nullptr) {
        out.assumptions.push_back(
            "intra: " + (said.empty() ? std::string("not stated") : shown(said) + " says no more") +
            "; as usual for a " + std::string(gpu.word("gpu")) + ", " + intra);
    }
    return intra;
}

// The smallest template for this GPU and connection that has at least as many GPUs as take part.
const NodeAlias& node_of(const Measurement& m, const AliasTable& table, std::string_view gpu, std::string_view intra,
                         std::uint32_t used) {
    const NodeAlias* best = nullptr;
    std::vector<std::string> near;
    for (const NodeAlias& node : table.nodes) {
        if (node.gpu != gpu || !node.network.empty()) {
            continue;
        }
        near.push_back(node.node + " (" + std::to_string(node.gpus) + " over " + node.intra + ")");
        if (node.intra == intra && node.gpus >= used && (best == nullptr || node.gpus < best->gpus)) {
            best = &node;
        }
    }
    if (best == nullptr) {
        throw InputError(place_of(m.system, "gpu", m.place),
                         error_message("the catalogue has no node of this kind",
                                       std::to_string(used) + " x " + std::string(gpu) + " over " + std::string(intra),
                                       near.empty() ? "other GPUs" : joined(near)));
    }
    return *best;
}

void derive_node(const Measurement& m, const AliasTable& table, const Counts& c, Derived& out) {
    const Alias& gpu = understood(m, m.system, "gpu", table.gpus, "gpu");
    out.group.generation = gpu.word("generation");
    const std::string intra = intra_of(m, table, gpu, out);
    ClusterRequest& cluster = out.scenario.cluster;
    cluster.nodes = c.nodes;
    cluster.gpus_per_node = c.used;
    std::uint32_t used = c.used;
    if (intra == "nvl72" && c.nodes > 1) {
        // The trays of one rack form one NVLink domain, which is one node in the catalogue.
        constexpr std::uint32_t rack = 72;
        cluster.nodes = (c.ranks + rack - 1) / rack;
        if (c.ranks % cluster.nodes != 0) {
            throw InputError(place_of(m.system, "nodes", m.place),
                             error_message("GPUs that do not divide over NVLink racks", std::to_string(c.ranks),
                                           "a multiple of " + std::to_string(cluster.nodes)));
        }
        cluster.gpus_per_node = used = c.ranks / cluster.nodes;
        out.assumptions.push_back("nodes: " + std::to_string(c.nodes) + " trays are " + std::to_string(cluster.nodes) +
                                  " NVLink rack" + (cluster.nodes > 1 ? "s" : "") + ", a rack is one node");
    }
    const NodeAlias& node = node_of(m, table, gpu.word("gpu"), intra, used);
    cluster.node = node.node;
    out.group.fabric = intra == "nvl72" ? "nvswitch" : intra;
    out.assumptions.push_back("node: " + shown(text(m.system, "gpu")) + " over " + intra + " is a " + node.node + ", " +
                              std::to_string(used) + " of its " + std::to_string(node.gpus) + " GPUs in use");
    if (const Alias* host = first_match(table.hosts, text(m.system, "cpu"))) {
        cluster.node_options["cpu_vendor"] = host->word("vendor");
    }
}

// ---- software and benchmark ---------------------------------------------------------------------------------------

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

// -1, 0 or 1 if a is older, equal or newer; missing parts are 0.
int compare_versions(std::string_view a, std::string_view b) {
    while (!a.empty() || !b.empty()) {
        const auto head = [](std::string_view& words) {
            const std::string_view part = words.substr(0, words.find('.'));
            words.remove_prefix(std::min(words.size(), part.size() + 1));
            return whole(part);
        };
        const std::uint32_t left = head(a);
        const std::uint32_t right = head(b);
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    return 0;
}

// The NCCL version: as stated, else as named elsewhere in the file, else from the CUDA release, else from the GPU
// generation.
std::string nccl_version(const Measurement& m, const AliasTable& table, Derived& out) {
    static const Pattern plain(R"((?:^|[^\d.])(\d+)\.(\d+)(?:\.(\d+))?)");
    static const Pattern code(R"(^\s*(2)(\d\d)(\d\d)\s*$)");  // NCCL_VERSION_CODE: 22703
    static const Pattern named(R"(nccl[ _/-]*v?(2)[._](\d+)(?:[._](\d+))?)");
    for (const Pattern* form : {&plain, &code}) {
        if (std::string stated = version_in(text(m.software, "nccl"), *form); !stated.empty()) {
            return stated;
        }
    }
    for (const std::string_view other : {text(m.software, "env"), text(m.software, "notes"), text(m.source, "path"),
                                         text(m.system, "notes"), std::string_view(m.notes)}) {
        if (std::string found = version_in(other, named); !found.empty()) {
            out.assumptions.push_back("nccl: not stated; " + found + " is named in " + shown(other));
            return found;
        }
    }
    const std::string cuda = version_in(text(m.software, "cuda"), plain);
    std::string shipped;
    for (const auto& [from, nccl] : table.nccl_by_cuda) {
        if (!cuda.empty() && compare_versions(cuda, from) >= 0) {
            shipped = nccl;
        }
    }
    if (!shipped.empty()) {
        out.assumptions.push_back("nccl: not stated; " + shipped + ", which CUDA " + cuda + " shipped with");
        return shipped;
    }
    const auto usual = table.nccl_by_generation.find(out.group.generation);
    std::string version = usual == table.nccl_by_generation.end() ? LibrarySpec{}.nccl : usual->second;
    out.assumptions.push_back("nccl: not stated; " + version + ", usual for " + out.group.generation);
    return version;
}

// Reads every NAME=value of a text; a later one replaces an earlier one.
void read_environment(std::string_view words, Derived& out) {
    static const Pattern assignment(R"rx(\b([A-Z][A-Z0-9]*_[A-Z0-9_]+) ?= ?("[^"]*"|[^\s;")]+))rx",
                                    Pattern::Case::counts);
    std::string others;
    for (const Pattern::Groups& match : assignment.all_in(words)) {
        const std::string name(*match[1]);
        std::string value(*match[2]);
        std::erase(value, '"');
        if (name.starts_with("NCCL_")) {
            out.scenario.library.env[name] = value;
        } else {
            others += (others.empty() ? "" : ", ") + name;
        }
    }
    if (!others.empty()) {
        out.assumptions.push_back("env: " + others + " not modelled");
    }
}

// The number after the option, for example "-g 8" or "nGpus 8"; 0 if neither is in the text.
std::uint32_t option(std::string_view words, const std::string& letter, const std::string& name) {
    const Pattern pattern("(?:^|\\s)-" + letter + " ?(\\d+)\\b|\\b" + name + " (\\d+)\\b", Pattern::Case::counts);
    const std::optional<Pattern::Groups> match = pattern.first_in(words);
    return match ? whole(*((*match)[1] ? (*match)[1] : (*match)[2])) : 0;
}

void derive_launch(const Measurement& m, const AliasTable& table, Derived& out) {
    LaunchSpec& launch = out.scenario.launch;
    const std::string words =
        std::string(text(m.benchmark, "header")) + " " + std::string(text(m.benchmark, "options"));
    const std::uint32_t gpus = option(words, "g", "nGpus");
    const std::uint32_t threads = option(words, "t", "nThread");
    if (const std::uint32_t n = option(words, "n", "(?:^|[^p] )iters:"); n != 0) {
        launch.iterations = static_cast<int>(n);
    }
    if (first_match(table.launchers, text(m.benchmark, "tool")) != nullptr) {
        launch.mode = LaunchMode::framework;
        out.assumptions.push_back("launch: " + shown(text(m.benchmark, "tool")) + " is a framework's loop");
    } else if (gpus > 1) {
        launch.mode = LaunchMode::thread;
        out.assumptions.push_back("launch: one thread drives " + std::to_string(gpus) + " GPUs");
    } else if (threads > 1) {
        launch.mode = LaunchMode::threads;
        out.assumptions.push_back("launch: one process drives " + std::to_string(threads) + " GPUs, a thread each");
    } else if (gpus == 0 && threads == 0) {
        out.assumptions.emplace_back("launch: not stated; one process a GPU");
    }
}

DataType dtype_of(const Measurement& m, const AliasTable& table, Derived& out) {
    const std::string_view said = text(m.benchmark, "dtype");
    if (said.empty()) {
        out.assumptions.emplace_back("dtype: not stated; float32");
        return DataType::float32;
    }
    return spelled<DataType>(understood(m, m.benchmark, "dtype", table.dtypes, "dtype").word("dtype"));
}

}  // namespace

Derived derive(const Measurement& m, const AliasTable& table) {
    Derived out;
    out.scenario.name = m.id;
    out.scenario.file = m.file;
    const Counts c = counts(m, out);
    out.ranks = c.ranks;
    derive_node(m, table, c, out);
    const Alias& collective = understood(m, m.benchmark, "collective", table.collectives, "collective");
    collective_of(out.scenario).collective = spelled<Collective>(collective.word("collective"));
    collective_of(out.scenario).dtype = dtype_of(m, table, out);
    read_environment(text(m.software, "env"), out);
    read_environment(text(m.benchmark, "options"), out);
    out.scenario.library.nccl = nccl_version(m, table, out);
    out.group.nccl_era = compare_versions(out.scenario.library.nccl, "2.18") < 0 ? "<2.18" : ">=2.18";
    derive_launch(m, table, out);
    derive_network(m, table, out);
    out.scenario.engine = Analytic{};
    return out;
}

SystemGroup group_on(const Fabric& fabric, const Derived& derived) {
    SystemGroup group = derived.group;
    if (group.fabric == "pcie") {
        group.fabric = inside_of(fabric);
    }
    return group;
}

}  // namespace fabricast
