#include "sim/scenario/trace_keys.hpp"

#include <filesystem>

#include "sim/plan/traces/import.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast {

namespace {

using namespace rows;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define TRACE(member) \
    [](auto& scenario) -> auto& { return std::get<TraceWorkload>(scenario.workload).member; }
// NOLINTEND(bugprone-macro-parentheses)

// The path is relative to the file that names it; with --set, to the working folder.
Key file_key() {
    Key key = text_key("workload.file", TRACE(file),
                       "The recording: a file, a folder with one a rank, or a name with `*`, as `trace.*.et`.");
    key.read = [](const Node& node, Scenario& s) {
        const std::filesystem::path folder = std::filesystem::path(*node.place.file).parent_path();
        std::get<TraceWorkload>(s.workload).file = (folder / text_of(node)).string();
    };
    return required(std::move(key));
}

std::vector<std::string> format_words() {
    std::vector<std::string> words = {"auto"};
    for (const TraceFormat* format : trace_formats()) {
        words.emplace_back(format->name);
    }
    return words;
}

}  // namespace

std::vector<Key> trace_keys() {
    std::vector<Key> keys = {
        file_key(),
        choice_key("workload.format", TRACE(format), format_words(), "What wrote it.", ""),
        text_key("workload.recorded_on", TRACE(recorded_on), "Catalogue GPU that it was recorded on.",
                 "what the trace says"),
        whole_key("workload.ranks", TRACE(ranks), 1, 1 << 24, "Ranks of the job.", "what the trace says"),
        size_key("workload.size", TRACE(size), "Of the call that an MSCCL algorithm makes, as nccl-tests counts it.",
                 "the largest that the file is for"),
    };
    for (Key& key : keys) {
        key.of_kind = "trace";
    }
    return keys;
}

#undef TRACE

}  // namespace fabricast
