// Our own YAML form of a Recording, written by hand or by recording_yaml.cpp. docs/traces.md shows it.

#include <fmt/format.h>

#include <algorithm>

#include "base/enum_name.hpp"
#include "base/schema_version.hpp"
#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "base/yaml.hpp"
#include "sim/plan/traces/recording_yaml.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::int64_t most_ranks = 1 << 24;

// Members that may be absent: a word of an enumeration up to `last`, a whole number.
template <class Enum> Enum word_or(const yaml::Node& node, std::string_view key, Enum fallback, Enum last) {
    const yaml::Node* word = node.get(key);
    return word != nullptr ? static_cast<Enum>(word->as_enum(names_up_to(last))) : fallback;
}

std::uint32_t whole_or(const yaml::Node& node, std::string_view key, std::uint32_t fallback, std::int64_t low,
                       std::int64_t high) {
    const yaml::Node* number = node.get(key);
    return number != nullptr ? static_cast<std::uint32_t>(number->as_int(low, high)) : fallback;
}

class Reader {
public:
    explicit Reader(Recording& recording) : recording_(recording) {}

    void read(const yaml::Node& root) {
        root.allow({"recording", "recorded_on", "world", "steps", "groups", "ranks"});
        check_schema_version(root.required("recording"));
        recording_.recorded_on = root.text_or("recorded_on", recording_.recorded_on);
        recording_.world = whole_or(root, "world", recording_.world, 1, most_ranks);
        recording_.steps = whole_or(root, "steps", recording_.steps, 1, 1'000'000);
        for (const yaml::Node& group : root.items_of("groups")) { read_group(group); }
        for (const yaml::Node& rank : root.required("ranks").items()) { read_rank(rank); }
        if (recording_.ranks.empty()) { root.required("ranks").fail("is empty", "at least one rank"); }
    }

private:
    std::int64_t world() const { return recording_.world != 0 ? recording_.world : most_ranks; }
    // A rank of the job; below `world` if that is known.
    std::uint32_t rank_in(const yaml::Node& node) const {
        return static_cast<std::uint32_t>(node.as_int(0, world() - 1));
    }

