#include "sim/scenario/trace_keys.hpp"

#include "base/nearest_word.hpp"
#include "sim/plan/traces/import.hpp"
#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

KeyOf<TraceWorkload> file_key() {
    KeyOf<TraceWorkload> key =
        text_key("file", &TraceWorkload::file,
                 "The recording: a file, a folder with one a rank, or a name with `*`, as `trace.*.et`.");
    key.read = [](const Node& node, TraceWorkload& trace) { trace.file = path_of(node); };
    return required(std::move(key));
}

std::vector<std::string> format_words() {
    std::vector<std::string> words = names_of(trace_formats(), &TraceFormat::name);
    words.insert(words.begin(), "auto");
    return words;
}

}  // namespace

std::vector<Key> trace_keys() {
    using W = TraceWorkload;
    return workload_keys<W>(
        "trace",
        {
            file_key(),
            choice_key("format", &W::format, format_words(), "What wrote it.", ""),
            text_key("recorded_on", &W::recorded_on, "Catalogue GPU that it was recorded on.", "what the trace says"),
            whole_key("ranks", &W::ranks, 1, 1 << 24, "Ranks of the job.", "what the trace says"),
            size_key("size", &W::size, "Of the call that an MSCCL algorithm makes, as nccl-tests counts it.",
                     "the largest that the file is for"),
        });
}

}  // namespace fabricast::inline scenario
