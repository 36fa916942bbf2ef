// `nvidia-smi topo -m` and `-mp`: how far GPUs and NICs are from each other; `-p2p`: which GPUs reach each other.

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/text.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

// "GPU3" -> "gpu3", "NIC0" -> "nic0", "mlx5_2" -> itself, as older drivers name columns; empty for other words.
std::string column_name(std::string_view word) {
    const std::string name = lower_case(word);
    for (const std::string_view kind : {"gpu", "nic", "mlx5_", "bnxt_re"}) {
        if (name.starts_with(kind) && number_in<int>(std::string_view(name).substr(kind.size()))) { return name; }
    }
    return {};
}

// "NIC11NIC12": a terminal ate the tab between two columns.
std::vector<std::string_view> columns_in(std::string_view word) {
    std::vector<std::string_view> columns;
    std::size_t begin = 0;
    for (std::size_t i = 1; i < word.size(); ++i) {
        const bool cut = word[i - 1] >= '0' && word[i - 1] <= '9' && (word[i] == 'N' || word[i] == 'G');
        if (!cut) { continue; }
        columns.push_back(word.substr(begin, i - begin));
        begin = i;
    }
    columns.push_back(word.substr(begin));
    return columns;
}

std::vector<std::string> header_of(const TextLine& line) {
    std::vector<std::string> columns;
    for (const TextWord& word : line.words()) {
        const std::size_t before = columns.size();
        for (const std::string_view column : columns_in(word.text)) {
            if (std::string name = column_name(column); !name.empty()) { columns.push_back(std::move(name)); }
        }
        if (columns.size() == before) { break; }
    }
    // One GPU alone has a header of one word, which other texts may have too; the word after it decides.
    const bool alone = columns.size() == 1 && line.text.find("CPU Affinity") == std::string_view::npos;
    return alone || columns.empty() || columns.front() != "gpu0" ? std::vector<std::string>{} : columns;
}

// "NV18": 18 NVLinks join the pair.
std::optional<int> nvlinks_in(std::string_view word) {
    const std::optional<int> count = word.starts_with("NV") ? number_in<int>(word.substr(2)) : std::nullopt;
    return count && *count >= 0 && *count <= 1024 ? count : std::nullopt;
}

constexpr std::size_t longest_distance = 6;  // NV1024

bool is_distance(std::string_view word) {
    static const std::set<std::string_view> words = {"X",  "PIX", "PXB", "PHB", "NODE", "SYS", "SOC",
                                                     "OK", "CNS", "GNS", "TNS", "NS",   "U",   "DR"};
    return words.contains(word) || nvlinks_in(word);
}

// Appends the distances in a word, of which there are several where the tab between two was lost: "NODENODE". Of two
// that begin alike, NV1 and NV18, the longer one is meant.
bool add_distances(std::string_view word, std::vector<std::string_view>& cells) {
    while (!word.empty()) {
        std::size_t length = std::min(word.size(), longest_distance);
        while (length > 0 && !is_distance(word.substr(0, length))) { --length; }
        if (length == 0) { return false; }
        cells.push_back(word.substr(0, length));
        word.remove_prefix(length);
    }
    return true;
}

// "0-71" is one of Grace's sockets of 72 cores, without a second thread each.
bool is_grace(std::string_view affinity) {
    const std::vector<std::string_view> ends = split(affinity, '-');
    if (ends.size() != 2) { return false; }
    const std::optional<int> low = number_in<int>(ends.front()), high = number_in<int>(ends.back());
    return low && high && *low % 72 == 0 && *high - *low == 71;
}

struct MatrixPatterns {
    // "GPU 0,1,2,3: NVIDIA GB200" of environment reports, "GPU 0: NVIDIA H100 PCIe (UUID: ...)".
    Pattern model{R"re(^GPU ([\d,]+):\s+(.*?)\s*(?:\(UUID.*)?$)re"};
};

class MatrixReader {
public:
    explicit MatrixReader(const SourceText& source) : source_(source) {}

    Observations read() {
        for (const TextLine& line : source_.lines()) {
            const std::vector<std::string> header = header_of(line);
            if (const Match model{compiled<MatrixPatterns>().model, line.text}) {
                for (const std::string_view gpu : split(model[1], ',')) {
                    models_["gpu" + std::string(gpu)] = model[2];
                }
            } else if (!header.empty()) {
                start(line, header);
            } else if (!columns_.empty()) {
                read_row(line);
            }
        }
        if (rows_ == 0) { refuse(source_.at(node_.at.line), "a matrix without rows", {}, "a row for each GPU"); }
        if (rows_ < gpus_) {
            refuse(source_.at(static_cast<int>(source_.lines().size())), "the matrix ends too early",
                   std::to_string(rows_) + " rows", std::to_string(gpus_) + " GPUs of its header");
        }
        finish();
        Observations seen;
        if (done_.size() < columns_.size()) {
            seen.notes.push_back(std::to_string(columns_.size() - done_.size()) +
                                 " rows of NICs are missing: which of these share a switch, no row says");
        }
        seen.nodes.push_back(std::move(node_));
        return seen;
    }

private:
    void start(const TextLine& line, const std::vector<std::string>& header) {
        if (rows_ > 0) { return; }  // the same matrix printed again
        columns_ = header;
        node_.at = source_.at(line);
        gpus_ = static_cast<std::size_t>(
            std::ranges::count_if(columns_, [](const std::string& name) { return name.starts_with("gpu"); }));
    }