    void read_group(const yaml::Node& node) {
        node.allow({"name", "size", "ranks"});
        CommGroup group{node.required("name").as_string(), whole_or(node, "size", 0, 1, world()), {}};
        if (const yaml::Node* ranks = node.get("ranks")) {
            for (const yaml::Node& rank : ranks->items()) { group.ranks.push_back(rank_in(rank)); }
            std::vector<std::uint32_t> sorted = group.ranks;
            std::ranges::sort(sorted);
            if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
                ranks->fail(fmt::format("lists rank {} twice", *twice), "each rank once");
            }
            if (group.size != 0 && group.size != group.ranks.size()) {
                node.fail("'size' and 'ranks' say different numbers of ranks");
            }
            group.size = static_cast<std::uint32_t>(group.ranks.size());
        }
        if (std::ranges::find(recording_.groups, group.name, &CommGroup::name) != recording_.groups.end()) {
            node.fail("a second group of this name", "each name once");
        }
        recording_.groups.push_back(std::move(group));
    }

    void read_rank(const yaml::Node& node) {
        node.allow({"rank", "records"});
        RankRecording rank(rank_in(node.required("rank")), *node.place.file);
        for (const yaml::Node& item : node.required("records").items()) { read_record(item, rank); }
        recording_.ranks.push_back(std::move(rank));
    }

    void read_record(const yaml::Node& node, RankRecording& rank) {
        node.allow({"compute",  "host", "collective", "send", "receive", "stream", "group", "size",  "dtype", "root",
                    "protocol", "tag",  "time",       "idle", "delay",   "flops",  "bytes", "bound", "after", "name"});
        const std::string* kind = nullptr;
        for (const std::string& word : kinds_) {
            if (node.get(word) != nullptr) {
                if (kind != nullptr) { node.fail("a record is of one kind", *kind + " or " + word); }
                kind = &word;
            }
        }
        if (kind == nullptr) { node.fail("says no kind", joined(kinds_)); }
        Record r;
        r.kind = static_cast<RecordKind>(kind - kinds_.data());
        read_common(node, r);
        if (communicates(r.kind)) {
            read_communication(node, node.required(*kind), r);
        } else {
            r.name = names_(node.required(*kind).as_string());
            read_work(node, r);
        }
        std::vector<std::uint32_t> after;
        for (const yaml::Node& item : node.items_of("after")) {
            const auto last = static_cast<std::int64_t>(rank.records.size()) - 1;
            after.push_back(static_cast<std::uint32_t>(item.as_int(0, last)));
        }
        rank.add(r, after);
    }

    void read_common(const yaml::Node& node, Record& r) {
        const yaml::Node* stream = node.get("stream");
        const bool loose = stream != nullptr && stream->is_scalar() && stream->text == "none";
        r.stream = loose ? no_stream : static_cast<std::uint16_t>(whole_or(node, "stream", 0, 0, no_stream - 1));
        if (const yaml::Node* name = node.get("name")) { r.name = names_(name->as_string()); }
        r.dtype = word_or(node, "dtype", r.dtype, DataType::float8);
        r.protocol = word_or(node, "protocol", r.protocol, Protocol::simple);
        for (const auto& [key, field] :
             {std::pair("time", &Record::time), std::pair("idle", &Record::idle), std::pair("delay", &Record::delay)}) {
            if (const yaml::Node* span = node.get(key)) { r.*field = as_duration(*span); }
        }
    }

    void read_work(const yaml::Node& node, Record& r) {
        const std::string& name = recording_.names[r.name];
        r.dtype = node.get("dtype") == nullptr ? dtype_of_kernel(name) : r.dtype;
        r.bound = r.kind == RecordKind::host ? Bound::neither : bound_of_kernel(name);
        r.bound = word_or(node, "bound", r.bound, Bound::neither);
        if (const yaml::Node* flops = node.get("flops")) { r.flops = flops->as_double(); }
        if (const yaml::Node* bytes = node.get("bytes")) { r.bytes = static_cast<double>(as_bytes(*bytes).count); }
        const bool timed = node.get("time") != nullptr;
        const bool work = r.flops > 0 || r.bytes > 0;
        if (r.flops < 0 || timed == work || (work && r.kind == RecordKind::host)) {
            node.fail("says either how long it took or what it does",
                      r.kind == RecordKind::host ? "time" : "time, or flops and bytes");
        }
    }

    void read_communication(const yaml::Node& node, const yaml::Node& head, Record& r) {
        r.bound = Bound::neither;
        r.bytes = static_cast<double>(as_bytes(node.required("size")).count);
        if (!(r.bytes > 0)) { node.required("size").fail("moves nothing", "at least 1 B"); }
        if (r.kind != RecordKind::collective) {
            r.other = rank_in(head);
            r.root = whole_or(node, "tag", 0, 0, 0xffffffffLL);
            return;
        }
        r.collective = static_cast<Collective>(head.as_enum(names_up_to(Collective::scatter)));
        r.root = whole_or(node, "root", 0, 0, most_ranks);
        const yaml::Node* group = node.get("group");
        if (group == nullptr) {
            r.other = group_number(recording_.groups, {});
            return;
        }
        r.other = static_cast<std::uint32_t>(group->as_enum(names_of(recording_.groups, &CommGroup::name)));
    }

    Recording& recording_;
    Names names_{recording_.names};
    const std::vector<std::string> kinds_ = names_up_to(RecordKind::receive);
};

void read_recording(InputFile& file, Recording& recording, const ReadProgress&, Bytes) {
    read_recording(read_rest(file, yaml::max_file_bytes), file.path().string(), recording);
}

bool is_recording(const TraceStart& start) {
    return !start.json && (start.text.starts_with("recording:") || start.holds("\nrecording:"));
}

}  // namespace

void read_recording(std::string_view yaml, const std::string& file, Recording& recording) {
    Reader(recording).read(yaml::parse(yaml, file));
}

namespace formats {
extern const TraceFormat recording = {"recording", "our own", true, is_recording, read_recording};
}  // namespace formats

}  // namespace fabricast::inline traces
