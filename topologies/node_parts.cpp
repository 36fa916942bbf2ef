#include "topologies/node_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/pattern.hpp"
#include "base/text.hpp"
#include "models/link_part.hpp"

namespace fabricast::inline topologies {

namespace {

// Values of a tree as if the user had written them: each has the place of what it follows from, for errors.

yaml::Node scalar_like(const yaml::Node& like, std::string_view name, std::string text) {
    yaml::Node node;
    node.kind = yaml::Kind::scalar;
    node.name = name;
    node.text = std::move(text);
    node.place = like.place;
    node.key_place = like.place;
    return node;
}

yaml::Node empty_like(const yaml::Node& like, yaml::Kind kind, std::string_view name) {
    yaml::Node node = scalar_like(like, name, {});
    node.kind = kind;
    return node;
}

// `mesh: {link: ..., links: [[0, 2], ...]}` with so many links between every two GPUs of a group of neighbours.
yaml::Node mesh_like(const yaml::Node& like, const std::string& link, std::int64_t gpus, std::int64_t group,
                     std::int64_t links) {
    yaml::Node rows = empty_like(like, yaml::Kind::list, "links");
    for (std::int64_t a = 0; a < gpus; ++a) {
        yaml::Node row = empty_like(like, yaml::Kind::list, "links");
        for (std::int64_t b = 0; b < gpus; ++b) {
            const bool direct = a != b && a / group == b / group;
            row.children.push_back(scalar_like(like, "links", std::to_string(direct ? links : 0)));
        }
        rows.children.push_back(std::move(row));
    }
    yaml::Node mesh = empty_like(like, yaml::Kind::map, "mesh");
    mesh.children.push_back(scalar_like(like, "link", link));
    mesh.children.push_back(std::move(rows));
    return mesh;
}

// A node's PCIe tree in words: "two GPUs and a NIC a switch", "4 GPUs a switch", "GPUs on root ports".

struct PcieWords {
    std::int64_t gpus_a_switch = 0;  // 0: no switches, everything on root ports
    std::int64_t nics_a_switch = 0;  // 0: NICs are on root ports
};

std::int64_t number_of(std::string_view word) {
    static constexpr std::array<std::string_view, 9> words = {"no",   "a",   "two",   "three", "four",
                                                              "five", "six", "seven", "eight"};
    const std::string lower = lower_case(word);
    const auto known = std::ranges::find(words, lower == "one" || lower == "an" ? "a" : std::string_view(lower));
    return known != words.end() ? known - words.begin() : count_in_word(word).value_or(0);
}

// Throws InputError at words that say something else.
PcieWords read_pcie_words(const yaml::Node& at) {
    static const Pattern root_ports(R"(^\s*GPUs on root ports\s*$)");
    static const Pattern switches(R"(^\s*(\w+) GPUs?( and (\w+) NICs?)? (a|an|each|per) switch\s*$)");
    const std::string& words = at.as_string();
    if (root_ports.found_in(words)) { return {}; }
    const std::optional<Pattern::Groups> match = switches.first_in(words);
    const PcieWords read = !match ? PcieWords{}
                                  : PcieWords{.gpus_a_switch = number_of(*(*match)[1]),
                                              .nics_a_switch = (*match)[3] ? number_of(*(*match)[3]) : 0};
    if (read.gpus_a_switch < 1) {
        at.fail("describes no PCIe tree", "GPUs on root ports, two GPUs and a NIC a switch, 4 GPUs a switch");
    }
    return read;
}

constexpr std::int64_t most_devices = 4096;
constexpr std::int64_t most_in_pairs = 256;  // where each has a figure or a cable for each other: their square

class Box {
public:
    Box(const yaml::Node& node, const Catalog& catalog)
        : node_(node),
          catalog_(catalog),
          gpus_(node.required("gpus")),
          cpus_(node.get("cpus")),
          nics_(node.get("nics")) {
        gpus_.allow({"part", "count", "joined", "link", "links", "slot", "group"});
        if (cpus_ != nullptr) { cpus_->allow({"part", "count", "joined"}); }
        if (nics_ != nullptr) { nics_->allow({"part", "count", "port", "ports", "slot"}); }
        gpu_ = &part_at("gpu", gpus_.required("part"));
        gpu_count_ = count_of(gpus_);
        cpu_count_ = cpus_ == nullptr ? 0 : count_of(*cpus_);
        nic_count_ = nics_ == nullptr ? 0 : count_of(*nics_);
        read_pcie();
    }

