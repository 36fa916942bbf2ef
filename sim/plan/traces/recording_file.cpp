#include "sim/plan/traces/recording_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "base/yaml.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast {

namespace {

const std::vector<std::string> record_words = {"compute", "host", "collective", "send", "receive"};
const std::vector<std::string> bound_words = {"memory", "arithmetic", "neither"};
constexpr std::int64_t most_ranks = 1 << 24;

template <class Enum>
std::vector<std::string> words_up_to(Enum last) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
        words.emplace_back(to_string(static_cast<Enum>(i)));
    }
    return words;
}

class Reader {
public:
    Reader(Recording& recording) : recording_(recording), names_(recording.names) {}

    void read(const yaml::Node& root) {
        root.allow({"recording", "recorded_on", "world", "steps", "groups", "ranks"});
        root.required("recording").as_int(1, 1);
        if (const yaml::Node* on = root.get("recorded_on")) {
            recording_.recorded_on = on->as_string();
        }
        if (const yaml::Node* world = root.get("world")) {
            recording_.world = static_cast<std::uint32_t>(world->as_int(1, most_ranks));
        }
        if (const yaml::Node* steps = root.get("steps")) {
            recording_.steps = static_cast<std::uint32_t>(steps->as_int(1, 1'000'000));
        }
        if (const yaml::Node* groups = root.get("groups")) {
            for (const yaml::Node& group : groups->items()) {
                read_group(group);
            }
        }
        for (const yaml::Node& rank : root.required("ranks").items()) {
            read_rank(rank);
        }
        if (recording_.ranks.empty()) {
            root.required("ranks").fail("is empty", "at least one rank");
        }
    }

private:
    // A rank of the job; below `world` if that is known.
    std::uint32_t rank_in(const yaml::Node& node) const {
        const std::int64_t ranks = recording_.world != 0 ? recording_.world : most_ranks;
        return static_cast<std::uint32_t>(node.as_int(0, ranks - 1));
    }

