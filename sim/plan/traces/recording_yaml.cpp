#include "sim/plan/traces/recording_yaml.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "base/units.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline traces {

namespace {

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') { out.push_back('\\'); }
        out.push_back(c);
    }
    for (std::size_t bad = first_non_text(out); bad != std::string::npos; bad = first_non_text(out)) { out[bad] = ' '; }
    std::ranges::replace_if(
        out, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return out + "\"";
}

// Payload and traffic are whole bytes; less than one becomes one, because a record of 0 bytes would mean no work.
std::string whole_bytes(double bytes) { return fmt::format("{} B", std::max(Bytes{1}, rounded_bytes(bytes)).count); }

std::string ps(Duration span) { return fmt::format("{} ps", span.ps); }

class Writer {
public:
    explicit Writer(const Recording& recording) : recording_(recording) {}

    std::string write() {
        text_ = "recording: 1\n";
        const std::string& on = recording_.recorded_on;
        text_ += !on.empty() ? fmt::format("recorded_on: {}\n", in_quotes(on)) : "";
        text_ += recording_.world > 0 ? fmt::format("world: {}\n", recording_.world) : "";
        text_ += recording_.steps > 1 ? fmt::format("steps: {}\n", recording_.steps) : "";
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
        const auto same = std::ranges::count(recording_.groups, name, &CommGroup::name);
        return same > 1 || name.empty() ? fmt::format("group {}", g) : name;
    }

    void groups() {
        if (recording_.groups.empty()) { return; }
        text_ += "groups:\n";
        for (std::size_t g = 0; g < recording_.groups.size(); ++g) {
            const CommGroup& group = recording_.groups[g];
            text_ += fmt::format("  - {{name: {}", in_quotes(group_name(g)));
            const bool listed = !group.ranks.empty();
            field("ranks", listed ? fmt::format("[{}]", fmt::join(group.ranks, ", ")) : "");
            field("size", !listed && group.size > 0 ? fmt::to_string(group.size) : "");
            text_ += "}\n";
        }
    }

    // Left out if there is no value.
    void field(const char* key, std::string_view value) {
        text_ += value.empty() ? "" : fmt::format(", {}: {}", key, value);
    }

    void record(const RankRecording& rank, std::size_t i) {
        const Record& r = rank.records[i];
        const std::string& name = recording_.names[r.name];
        const bool collective = r.kind == RecordKind::collective;
        const auto gap = [](Duration span) { return span.ps != 0 ? ps(span) : ""; };
        text_ += fmt::format("      - {{{}: {}", to_string(r.kind),
                             collective             ? std::string(to_string(r.collective))
                             : communicates(r.kind) ? fmt::to_string(r.other)
                                                    : in_quotes(name));
        if (communicates(r.kind)) {
            field("size", whole_bytes(r.bytes));
            field("group", collective ? in_quotes(group_name(r.other)) : "");
            field("dtype", collective ? to_string(r.dtype) : "");
            field(collective ? "root" : "tag", r.root != 0 ? fmt::to_string(r.root) : "");
            field("name", !name.empty() ? in_quotes(name) : "");
        } else {
            work(r);
        }
        field("protocol", r.protocol != Protocol::automatic ? to_string(r.protocol) : "");
        field("stream", r.stream == no_stream ? "none" : r.stream != 0 ? fmt::to_string(r.stream) : "");
        field("idle", gap(r.idle));
        field("delay", gap(r.delay));
        field("after", !rank.after(i).empty() ? fmt::format("[{}]", fmt::join(rank.after(i), ", ")) : "");
        text_ += "}\n";
    }

    void work(const Record& r) {
        const bool timed = !(r.flops > 0 || r.bytes > 0);
        field("flops", r.flops > 0 ? fmt::format("{:.17g}", r.flops) : "");
        field("bytes", r.bytes > 0 ? whole_bytes(r.bytes) : "");
        field("time", timed ? ps(r.time) : "");
        if (r.kind == RecordKind::compute) {
            field("bound", to_string(r.bound));
            field("dtype", r.bound == Bound::arithmetic || r.flops > 0 ? to_string(r.dtype) : "");
        }
    }

    const Recording& recording_;
    std::string text_;
};

}  // namespace

std::string recording_yaml(const Recording& recording) { return Writer(recording).write(); }

}  // namespace fabricast::inline traces