    yaml::Node write() {
        node_.allow({"name", "note", "gpus", "cpus", "nics", "pcie", "switch", "uplink", "peer_to_peer", "gpu_direct",
                     "devices", "cables", "mesh"});
        yaml::Node out = empty_like(node_, yaml::Kind::map, node_.name);
        write_parts(out);
        devices_ = empty_like(node_, yaml::Kind::list, "devices");
        cables_ = empty_like(node_, yaml::Kind::list, "cables");
        write_devices();
        write_cables();
        for (const yaml::Node& more : node_.items_of("devices")) { devices_.children.push_back(more); }
        for (const yaml::Node& more : node_.items_of("cables")) { cables_.children.push_back(more); }
        out.children.push_back(std::move(devices_));
        out.children.push_back(std::move(cables_));
        write_mesh(out);
        return out;
    }

private:
    using Pairs = std::vector<std::pair<std::string_view, std::string>>;

    // --- what is read

    const Part& part_at(std::string_view kind, const yaml::Node& at) const {
        try {
            return catalog_.at(kind, at.as_string());
        } catch (const CatalogError& error) { at.fail(error.what()); }
    }

    static std::int64_t count_of(const yaml::Node& map) {
        const yaml::Node* at = map.get("count");
        return at == nullptr ? 1 : at->as_int(1, most_devices);
    }

    void read_pcie() {
        const yaml::Node* at = node_.get("pcie");
        if (at == nullptr) { return; }
        const PcieWords words = read_pcie_words(*at);
        if (words.gpus_a_switch == 0) { return; }
        if (gpu_count_ % words.gpus_a_switch != 0) {
            at->fail(fmt::format("is not a tree for {} GPUs: they cannot be shared out evenly", gpu_count_),
                     "a number of GPUs a switch that divides them");
        }
        switches_ = gpu_count_ / words.gpus_a_switch;
        if (words.nics_a_switch > 0 && words.nics_a_switch * switches_ != nic_count_) {
            at->fail(fmt::format("contradicts the node's {} NICs: {} switches have {} each", nic_count_, switches_,
                                 words.nics_a_switch),
                     "as many NICs as the switches have");
        }
        nics_at_switches_ = words.nics_a_switch > 0;
    }

    double rate_of(const std::string& link, const yaml::Node& at) const {
        try {
            return link_spec(catalog_.at("link", link)).rate.bytes_per_second();
        } catch (const CatalogError& error) { at.fail(error.what()); }
    }

    // The PCIe link of a GPU or NIC: its part's, or the slot that it is in. A GPU in a faster slot keeps its own rate.
    std::string slot_of(const yaml::Node& map, const Part& part) const {
        const yaml::Node* said = map.get("slot");
        const std::string& own = part.word("host_link");
        if (said == nullptr) { return own; }
        const bool faster = part.kind == "gpu" && part_at("link", *said).word("family") == "pcie" &&
                            rate_of(said->text, *said) > rate_of(own, *said);
        return faster ? own : said->as_string();
    }

    // The smallest PCIe switch that knows the GPUs' generation, unless the node says which.
    std::string switch_part() const {
        if (const yaml::Node* said = node_.get("switch")) { return part_at("pcie-switch", *said).name; }
        const Part& slot = part_at("link", scalar_like(gpus_, "slot", slot_of(gpus_, *gpu_)));
        const double generation = slot.number_or("generation", 0);
        const Part* best = nullptr;
        for (const Part* part : catalog_.of_kind("pcie-switch")) {
            const double own = part->number("generation", "");
            if (own >= generation && (best == nullptr || own < best->number("generation", ""))) { best = part; }
        }
        if (best == nullptr) { gpus_.fail("no PCIe switch of the catalogue is of the GPUs' generation"); }
        return best->name;
    }

    // --- what is written