    void read_row(const TextLine& line) {
        const std::vector<TextWord> words = line.words();
        if (words.size() > 1 && words[0].text.ends_with(":")) {
            legend_[lower_case(words[0].text.substr(0, words[0].text.size() - 1))] = words[1].text;
        }
        const std::string name = words.empty() ? "" : column_name(words[0].text);
        const auto column = std::ranges::find(columns_, name);
        if (column == columns_.end() || words.size() < 2 || !is_distance(words[1].text) || !done_.insert(name).second) {
            return;
        }
        std::vector<std::string_view> cells;
        std::size_t next = 1;
        while (cells.size() < columns_.size() && next < words.size()) {
            if (!add_distances(words[next].text, cells)) {
                refuse(source_.at(line), "a cell of the matrix", shown(words[next].text),
                       "X, NV#, PIX, PXB, PHB, NODE, SYS");
            }
            ++next;
        }
        if (cells.size() != columns_.size()) {
            refuse(source_.at(line), "a row with other than as many cells as its header", shown(line.text),
                   std::to_string(columns_.size()) + " cells");
        }
        rows_ += name.starts_with("gpu") ? 1 : 0;
        const auto own = static_cast<std::size_t>(column - columns_.begin());
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            // Rows of NICs may be missing, so those of GPUs count for both.
            if (i == own || (i > own && columns_[i].starts_with("gpu"))) { continue; }
            node_.pairs.push_back({columns_[i], name, std::string(cells[i]), source_.at(line)});
        }
        if (name.starts_with("gpu")) { read_affinity(line, name, std::span(words).subspan(next)); }
    }

    // Behind the cells: CPUs, the NUMA nodes and, of a GPU whose memory is one, its own. A driver may leave all out.
    void read_affinity(const TextLine& line, const std::string& name, std::span<const TextWord> words) {
        GpuSeen& gpu = add_end(node_.gpus, number_in<int>(name.substr(3)).value_or(-1), source_.at(line));
        if (words.size() > 1) {
            gpu.numa = number_in<int>(words[1].text.substr(0, words[1].text.find_first_of("-,"))).value_or(-1);
        }
        gpu.c2c = !words.empty() && (is_grace(words[0].text) || (words.size() > 2 && number_in<int>(words[2].text)));
    }

    void finish() {
        for (GpuSeen& gpu : node_.gpus) {
            const std::string name = "gpu" + std::to_string(gpu.index);
            gpus_by_name_[name] = static_cast<std::size_t>(&gpu - node_.gpus.data());
            const auto model = models_.find(name);
            if (model != models_.end()) { gpu.model = model->second; }
            // A GPU whose memory is the CPU's too is joined to an Arm CPU by C2C.
            if (!gpu.c2c || std::ranges::find(node_.cpus, gpu.numa, &CpuSeen::numa) != node_.cpus.end()) { continue; }
            node_.cpus.push_back({.numa = gpu.numa, .arch = "arm64", .vendor = {}, .at = gpu.at});
        }
        std::map<std::string, std::string> renamed;
        for (const std::string& column : columns_) {
            if (column.starts_with("gpu")) { continue; }
            renamed[column] = "nic" + std::to_string(node_.nics.size());
            NicSeen& nic = add_end(node_.nics, static_cast<int>(node_.nics.size()), node_.at);
            nic.name = legend_.contains(column) ? legend_.at(column) : column;
        }
        for (PairSeen& pair : node_.pairs) {
            if (renamed.contains(pair.a)) { pair.a = renamed.at(pair.a); }
            if (renamed.contains(pair.b)) { pair.b = renamed.at(pair.b); }
            note_nvlinks(pair);
        }
        // Beside GPUs with NVLinks one without says that it has none.
        const auto none = [](const GpuSeen& gpu) { return gpu.nvlinks.empty(); };
        if (std::ranges::all_of(node_.gpus, none)) { return; }
        for (GpuSeen& gpu : node_.gpus) { gpu.nvlinks_stated = none(gpu); }
    }

    // A cell NV18 says how many NVLinks join a pair; GPUs that meet in NVSwitches show all their links in every cell.
    void note_nvlinks(const PairSeen& pair) {
        const std::optional<int> count = nvlinks_in(pair.word);
        if (!count) { return; }
        for (const auto& [one, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
            if (const auto gpu = gpus_by_name_.find(one); gpu != gpus_by_name_.end()) {
                node_.gpus[gpu->second].nvlinks.push_back({other, *count});
            }
        }
    }

    const SourceText& source_;
    NodeSeen node_;
    std::vector<std::string> columns_;
    std::map<std::string, std::string> legend_, models_;
    std::map<std::string, std::size_t> gpus_by_name_;
    std::set<std::string> done_;
    std::size_t gpus_ = 0, rows_ = 0;
};

bool fits_matrix(const SourceText& source) {
    return std::ranges::any_of(source.lines(), [](const TextLine& line) { return !header_of(line).empty(); });
}

}  // namespace

extern const SiteFormat nvidia_smi_topo{"nvidia-smi-topo", "`nvidia-smi topo -m`, `-mp` or `-p2p r`", fits_matrix,
                                        [](const SourceText& source) { return MatrixReader(source).read(); }};

}  // namespace fabricast::inline discovery::formats
