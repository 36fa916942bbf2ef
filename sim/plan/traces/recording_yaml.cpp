#include "sim/plan/traces/recording_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "base/input_error.hpp"
#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "sim/plan/traces/recording_file.hpp"

namespace fabricast {

namespace {

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out.push_back('\\');
        }
        out.push_back(c);
    }
    for (std::size_t bad = first_non_text(out); bad != std::string::npos; bad = first_non_text(out)) {
        out[bad] = ' ';
    }
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return out + "\"";
}

// Payload and traffic are whole bytes; less than one becomes one, because a record of 0 bytes would mean no work.
std::string whole_bytes(double bytes) { return fmt::format("{} B", std::max(1LL, std::llround(bytes))); }

std::string ps(Duration span) { return fmt::format("{} ps", span.ps); }

class Writer {
public:
    explicit Writer(const Recording& recording) : recording_(recording) {}

    std::string write() {
        text_ = "recording: 1\n";
        if (!recording_.recorded_on.empty()) {
            text_ += "recorded_on: " + in_quotes(recording_.recorded_on) + "\n";
        }
        if (recording_.world > 0) {
            text_ += fmt::format("world: {}\n", recording_.world);
        }
        if (recording_.steps > 1) {
            text_ += fmt::format("steps: {}\n", recording_.steps);
        }
        groups();
        text_ += "ranks:\n";
        for (const RankRecording& rank : recording_.ranks) {
            text_ += fmt::format("  - rank: {}\n    records:{}\n", rank.rank, rank.records.empty() ? " []" : "");
            for (std::size_t i = 0; i < rank.records.size() && text_.size() <= yaml::max_file_bytes; ++i) {
                record(rank, i);
            }
        }
        check();
        return text_;
    }

private:
    // Checks that the text can be read back: our YAML has limits that a trace does not have.
    void check() const {
        try {
            Recording again;
            again.names.emplace_back();
            read_recording(text_, "the recording as YAML", again);
        } catch (const InputError& error) {
            throw std::length_error("the recording cannot be kept as YAML, as " + error.message +
                                    ": a scenario replays the trace itself");
        }
    }

    // Groups with the same name but different members get new names: PyTorch numbers groups separately in each rank.
    std::string group_name(std::size_t g) const {
        const std::string& name = recording_.groups[g].name;
        const auto same = std::count_if(recording_.groups.begin(), recording_.groups.end(),
                                        [&](const CommGroup& other) { return other.name == name; });
        return same > 1 || name.empty() ? fmt::format("group {}", g) : name;
    }

    void groups() {
        if (recording_.groups.empty()) {
            return;
        }
        text_ += "groups:\n";
        for (std::size_t g = 0; g < recording_.groups.size(); ++g) {
            const CommGroup& group = recording_.groups[g];
            text_ += "  - {name: " + in_quotes(group_name(g));
            if (!group.ranks.empty()) {
                text_ += fmt::format(", ranks: [{}]", fmt::join(group.ranks, ", "));
            } else if (group.size > 0) {
                text_ += fmt::format(", size: {}", group.size);
            }
            text_ += "}\n";
        }
    }

    void field(const char* key, std::string_view value) { text_ += fmt::format(", {}: {}", key, value); }

    void record(const RankRecording& rank, std::size_t i) {
        const Record& r = rank.records[i];
        const std::string& name = recording_.names[r.name];
        const bool communicates = r.kind != RecordKind::compute && r.kind != RecordKind::host;
        text_ += "      - {" + std::string(to_string(r.kind)) + ": " +
                 (r.kind == RecordKind::collective ? std::string(to_string(r.collective))
                  : communicates                   ? fmt::to_string(r.other)
                                                   : in_quotes(name));
        if (communicates) {
            field("size", whole_bytes(r.bytes));
            if (r.kind == RecordKind::collective) {
                field("group", in_quotes(group_name(r.other)));
                field("dtype", to_string(r.dtype));
            }
            if (r.root != 0) {
                field(r.kind == RecordKind::collective ? "root" : "tag", fmt::to_string(r.root));
            }
            if (!name.empty()) {
                field("name", in_quotes(name));
            }
        } else {
            work(r);
        }
        if (r.protocol != Protocol::automatic) {
            field("protocol", to_string(r.protocol));
        }
        if (r.stream != 0) {
            field("stream", r.stream == no_stream ? "none" : fmt::to_string(r.stream));
        }
        if (r.idle.ps != 0) {
            field("idle", ps(r.idle));
        }
        if (r.delay.ps != 0) {
            field("delay", ps(r.delay));
        }
        if (!rank.after(i).empty()) {
            field("after", fmt::format("[{}]", fmt::join(rank.after(i), ", ")));
        }
        text_ += "}\n";
    }

    void work(const Record& r) {
        if (r.flops > 0 || r.bytes > 0) {
            if (r.flops > 0) {
                field("flops", fmt::format("{:.17g}", r.flops));
            }
            if (r.bytes > 0) {
                field("bytes", whole_bytes(r.bytes));
            }
        } else {
            field("time", ps(r.time));
        }
        if (r.kind == RecordKind::compute) {
            field("bound", to_string(r.bound));
            if (r.bound == Bound::arithmetic || r.flops > 0) {
                field("dtype", to_string(r.dtype));
            }
        }
    }

    const Recording& recording_;
    std::string text_;
};

}  // namespace

std::string recording_yaml(const Recording& recording) { return Writer(recording).write(); }

}  // namespace fabricast