    void write_parts(yaml::Node& out) const {
        const auto add = [&](const yaml::Node& like, std::string_view key, std::string text) {
            out.children.push_back(scalar_like(like, key, std::move(text)));
        };
        add(node_, "name", node_.text_or("name", fmt::format("{}x-{}-{}", gpu_count_, gpu_->name, joined())));
        add(node_, "note", node_.text_or("note"));
        add(gpus_.required("part"), "gpu", gpu_->name);
        add(gpus_, "gpus", std::to_string(gpu_count_));
        if (cpus_ != nullptr) { add(cpus_->required("part"), "cpu", cpus_->required("part").as_string()); }
        if (nics_ != nullptr) {
            const Part& nic = part_at("nic", nics_->required("part"));
            add(nics_->required("part"), "nic", nic.name);
            add(*nics_, "nics", std::to_string(nic_count_));
            add(*nics_, "port", nics_->text_or("port", nic.word("port")));
            add(*nics_, "ports", nics_->text_or("ports", "1"));
        }
        const bool peers = gpu_->word_or("peer_to_peer", "yes") == "yes";
        add(node_, "peer_to_peer", node_.text_or("peer_to_peer", peers ? "true" : "false"));
        add(node_, "gpu_direct", node_.text_or("gpu_direct", peers ? "true" : "false"));
    }

    std::string joined() const { return gpus_.required("joined").as_string(); }

    void add_map(yaml::Node& list, const yaml::Node& like, const Pairs& members) const {
        yaml::Node map = empty_like(like, yaml::Kind::map, list.name);
        for (const auto& [key, text] : members) { map.children.push_back(scalar_like(like, key, text)); }
        list.children.push_back(std::move(map));
    }

    void add_cable(const yaml::Node& like, const std::string& from, const std::string& to, const std::string& link,
                   std::int64_t count = 1) {
        Pairs members{{"from", from}, {"to", to}};
        if (!link.empty()) { members.emplace_back("link", link); }
        if (count > 1) { members.emplace_back("count", std::to_string(count)); }
        add_map(cables_, like, members);
    }

    // `count` devices, shared out over `over` others as evenly as goes.
    void spread(const yaml::Node& like, std::string_view from, std::int64_t count, std::string_view to,
                std::int64_t over, const std::string& link) {
        for (std::int64_t i = 0; i < count; ++i) {
            add_cable(like, fmt::format("{}{}", from, i), fmt::format("{}{}", to, i * over / count), link);
        }
    }

    void write_devices() {
        for (std::int64_t i = 0; i < cpu_count_; ++i) {
            add_map(devices_, *cpus_, {{"name", fmt::format("cpu{}", i)}});
        }
        const std::string part = switches_ > 0 ? switch_part() : "";
        for (std::int64_t i = 0; i < switches_; ++i) {
            add_map(devices_, *node_.get("pcie"), {{"name", fmt::format("switch{}", i)}, {"part", part}});
        }
        if (joined() == "nvswitch") {
            const Part& link = part_at("link", scalar_like(gpus_, "link", link_between()));
            if (!link.text.contains("switch")) {
                gpus_.required("joined").fail("no NVSwitch is known for " + link.name + ": its part has no `switch`");
            }
            add_map(devices_, gpus_, {{"name", "nvswitch"}, {"part", link.word("switch")}});
        }
    }

    void write_cables() {
        if (joined() == "nvswitch") {
            for (std::int64_t i = 0; i < gpu_count_; ++i) {
                add_cable(gpus_, fmt::format("gpu{}", i), "nvswitch", link_between(), links_between());
            }
        }
        write_sockets();
        const std::string slot = slot_of(gpus_, *gpu_);
        if (switches_ > 0) {
            const std::string up = node_.text_or("uplink", slot);
            spread(*node_.get("pcie"), "switch", switches_, "cpu", need_cpus(), up);
            spread(gpus_, "gpu", gpu_count_, "switch", switches_, slot);
        } else {
            spread(gpus_, "gpu", gpu_count_, "cpu", need_cpus(), slot);
        }
        if (nics_ != nullptr) { write_nics(slot); }
    }

    std::int64_t need_cpus() const {
        if (cpu_count_ == 0) { node_.fail("a node has CPUs: `cpus: {part: ..., count: ...}`"); }
        return cpu_count_;
    }

    void write_nics(const std::string& gpu_slot) {
        const Part& nic = part_at("nic", nics_->required("part"));
        std::string slot = slot_of(*nics_, nic);
        const bool narrower =
            nics_at_switches_ && nics_->get("slot") == nullptr && rate_of(gpu_slot, gpus_) < rate_of(slot, *nics_);
        if (narrower) { slot = gpu_slot; }  // the switch is of the GPUs' generation
        spread(*nics_, "nic", nic_count_, nics_at_switches_ ? "switch" : "cpu",
               nics_at_switches_ ? switches_ : need_cpus(), slot);
    }