    void read_group(const yaml::Node& node) {
        node.allow({"name", "size", "ranks"});
        CommGroup group;
        group.name = node.required("name").as_string();
        if (const yaml::Node* size = node.get("size")) {
            group.size =
                static_cast<std::uint32_t>(size->as_int(1, recording_.world != 0 ? recording_.world : most_ranks));
        }
        if (const yaml::Node* ranks = node.get("ranks")) {
            for (const yaml::Node& rank : ranks->items()) {
                group.ranks.push_back(rank_in(rank));
            }
            std::vector<std::uint32_t> sorted = group.ranks;
            std::sort(sorted.begin(), sorted.end());
            if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
                ranks->fail(fmt::format("lists rank {} twice", *twice), "each rank once");
            }
            if (group.size != 0 && group.size != group.ranks.size()) {
                node.fail("'size' and 'ranks' say different numbers of ranks");
            }
            group.size = static_cast<std::uint32_t>(group.ranks.size());
        }
        for (const auto& known : recording_.groups) {
            if (known.name == group.name) {
                node.fail("a second group of this name", "each name once");
            }
        }
        recording_.groups.push_back(std::move(group));
    }

    void read_rank(const yaml::Node& node) {
        node.allow({"rank", "records"});
        RankRecording rank;
        rank.rank = rank_in(node.required("rank"));
        rank.source = *node.place.file;
        for (const yaml::Node& item : node.required("records").items()) {
            read_record(item, rank);
        }
        recording_.ranks.push_back(std::move(rank));
    }

    void read_record(const yaml::Node& node, RankRecording& rank) {
        node.allow({"compute",  "host", "collective", "send", "receive", "stream", "group", "size",  "dtype", "root",
                    "protocol", "tag",  "time",       "idle", "delay",   "flops",  "bytes", "bound", "after", "name"});
        std::size_t kind = record_words.size();
        for (std::size_t k = 0; k < record_words.size(); ++k) {
            if (node.get(record_words[k]) != nullptr) {
                if (kind != record_words.size()) {
                    node.fail("a record is of one kind", record_words[kind] + " or " + record_words[k]);
                }
                kind = k;
            }
        }
        if (kind == record_words.size()) {
            node.fail("says no kind", joined(record_words));
        }
        Record r;
        r.kind = static_cast<RecordKind>(kind);
        const yaml::Node& head = node.required(record_words[kind]);
        read_common(node, r);
        if (r.kind == RecordKind::compute || r.kind == RecordKind::host) {
            r.name = names_(head.as_string());
            read_work(node, r);
        } else {
            read_communication(node, head, r);
        }
        std::vector<std::uint32_t> after;
        if (const yaml::Node* list = node.get("after")) {
            for (const yaml::Node& item : list->items()) {
                after.push_back(
                    static_cast<std::uint32_t>(item.as_int(0, static_cast<std::int64_t>(rank.records.size()) - 1)));
            }
        }
        rank.add(r, after);
    }

    void read_common(const yaml::Node& node, Record& r) {
        const yaml::Node* stream = node.get("stream");
        const bool loose = stream != nullptr && stream->is_scalar() && stream->text == "none";
        r.stream =
            loose ? no_stream : static_cast<std::uint16_t>(stream != nullptr ? stream->as_int(0, no_stream - 1) : 0);
        if (const yaml::Node* name = node.get("name")) {
            r.name = names_(name->as_string());
        }
        if (const yaml::Node* dtype = node.get("dtype")) {
            r.dtype = static_cast<DataType>(dtype->as_enum(words_up_to(DataType::float8)));
        }
        if (const yaml::Node* protocol = node.get("protocol")) {
            r.protocol = static_cast<Protocol>(protocol->as_enum(words_up_to(Protocol::simple)));
        }
        for (const auto& [key, field] :
             {std::pair("time", &Record::time), std::pair("idle", &Record::idle), std::pair("delay", &Record::delay)}) {
            if (const yaml::Node* span = node.get(key)) {
                r.*field = as_duration(*span);
            }
        }
    }

    void read_work(const yaml::Node& node, Record& r) {
        r.bound = r.kind == RecordKind::host ? Bound::neither : bound_of_kernel(recording_.names[r.name]);
        if (node.get("dtype") == nullptr) {
            r.dtype = dtype_of_kernel(recording_.names[r.name]);
        }
        if (const yaml::Node* bound = node.get("bound")) {
            r.bound = static_cast<Bound>(bound->as_enum(bound_words));
        }
        if (const yaml::Node* flops = node.get("flops")) {
            r.flops = flops->as_double();
        }
        if (const yaml::Node* bytes = node.get("bytes")) {
            r.bytes = static_cast<double>(as_bytes(*bytes).count);
        }
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
        if (!(r.bytes > 0)) {
            node.required("size").fail("moves nothing", "at least 1 B");
        }
        if (r.kind != RecordKind::collective) {
            r.other = rank_in(head);
            r.root =
                static_cast<std::uint32_t>(node.get("tag") != nullptr ? node.get("tag")->as_int(0, 0xffffffffLL) : 0);
            return;
        }
        r.collective = static_cast<Collective>(head.as_enum(words_up_to(Collective::scatter)));
        r.root = static_cast<std::uint32_t>(node.get("root") != nullptr ? node.get("root")->as_int(0, most_ranks) : 0);
        const yaml::Node* group = node.get("group");
        if (group == nullptr) {
            r.other = group_number(recording_, {});
            return;
        }
        std::vector<std::string> known;
        for (const CommGroup& g : recording_.groups) {
            known.push_back(g.name);
        }
        r.other = static_cast<std::uint32_t>(group->as_enum(known));
    }

    Recording& recording_;
    Names names_;
};

}  // namespace

void read_recording(std::string_view yaml, const std::string& file, Recording& recording) {
    Reader(recording).read(yaml::parse(yaml, file));
}

}  // namespace fabricast
