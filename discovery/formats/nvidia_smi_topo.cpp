// `nvidia-smi topo -m` and `-mp`: how far GPUs and NICs are from each other; `-p2p`: which GPUs reach each other.

#include <algorithm>
#include <map>
#include <set>

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

std::vector<std::string> header_of(const TextLine& line) {
    std::vector<std::string> columns;
    for (const TextWord& word : line.words()) {
        const std::string name = column_name(word.text);
        if (name.empty()) { break; }
        columns.push_back(name);
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

bool is_distance(std::string_view word) {
    static const std::set<std::string_view> words = {"X",  "PIX", "PXB", "PHB", "NODE", "SYS", "SOC",
                                                     "OK", "CNS", "GNS", "TNS", "NS",   "U",   "DR"};
    return words.contains(word) || nvlinks_in(word);
}

class MatrixReader {
public:
    explicit MatrixReader(const SourceText& source) : source_(source) {}

    Observations read() {
        for (const TextLine& line : source_.lines()) {
            const std::vector<std::string> header = header_of(line);
            if (!header.empty()) {
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
        if (words.size() < columns_.size() + 1) {
            refuse(source_.at(line), "a row with fewer cells than its header", shown(line.text),
                   std::to_string(columns_.size()) + " cells");
        }
        rows_ += name.starts_with("gpu") ? 1 : 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!is_distance(words[i + 1].text)) {
                refuse(source_.at(line), "a cell of the matrix", shown(words[i + 1].text),
                       "X, NV#, PIX, PXB, PHB, NODE, SYS");
            }
            if (i < static_cast<std::size_t>(column - columns_.begin())) {
                node_.pairs.push_back({columns_[i], name, std::string(words[i + 1].text), source_.at(line)});
            }
        }
        if (!name.starts_with("gpu")) { return; }
        GpuSeen& gpu = add_end(node_.gpus, number_in<int>(name.substr(3)).value_or(-1), source_.at(line));
        // Behind the cells: CPUs, then the NUMA node. A driver without affinity leaves both out.
        const std::size_t numa = columns_.size() + 2;
        if (numa < words.size()) {
            gpu.numa = number_in<int>(words[numa].text.substr(0, words[numa].text.find('-'))).value_or(-1);
        }
    }

    void finish() {
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
    }

    // A cell NV18 says how many NVLinks join a pair; GPUs that meet in NVSwitches show all their links in every cell.
    void note_nvlinks(const PairSeen& pair) {
        const std::optional<int> count = nvlinks_in(pair.word);
        if (!count) { return; }
        for (const auto& [one, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
            for (GpuSeen& gpu : node_.gpus) {
                if ("gpu" + std::to_string(gpu.index) == one) { gpu.nvlinks.push_back({other, *count}); }
            }
        }
    }

    const SourceText& source_;
    NodeSeen node_;
    std::vector<std::string> columns_;
    std::map<std::string, std::string> legend_;
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