    void write_sockets() {
        const yaml::Node* said = cpus_ == nullptr ? nullptr : cpus_->get("joined");
        if (said == nullptr && cpu_count_ > 2) { cpus_->fail("more than two CPUs: `joined` says how", "pairs, all"); }
        const bool pairs = said == nullptr || said->as_enum({"pairs", "all"}) == 0;
        if (!pairs && cpu_count_ > most_in_pairs) {
            said->fail(fmt::format("too many CPUs ({}) to join all of them", cpu_count_),
                       fmt::format("at most {}", most_in_pairs));
        }
        for (std::int64_t a = 0; a + 1 < cpu_count_; a += pairs ? 2 : 1) {
            for (std::int64_t b = a + 1; b < (pairs ? a + 2 : cpu_count_); ++b) {
                add_cable(*cpus_, fmt::format("cpu{}", a), fmt::format("cpu{}", b), "");
            }
        }
    }

    // The link between GPUs, as said or as the part has it: on its board, or in the bridge of a card.
    std::string link_between() const {
        if (const yaml::Node* said = gpus_.get("link")) { return said->as_string(); }
        const std::string own = gpu_->word_or("nvlink", "");
        const std::string between = own.empty() ? gpu_->word_or("bridge", "") : own;
        if (between.empty()) {
            gpus_.required("joined").fail("the part '" + gpu_->name + "' has no links to other GPUs",
                                          "pcie, or a `link`");
        }
        return between;
    }

    std::int64_t links_between() const {
        if (const yaml::Node* said = gpus_.get("links")) { return said->as_int(1, most_devices); }
        const double own = gpu_->number_or("nvlink.links", gpu_->number_or("bridge.links", 0));
        if (own < 1) { gpus_.fail("the part '" + gpu_->name + "' does not say how many links it has", "`links: 4`"); }
        return static_cast<std::int64_t>(own);
    }

    // Mesh and bridges: a GPU's links are dealt out to the others of its group alike.
    void write_mesh(yaml::Node& out) const {
        const std::size_t how = gpus_.required("joined").as_enum({"nvswitch", "mesh", "bridges", "pcie"});
        if (const yaml::Node* mesh = node_.get("mesh")) {
            out.children.push_back(*mesh);
            return;
        }
        if (how != 1 && how != 2) { return; }
        const yaml::Node* said = gpus_.get("group");
        if (gpu_count_ > most_in_pairs) {
            gpus_.required("joined").fail(fmt::format("too many GPUs ({}) for links from one to the other", gpu_count_),
                                          fmt::format("at most {}", most_in_pairs));
        }
        const std::int64_t group = how == 1 ? gpu_count_ : said != nullptr ? said->as_int(2, most_devices) : 2;
        const std::int64_t links = links_between();
        if (group < 2 || gpu_count_ % group != 0 || links % (group - 1) != 0) {
            gpus_.required("joined").fail(
                fmt::format("does not go: {} links of each of {} GPUs cannot be dealt out alike in groups of {}", links,
                            gpu_count_, group),
                "another number, or `mesh: {link: ..., links: ...}`");
        }
        out.children.push_back(mesh_like(gpus_, link_between(), gpu_count_, group, links / (group - 1)));
    }

    const yaml::Node& node_;
    const Catalog& catalog_;
    const yaml::Node& gpus_;
    const yaml::Node* cpus_;
    const yaml::Node* nics_;
    const Part* gpu_ = nullptr;
    std::int64_t gpu_count_ = 0, cpu_count_ = 0, nic_count_ = 0, switches_ = 0;
    bool nics_at_switches_ = false;
    yaml::Node devices_, cables_;
};

}  // namespace

bool told_by_parts(const yaml::Node& node) {
    const yaml::Node* gpus = node.is_map() ? node.get("gpus") : nullptr;
    return gpus != nullptr && gpus->is_map();
}

yaml::Node written_out(const yaml::Node& node, const Catalog& catalog) { return Box(node, catalog).write(); }

}  // namespace fabricast::inline topologies
