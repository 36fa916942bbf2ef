#include "validate/curves/derive_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline curves {
namespace {

std::uint32_t stated_count(const Measurement& m, std::string_view key) {
    return number_in<std::uint32_t>(text(m.system, key)).value_or(0);
}

// All that the file says of the machine.
std::string machine_words(const Measurement& m) {
    return fmt::format("{} | {} | {} | {} | {} | {}", text(m.system, "gpu"), text(m.system, "intra"),
                       text(m.system, "nic"), text(m.system, "network"), text(m.system, "cpu"),
                       text(m.system, "notes"));
}

// The GPU whose model is nearest to a word of the text: "NVIDIA B201" -> b200. Null if none is near.
const Alias* nearest_gpu(std::string_view words) {
    const AliasList& gpus = builtin_aliases().gpus;
    const auto stem = [](const Alias& gpu) {
        return std::string(gpu.word("gpu").substr(0, gpu.word("gpu").find('-')));
    };
    const std::vector<std::string> stems = names_of(gpus, stem);
    static const Pattern model("[a-z]+[0-9]+[a-z]*"), other("^(x|gen|pcie|nv|nvlink|cuda)[0-9]");
    for (const Pattern::Groups& word : model.all_in(words)) {
        if (other.found_in(*word[0])) { continue; }
        const std::string near = nearest_word(lower_case(*word[0]), stems);
        if (!near.empty() && near.size() == word[0]->size()) {  // one letter mistyped, not left out
            return &gpus[static_cast<std::size_t>(std::ranges::find(stems, near) - stems.begin())];
        }
    }
    return nullptr;
}

void assume(NodeChoice& choice, std::string what, double spread = 1) {
    choice.assumptions.push_back(std::move(what));
    choice.spread = both_spreads(choice.spread, spread);
}

// As the file names it, else as what else it says of the machine does, else the nearest name, else the likeliest.
void choose_gpu(const Measurement& m, NodeChoice& choice) {
    constexpr double misread = 1.3;
    const std::string_view said = text(m.system, "gpu");
    const std::string words = machine_words(m);
    const AliasTable& table = builtin_aliases();
    static const Pattern unsaid("^(not (stated|known|named)|unknown|unnamed)");
    choice.gpu = first_match(table.gpus, said.substr(0, said.find(';')));  // of several, the first
    if (choice.gpu == nullptr || unsaid.found_in(said)) {
        choice.gpu = first_match(table.gpus, words);
        // What else the file speaks of need not be the machine that was measured.
        if (choice.gpu != nullptr && !choice.gpu->word("refused").empty()) { choice.gpu = nullptr; }
        if (choice.gpu == nullptr) { choice.gpu = nearest_gpu(said); }
        if (choice.gpu != nullptr) {
            assume(choice, fmt::format("gpu: {}, from {}", choice.gpu->word("part"), shown(words)), misread);
        }
    }
    if (choice.gpu == nullptr) { choice.gpu = first_match(table.unnamed_gpus, words); }
    if (const std::string_view why = choice.gpu->word("refused"); !why.empty()) {
        refuse(place_of(m.system, "gpu", m.place), why, shown(said), "a GPU of NVIDIA or AMD");
    }
    choice.named = choice.assumptions.empty() && choice.gpu->word("assumed").empty();
    if (const std::string_view assumed = choice.gpu->word("assumed"); !assumed.empty()) {
        assume(choice, "gpu: " + std::string(assumed), number_in<double>(choice.gpu->word("spread")).value_or(1));
    }
}

// Whether a peer is reached over all NVLinks of a GPU (NV18 of `nvidia-smi topo -m`), as only switches make it.
bool through_switches(std::string_view links, std::string_view said) {
    return !links.empty() && Pattern(fmt::format(R"(\bnv ?{}\b)", links)).found_in(said);
}

// How the GPUs of a node are connected, as the alias table names it.
void choose_intra(const Measurement& m, NodeChoice& choice) {
    std::string_view usual = choice.gpu->word("intra");
    const std::string_view said = text(m.system, "intra");
    const Alias* alias = first_match(builtin_aliases().intra, said);
    const std::uint32_t whole_node = std::max(stated_count(m, "gpus_per_node"), stated_count(m, "gpus_used"));
    constexpr std::uint32_t small_board = 4;
    if (const std::string_view four = choice.gpu->word("four");
        !four.empty() && whole_node > 1 && whole_node <= small_board) {
        usual = four;
    }
    const std::string_view told = alias == nullptr ? "usual" : alias->word("intra");
    const bool board = usual != "pcie" && usual != "nvlink-bridge";
    const bool bridged = !board && !choice.gpu->word("bridge").empty();  // cards have their NVLinks in a bridge
    const bool switched = board && through_switches(choice.gpu->word("links"), said);
    choice.intra = switched                             ? choice.gpu->word("intra")
                   : told == "links" && bridged         ? "nvlink-bridge"
                   : told == "links" || told == "usual" ? usual
                                                        : told;
    if (choice.intra == "nvswitch" && usual == "nvl72") { choice.intra = usual; }  // their switches are the rack's
    if (choice.intra == "pcie" && (told == "links" || (board && whole_node != 1))) {
        constexpr double unlikely = 1.5;
        assume(choice,
               fmt::format("intra: {}; {} a {}, pcie", shown(said),
                           board ? "without the links of the board of" : "no NVLinks are known of",
                           choice.gpu->word("gpu")),
               unlikely);
    }
    if (alias == nullptr) {
        assume(choice, fmt::format("intra: {}; as usual for a {}, {}",
                                   said.empty() ? "not stated" : shown(said) + " says no more", choice.gpu->word("gpu"),
                                   choice.intra));
    }
}

// How many GPUs a whole node has where its description says so: "GH200 4-way node"; 0 if it does not.
std::uint32_t way_of_node(std::string_view words) {
    static const Pattern way(R"((\d+)[- ]way node)");
    const auto match = way.first_in(words);
    return match ? number_in<std::uint32_t>(*(*match)[1]).value_or(0) : 0;
}

// The smallest template for this GPU and connection that has at least so many GPUs, or null. A machine of its own kind
// is known by other words of the file, and goes before.
const NodeAlias* template_of(std::string_view gpu, std::string_view intra, std::uint32_t gpus,
                             const std::string& words) {
    const NodeAlias* best = nullptr;
    for (const NodeAlias& node : builtin_aliases().nodes) {
        if (node.gpu != gpu || !node.network.empty() || node.gpus < gpus) { continue; }
        if (node.words && node.words->found_in(words)) { return &node; }
        const bool fits = !node.words && node.intra == intra;
        if (fits && (best == nullptr || node.gpus < best->gpus)) { best = &node; }
    }
    return best;
}

// The processor, as said, or as usual beside such a GPU.
std::string cpu_of(const Measurement& m, NodeChoice& choice) {
    const Alias* host = first_match(builtin_aliases().hosts, text(m.system, "cpu"));
    if (host != nullptr && !host->word("part").empty()) { return std::string(host->word("part")); }
    const WordMap& usual = builtin_aliases().cpu_by_generation;
    const std::string generation(choice.gpu->word("generation"));
    const std::string vendor(host == nullptr ? "" : host->word("vendor"));
    auto found = usual.find(generation + " " + vendor);
    found = found == usual.end() ? usual.find(generation) : found;
    const std::string_view own = vendor.empty() ? choice.gpu->word("cpu") : "";
    std::string part = own.empty() ? found->second : std::string(own);
    assume(choice, fmt::format("cpu: {}; {}, usual beside {}", vendor.empty() ? "not stated" : vendor + " of no model",
                               part, own.empty() ? generation : choice.gpu->word("gpu")));
    return part;
}

// "PCIe gen4 x8" -> ", slot: pcie-gen4-x8"; empty if the file does not say.
std::string slot_words(const Measurement& m) {
    static const Pattern slot(R"(pci-?e? ?(?:gen ?)?([3-6])(?:\.0)?(?: ?x ?(8|16)\b)?)");
    const auto match = slot.first_in(text(m.system, "intra"));
    if (!match) { return ""; }
    return fmt::format(", slot: pcie-gen{}-x{}", *(*match)[1], (*match)[2].value_or("16"));
}

// How the parts of a box are joined, in the words of topologies/node_parts.hpp.
struct BoxWords {
    std::string joined, tree;
    std::uint32_t nics = 1;
};

// Of cards in slots, as many as a file's words put below a PCIe switch; 0: they are on root ports.
std::uint32_t cards_a_switch(std::string_view said, std::uint32_t gpus) {
    static const Pattern one(R"(\b(one|same|single|a) (pci-?e )?switch)"), some(R"(\bplx\b|\bpix\b|\bswitch(es)?\b)");
    constexpr std::uint32_t most = 4;  // a switch of 96 lanes has ports for no more
    if (gpus < 2 || !some.found_in(said)) { return 0; }
    if (gpus <= most && one.found_in(said)) { return gpus; }
    for (const std::uint32_t each : {most, 2U, 3U}) {
        if (gpus % each == 0) { return each; }
    }
    return 0;
}

BoxWords box_words(const Measurement& m, const NodeChoice& choice) {
    constexpr std::uint32_t small_mesh = 4, most_nics_a_switch = 4;
    const std::uint32_t gpus = choice.gpus;
    const bool board = choice.intra == "nvswitch" || choice.intra == "nvl72";
    const bool meshed = choice.intra == "nvlink-mesh" || choice.intra == "cube-mesh";
    // Links are dealt out evenly only in small meshes, and in those of boards that are whole ones.
    const bool mesh = meshed && gpus > 1 && (gpus <= small_mesh || !choice.gpu->word("whole").empty());
    const bool bridges = choice.intra == "nvlink-bridge" && gpus % 2 == 0;
    BoxWords words;
    static const Pattern four_way(R"(\b(4|four)[- ]?way|bridges? of (4|four)\b)");
    const bool fours =
        bridges && gpus % 4 == 0 && (choice.gpu->word("bridge") == "4" || four_way.found_in(text(m.system, "intra")));
    words.joined = gpus == 1         ? "pcie"
                   : mesh            ? "mesh"
                   : board || meshed ? "nvswitch"
                   : fours           ? "bridges, group: 4"
                   : bridges         ? "bridges"
                                     : "pcie";
    const std::uint32_t said = stated_count(m, "nics_per_node");
    words.nics = said != 0 ? said : board || meshed ? gpus : 1;
    // GPUs of a rack, or beside Grace, are on the chips that are their hosts.
    const bool rack = choice.intra == "nvl72" || choice.gpu->word("cpu") == "grace";
    const bool joined_board = board || meshed;
    const std::uint32_t each = rack           ? 0
                               : joined_board ? (gpus % 2 == 0 ? 2 : 0)
                                              : cards_a_switch(text(m.system, "intra"), gpus);
    const std::uint32_t switches = each > 0 ? gpus / each : 0;
    const std::uint32_t most_nics = joined_board ? most_nics_a_switch : 1;
    const bool shared = switches > 0 && words.nics % switches == 0 && words.nics / switches <= most_nics;
    words.tree = switches == 0 ? "GPUs on root ports"
                 : shared      ? fmt::format("{} GPUs and {} NICs a switch", each, words.nics / switches)
                               : fmt::format("{} GPUs a switch", each);
    return words;
}

// How many sockets a box has: as said, as its kind of processor allows, or as usual for so many GPUs.
struct Sockets {
    std::uint32_t count;
    bool said;
};
Sockets sockets_of(const Measurement& m, std::uint32_t gpus, std::string_view part) {
    constexpr std::uint32_t one_socket = 4;
    static const Pattern two(R"(^ *2 ?x\b|\b(dual|two|2)[- ]?(socket|processor|cpu|p\b)|\bdual\b)");
    static const Pattern one(R"(^ *1 ?x\b|\b(single|one|1)[- ]?(socket|processor|cpu|p\b))");
    const std::string_view said = text(m.system, "cpu");
    if (two.found_in(said)) { return {2, true}; }
    const Alias* host = first_match(builtin_aliases().hosts, said);
    const bool alone = one.found_in(said) || (host != nullptr && host->word("sockets") == "1");
    if (part == "grace" && gpus > 2) { return {2, true}; }  // two on each board of four GPUs
    return {alone || gpus <= one_socket ? 1U : 2U, alone};
}

// A driver that lets cards be peers which the stock one keeps apart (tinygrad/open-gpu-kernel-modules and its forks).
bool patched_driver(const Measurement& m) {
    static const Pattern patched(R"(patched|p2p[- ](driver|module)|modified driver)");
    return patched.found_in(machine_words(m));
}

// A box of so many of these GPUs, as far as the file tells it; what it does not tell is as boxes with them usually are.
void build_box(const Measurement& m, NodeChoice& choice) {
    constexpr double unknown_box = 1.15;
    const std::string_view part = choice.gpu->word("part");
    const BoxWords words = box_words(m, choice);
    const std::string cpu = cpu_of(m, choice);
    const Sockets sockets = sockets_of(m, choice.gpus, cpu);
    const auto box = [&](std::uint32_t count, std::string_view mark) {
        const std::string text = fmt::format(
            "{{name: {}x-{}-{}{}, gpus: {{part: {}, count: {}, joined: {}{}}}, cpus: {{part: {}, count: {}}}, "
            "pcie: {}, nics: {{part: connectx-7, count: {}}}{}}}",
            choice.gpus, part, words.joined.substr(0, words.joined.find(',')), mark, part, choice.gpus, words.joined,
            slot_words(m), cpu, count, words.tree, words.nics, patched_driver(m) ? ", peer_to_peer: true" : "");
        return yaml::parse(text, "a box for " + m.file);
    };
    choice.parts = box(sockets.count, "");
    choice.node = choice.parts->required("name").text;
    const bool cards = words.joined == "pcie" || words.joined.starts_with("bridges");
    if (cards && !sockets.said && choice.gpus % 2 == 0) {
        const std::uint32_t other = 3 - sockets.count;
        yaml::Node parts = box(other, fmt::format("-on-{}", other));
        choice.other_sockets = {parts.required("name").text, fmt::to_string(other), std::move(parts)};
    }
    assume(choice,
           fmt::format("node: no template; a box of {} x {}, {}, {} x {}, {}", choice.gpus, part, words.joined,
                       sockets.count, cpu, words.tree),
           unknown_box);
}

}  // namespace

