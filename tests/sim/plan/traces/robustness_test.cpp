// Traces that were cut short, damaged, or are of another format: refused where it shows, or borne; never a crash, never
// without end. And every real sample that lies beside the sources replays.

#include <algorithm>
#include <cstdint>

#include "base/gzip.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/traces/replayed.hpp"
#include "sim/scenario/build.hpp"
#include "tests/sim/plan/traces/fixtures.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

struct Fixture {
    std::string name, text;
    const TraceFormat* format;
};

std::vector<Fixture> fixtures() {
    return {{"rank0.json", kineto_trace(), format_named("kineto")},
            {"rank0.json.gz", gzipped(kineto_trace()), format_named("kineto")},
            {"old.json", older_kineto_trace(), format_named("kineto")},
            {"t.0.et", chakra_trace(0), format_named("chakra")},
            {"t.goal", goal_trace, format_named("goal")},
            {"t.xml", msccl_trace, format_named("msccl")},
            {"t.log", nccl_log, format_named("nccl-log")},
            {"et.0.json", pytorch_et_trace, format_named("pytorch-et")},
            {"r.yaml", recording_trace, format_named("recording")}};
}

// Reads and, where that works, replays. What a user may be told is fine; anything else fails the test.
enum class Outcome { replayed, refused };
Outcome try_out(const std::filesystem::path& path, const TraceFormat* format, const Fabric& fabric) {
    try {
        const Recording recording = import_trace({path, format, {}});
        RecordedJob job = recorded_job(recording, fabric.gpu_count(), 0);
        const LibrarySpec library;
        PlannedCalls calls(fabric, library, catalogue());
        const GpuScaling scaling = gpu_scaling(catalogue(), fabric.node().gpu, "", recording.recorded_on);
        const Replayed replayed = make_replayed(recording, job, fabric, scaling, calls);
        replay(Flow{}, fabric, replayed.schedule);
        return Outcome::replayed;
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), ContainsSubstring(path.filename().string() + ":"));
    } catch (const JobError&) {
    } catch (const PlanError&) {
    } catch (const CannotEnd&) {}
    return Outcome::refused;
}

Fabric eight_gpus() {
    Scenario s;
    s.cluster.node = "dgx-h100";
    return Fabric(build(s, catalogue()));
}

// Every place in a short text, some forty in a long one, the ends always.
std::vector<std::size_t> places(std::size_t size, std::size_t most) {
    std::vector<std::size_t> list;
    const std::size_t step = std::max<std::size_t>(1, size / most);
    for (std::size_t at = 0; at < size; at += step) { list.push_back(at); }
    for (std::size_t back = 1; back < std::min<std::size_t>(size, 8); ++back) { list.push_back(size - back); }
    return list;
}

std::filesystem::path sample(const char* path) { return samples() / path; }

}  // namespace

TEST_CASE("a trace cut anywhere is refused or replayed, nothing else") {
    const TempFolder folder;
    const Fabric fabric = eight_gpus();
    for (const Fixture& fixture : fixtures()) {
        std::size_t refused = 0;
        for (const std::size_t cut : places(fixture.text.size(), 150)) {
            INFO(fixture.name << " cut after " << cut << " of " << fixture.text.size());
            const auto file = folder.write(fixture.name, std::string_view(fixture.text).substr(0, cut));
            refused += try_out(file, fixture.format, fabric) == Outcome::refused ? 1 : 0;
        }
        INFO(fixture.name);
        CHECK(refused > 20);
    }
}

TEST_CASE("JSON, XML, packed and length-delimited traces are refused wherever they were cut") {
    const TempFolder folder;
    const Fabric fabric = eight_gpus();
    for (const Fixture& fixture : fixtures()) {
        if (fixture.format == format_named("goal") || fixture.format == format_named("nccl-log") ||
            fixture.format == format_named("recording")) {
            continue;  // lines: what is left may be a shorter trace
        }
        const std::size_t end = fixture.text.find_last_not_of(" \n");
        for (const std::size_t cut : places(end, 100)) {
            if (fixture.format == format_named("chakra") && cut > 0) {
                continue;  // may end between two messages
            }
            INFO(fixture.name << " cut after " << cut);
            const auto file = folder.write(fixture.name, std::string_view(fixture.text).substr(0, cut));
            CHECK_THROWS_AS(import_trace({file, fixture.format, {}}), InputError);
        }
    }
}

TEST_CASE("flipped bytes never crash an importer") {
    const TempFolder folder;
    const Fabric fabric = eight_gpus();
    std::uint64_t random = 12345;
    for (const Fixture& fixture : fixtures()) {
        for (int i = 0; i < 200; ++i) {
            std::string text = fixture.text;
            for (int flips = 0; flips <= i % 3; ++flips) {
                random = random * 6364136223846793005ULL + 1442695040888963407ULL;
                text[(random >> 33U) % text.size()] ^= static_cast<char>(1U << ((random >> 20U) % 8));
            }
            INFO(fixture.name << ", variant " << i);
            try_out(folder.write(fixture.name, text), fixture.format, fabric);
        }
    }
}

TEST_CASE("a trace read as another format is refused") {
    const TempFolder folder;
    const Fabric fabric = eight_gpus();
    for (const Fixture& fixture : fixtures()) {
        const auto file = folder.write(fixture.name, fixture.text);
        for (const TraceFormat* format : trace_formats()) {
            const bool json = fixture.format == format_named("kineto") && format == format_named("pytorch-et");
            if (format == fixture.format) { continue; }
            INFO(fixture.name << " as " << format->name);
            CHECK((try_out(file, format, fabric) == Outcome::refused || json));
        }
    }
}