double both_spreads(double a, double b) { return std::exp(std::hypot(std::log(a), std::log(b))); }

bool apart_in_words(const Measurement& m) {
    static const Pattern apart(
        R"(((distinct|separate|different|own|several) |cross-)(nv ?link )?(domain|rack))"
        R"(|\b(no|without) (mn)?nv ?links? (between|across|among)|\b(no|without) (mnnvl|multi-node nv ?link))");
    return apart.found_in(text(m.system, "intra")) || apart.found_in(text(m.system, "notes"));
}

NodeChoice understood_node(const Measurement& m) {
    NodeChoice choice;
    choose_gpu(m, choice);
    choose_intra(m, choice);
    return choice;
}

void choose_node(const Measurement& m, std::uint32_t used, NodeChoice& choice) {
    const std::uint32_t whole = std::max(used, way_of_node(text(m.system, "intra")));
    const NodeAlias* node =
        patched_driver(m) ? nullptr : template_of(choice.gpu->word("gpu"), choice.intra, whole, machine_words(m));
    if (node != nullptr) {
        choice.node = node->node;
        choice.gpus = node->gpus;
        assume(choice, fmt::format("node: {} over {} is a {}, {} of its {} GPUs in use", shown(text(m.system, "gpu")),
                                   choice.intra, node->node, used, node->gpus));
        return;
    }
    const std::uint32_t board = number_in<std::uint32_t>(choice.gpu->word("whole")).value_or(1);
    choice.gpus = std::max({whole, stated_count(m, "gpus_per_node"), board});
    build_box(m, choice);
}

}  // namespace fabricast::inline curves