TEST_CASE("memory does not grow with what a trace holds beside its records") {
    // 30 MB of operators around four kernels: what is kept are four records and their names.
    const TempFolder folder;
    const std::string whole = kineto_trace();
    const std::size_t at = whole.find("  {\"ph\": \"M\"");
    std::string text = whole.substr(0, at);
    for (int i = 0; i < 150'000; ++i) {
        text += R"(  {"ph": "X", "cat": "cpu_op", "name": "aten::op)" + std::to_string(i) +
                R"(", "pid": 1, "tid": 1, "ts": 1000.0, "dur": 3.0, "args": {"External id": )" + std::to_string(i) +
                R"(, "Input Dims": [[512, 1024], [1024, 1024], []]}},)" + "\n";
    }
    text += whole.substr(at);
    double last = 0;
    int calls = 0;
    const Recording recording =
        import_trace({folder.write("rank0.json", text), format_named("kineto"), {}}, [&](double share) {
            CHECK(share >= last);
            last = share;
            ++calls;
        });
    CHECK(calls > 3);
    CHECK(recording.ranks.at(0).records.size() == 4);
    CHECK(recording.names.size() == 5);
}

TEST_CASE("a stopped import stops") {
    const TempFolder folder;
    std::string text = "{\"traceEvents\": [\n";
    for (int i = 0; i < 100'000; ++i) {
        text += "  {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"ts\": 1, \"dur\": 1},\n";
    }
    const auto file = folder.write("rank0.json", text);
    CHECK_THROWS_AS(import_trace({file, format_named("kineto"), {}}, [](double) { throw Stopped(); }), Stopped);
}

TEST_CASE("real samples of every format replay") {
    if (samples().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    Scenario s;
    s.cluster.node = "dgx-h100";
    s.cluster.nodes = 4;
    const Fabric fabric(build(s, catalogue()));
    for (const char* path :
         {"kineto-json/nccl_data.json.gz", "kineto-json/mi250_minitoy.json.gz", "kineto-json/h100_bert_small.json.gz",
          "pytorch-et/resnet_2gpu_et.json.gz", "pytorch-et/linear_et.json.gz", "chakra-et/all_reduce_4npus.*.et",
          "chakra-et/all_to_all_4npus.*.et", "chakra-et/custom_allreduce_8npus.0.et",
          "chakra-et/feeder_tests_trace.tar.gz", "goal/binary_tree_32.goal", "msccl-xml/rccl_alltoall-8n-0-9kb.xml",
          "msccl-xml/rccl_alltoall-8n-9kb-190kb.xml"}) {
        INFO(path);
        CHECK(try_out(sample(path), nullptr, fabric) == Outcome::replayed);
    }
}

TEST_CASE("the real PyTorch trace of two ranks holds the calls that its profiler counted") {
    if (samples().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    const Recording r = import_trace({sample("kineto-json/nccl_data.json.gz"), nullptr, {}});
    CHECK(r.world == 2);
    CHECK(r.steps == 3);
    const std::vector<Record>& records = r.ranks.at(0).records;
    CHECK(records.size() == 2700 + 960 + 114);  // kernels, copies and fills
    double bytes = 0;
    std::size_t calls = 0;
    for (const Record& record : records) {
        calls += record.kind == RecordKind::collective ? 1 : 0;
        bytes += record.kind == RecordKind::collective ? record.bytes : 0;
    }
    CHECK(calls == 21);
    // Three steps of ResNet-50: five gradient buckets of its 25,557,032 parameters, and the buffers' broadcasts.
    const double gradients = (2'049'000.0 + 7'875'584 + 6'563'840 + 6'637'568 + 2'431'040) * 4;
    CHECK(gradients == 25'557'032.0 * 4);
    CHECK(bytes == 3 * (gradients + 53'120 * 4 + 53 * 8));
}

TEST_CASE("real samples cut or damaged never crash an importer") {
    if (samples().empty()) { SKIP_TEST("no ../shared/samples beside the sources"); }
    const TempFolder folder;
    const Fabric fabric = eight_gpus();
    const std::vector<std::pair<const char*, const TraceFormat*>> list = {
        {"kineto-json/mi250_minitoy.json.gz", format_named("kineto")},
        {"kineto-json/h100_bert_small.json.gz", format_named("kineto")},
        {"pytorch-et/linear_et.json.gz", format_named("pytorch-et")},
        {"chakra-et/all_to_all_4npus.1.et", format_named("chakra")},
        {"chakra-et/custom_allreduce_8npus.0.et", format_named("chakra")},
        {"goal/binary_tree_32.goal", format_named("goal")},
        {"msccl-xml/rccl_alltoall-8n-0-9kb.xml", format_named("msccl")}};
    std::uint64_t random = 99;
    for (const auto& [path, format] : list) {
        InputFile packed(sample(path));
        const std::string plain = read_rest(packed, 1 << 28);
        const std::string stored = read_whole(sample(path));
        for (const std::string* whole : {&plain, &stored}) {
            for (const std::size_t cut : places(whole->size(), 12)) {
                INFO(path << " cut after " << cut);
                try_out(folder.write("cut.0", std::string_view(*whole).substr(0, cut)), format, fabric);
            }
            for (int i = 0; i < 12; ++i) {
                std::string text = *whole;
                random = random * 6364136223846793005ULL + 1442695040888963407ULL;
                text[(random >> 33U) % text.size()] ^= static_cast<char>(1U << ((random >> 20U) % 8));
                INFO(path << ", variant " << i);
                try_out(folder.write("flipped.0", text), format, fabric);
            }
        }
    }
}
