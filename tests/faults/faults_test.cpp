// What the program leaves behind when the machine fails it: a disk that is full or dies at any call, no memory, a kill.
// A file to write is then as it was or whole, nothing else lies beside it, and one line says why, with exit code 1.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "base/hash.hpp"
#include "base/text_file.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/thorough.hpp"

using namespace fabricast::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* two_nodes =
    "name: two\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: collective, sizes: [1 KiB, 1 MiB]}\n";
constexpr const char* goal = "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";
constexpr const char* step =
    "name: step\ncluster: {node: dgx-h100, nodes: 1}\nworkload: {kind: training, model: megatron-1.7b, global_batch: "
    "8}\n";
constexpr const char* measured = FABRICAST_SOURCE_DIR "/validate/measurements/nccl/dgxc-h100-1n8g-allreduce.yaml";
const std::vector<std::string> inputs = {"s.yaml", "p.yaml", "m.yaml", "t.goal", "cables.csv"};
constexpr const char* old_text = "what was here before\n";

struct Writer {
    std::string arguments;  // of a command that writes OUT
    std::string out;        // the file's name
};

const std::vector<Writer> writers = {
    {"run s.yaml --quiet --json out.json", "out.json"},
    {"run s.yaml --quiet --csv out.csv", "out.csv"},
    {"run s.yaml --quiet --trace out.json", "out.json"},
    {"topo s.yaml --dot out.dot", "out.dot"},
    {"import goal t.goal -o out.yaml", "out.yaml"},
    {"cluster cables.csv --node dgx-h100 -o out.yaml", "out.yaml"},
    {"sweep s.yaml --quiet --vary cluster.nodes=1,2 --out out.csv", "out.csv"},
    {"sweep s.yaml --quiet --vary cluster.nodes=1,2 --out out.sqlite", "out.sqlite"},
    {"explain s.yaml --json out.json", "out.json"},
    {"study s.yaml --draws 10 --quiet --tsv out.tsv", "out.tsv"},
    {"plan p.yaml --draws 0 --quiet --csv out.csv", "out.csv"},
    {"place s.yaml --nodes node0,node1 --quiet --json out.json", "out.json"},
    {"compare m.yaml --json out.json", "out.json"},
    {"diagnose m.yaml --json out.json", "out.json"},
    {"catalog list link --json out.json", "out.json"},
    {"doctor --json out.json", "out.json"},
};

struct Bench {
    ScratchFolder scratch;
    fs::path folder = scratch.path / "work";

    explicit Bench(const std::string& name) : scratch("faults_" + name) { fs::create_directories(folder); }

    void lay_out(const Writer& writer) const {
        fs::remove_all(folder);
        fs::create_directories(folder);
        scratch.write("work/s.yaml", two_nodes);
        scratch.write("work/p.yaml", step);
        fs::copy_file(measured, folder / "m.yaml");
        scratch.write("work/t.goal", goal);
        scratch.write("work/cables.csv",
                      "StartDevice,StartPort,EndDevice,EndPort\nleaf1,1,dgx-01,eth0\nleaf1,2,dgx-02,eth0\n");
        scratch.write("work/" + writer.out, old_text);
    }

    // As many runs as the command makes calls of the kind, after `each_of` fewer and fewer: `check` sees each that a
    // failure befell. Returns how many.
    template <class Check>
    int fail_each(const Writer& writer, const std::string& call, int number, const Check& check,
                  int each_of = 100'000) const {
        const fs::path mark = scratch.path / "mark";
        int befallen = 0;
        for (int nth = 1; nth < 100'000; nth += nth < each_of ? 1 : 1 + nth / 2) {
            lay_out(writer);
            fs::remove(mark);
            const std::string with = "env LD_PRELOAD='" FABRICAST_FAULTS "' FAULT_CALL=" + call +
                                     " FAULT_NTH=" + std::to_string(nth) + " FAULT_ERRNO=" + std::to_string(number) +
                                     " FAULT_IN='" + folder.string() + "' FAULT_MARK='" + mark.string() + "' ";
            const Ran ran = run(with, writer);
            INFO(writer.arguments << ", " << call << " " << nth << " fails with " << number << ": " << ran.err);
            if (!fs::exists(mark)) { return befallen; }
            ++befallen;
            check(ran);
        }
        return befallen;
    }

    // Files are named by their whole paths, so that the failing calls know them.
    std::string arguments_of(const Writer& writer) const {
        std::string arguments = " " + writer.arguments;
        std::vector<std::string> names = inputs;
        names.push_back(writer.out);
        for (const std::string& name : names) {
            if (const auto at = arguments.find(" " + name); at != std::string::npos) {
                arguments.replace(at + 1, name.size(), (folder / name).string());
            }
        }
        return arguments;
    }

    Ran run(const std::string& with, const Writer& writer) const {
        const fs::path out = scratch.path / "stdout.txt", err = scratch.path / "stderr.txt";
        const std::string command = with + "'" FABRICAST_PROGRAM "' " + arguments_of(writer) + " >'" + out.string() +
                                    "' 2>'" + err.string() + "'";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
    }

    // Nothing beside the inputs, the result and a journal.
    void check_folder(const Writer& writer, bool killed = false) const {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            INFO("left behind: " << name);
            CHECK((std::ranges::count(inputs, name) > 0 || name.starts_with(writer.out)));
            CHECK((killed || name.find(".tmp") == std::string::npos));
        }
    }
};

bool one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

}  // namespace

TEST_CASE("a disk that fails at any call leaves the file as it was, and one line says so") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer has these calls itself"); }
    const Bench bench("disk");
    struct Failure {
        const char* call;
        int number;
    };
    for (const Writer& writer : writers) {
        for (const Failure failure : {Failure{"open", EROFS}, {"write", ENOSPC}, {"fsync", EIO}, {"rename", EROFS}}) {
            const bool sweep = writer.arguments.starts_with("sweep");
            const auto check = [&](const Ran& ran) {
                // What cannot be forced to the disk is no loss yet: a sweep goes on.
                if (ran.code == 0 && failure.number == EIO && sweep) { return; }
                CHECK(ran.code == 1);
                CHECK(one_line(ran.err));
                CHECK_THAT(ran.err, ContainsSubstring(writer.out));
                // A sweep's result may be whole when its journal fails, as the line says.
                const bool journal = ran.err.find(".journal: ") != std::string::npos;
                CHECK((journal || text_of(bench.folder / writer.out) == old_text));
                bench.check_folder(writer);
            };
            const int each_of = fabricast::testing::thorough() ? 100'000 : 3;
            const int befallen = bench.fail_each(writer, failure.call, failure.number, check, each_of);
            INFO(writer.arguments << " " << failure.call);
            CHECK(befallen >= 1);
        }
    }
}

TEST_CASE("a sweep that a full disk ended goes on from its journal") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer has these calls itself"); }
    const Bench bench("resume");
    const Writer sweep = {"sweep s.yaml --quiet --vary cluster.nodes=1,2,3 --out out.csv", "out.csv"};
    bench.lay_out(sweep);
    fs::remove(bench.folder / sweep.out);
    REQUIRE(bench.run("", sweep).code == 0);
    const std::string whole = text_of(bench.folder / sweep.out);
    bench.fail_each(sweep, "write", ENOSPC, [&](const Ran& ran) {
        CHECK(ran.code == 1);
        CHECK(bench.run("", {sweep.arguments + " --resume", sweep.out}).code == 0);
        CHECK(text_of(bench.folder / sweep.out) == whole);
    });
}

TEST_CASE("standard output on a full disk is an error") {
    const Bench bench("stdout");
    const Writer run = {"run s.yaml", "none"};
    for (const char* more : {"", " --json -"}) {
        bench.lay_out(run);
        const std::string command = "cd '" + bench.folder.string() + "' && '" FABRICAST_PROGRAM "' run s.yaml" + more +
                                    " >/dev/full 2>'" + (bench.scratch.path / "err").string() + "'";
        CHECK(WEXITSTATUS(std::system(command.c_str())) == 1);
        CHECK_THAT(text_of(bench.scratch.path / "err"),
                   ContainsSubstring("could not be written") || ContainsSubstring("cannot be written"));
    }
}

TEST_CASE("an allocation that fails ends the run with one line, and the file is as it was") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer has these calls itself"); }
    const Bench bench("memory");
    const int most = fabricast::testing::thorough() ? 64 : 24;
    for (const Writer& writer : {writers[0], writers[4], writers[6]}) {
        const int befallen = bench.fail_each(
            writer, "malloc", ENOMEM,
            [&](const Ran& ran) {
                if (ran.code == 0) { return; }  // asked for less instead, as a sort does
                CHECK(ran.code == 1);
                CHECK(one_line(ran.err));
                CHECK(text_of(bench.folder / writer.out) == old_text);
                bench.check_folder(writer);
            },
            most);
        CHECK(befallen > most);
    }
}

TEST_CASE("little address space is not a crash") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer maps far more than its program needs"); }
    const Bench bench("space");
    const Writer& writer = writers[0];
    int refused = 0;
    for (int kib = 24'000; kib < 400'000 && refused < 12; kib += 6'000) {
        bench.lay_out(writer);
        const Ran ran = bench.run("ulimit -v " + std::to_string(kib) + "; ", writer);
        if (ran.code == 127) { continue; }  // the loader itself had not enough
        INFO(kib << " KiB: " << ran.err);
        if (ran.code == 0) { break; }
        ++refused;
        CHECK(ran.code == 1);
        CHECK(one_line(ran.err));
        CHECK(text_of(bench.folder / writer.out) == old_text);
    }
}

TEST_CASE("a rename whose answer is lost is an error, and the file is whole") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer has these calls itself"); }
    const Bench bench("renamed");
    for (const Writer& writer : {writers[0], writers[6]}) {
        bench.lay_out(writer);
        REQUIRE(bench.run("", writer).code == 0);
        const std::string whole = text_of(bench.folder / writer.out);
        const int befallen = bench.fail_each(writer, "renamed", ESTALE, [&](const Ran& ran) {
            CHECK(ran.code == 1);
            CHECK(one_line(ran.err));
            CHECK(text_of(bench.folder / writer.out) == whole);
            bench.check_folder(writer);
        });
        CHECK(befallen == 1);
    }
}

TEST_CASE("a file system without locks is no other sweep") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer has these calls itself"); }
    const Bench bench("locks");
    for (const int number : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
        CHECK(bench.fail_each(writers[6], "flock", number, [](const Ran& ran) { CHECK(ran.code == 0); }) == 1);
    }
}

TEST_CASE("what is written is the same whatever the date") {
    if (fabricast::testing::sanitized) { SKIP_TEST("a sanitizer has these calls itself"); }
    const Bench bench("date");
    for (const Writer& writer : writers) {
        bench.lay_out(writer);
        REQUIRE(bench.run("", writer).code == 0);
        const std::string whole = text_of(bench.folder / writer.out);
        bench.lay_out(writer);
        CHECK(bench.run("env LD_PRELOAD='" FABRICAST_FAULTS "' FAULT_CALL=clock ", writer).code == 0);
        INFO(writer.arguments);
        CHECK(text_of(bench.folder / writer.out) == whole);
    }
}

TEST_CASE("killed or stopped at any moment, a command leaves the file as it was or whole") {
    const Bench bench("kill");
    std::vector<Writer> all = writers;
    all.push_back({"calibrate m.yaml -o out.yaml", "out.yaml"});
    std::uint64_t draws = 0;
    for (const Writer& writer : all) {
        bench.lay_out(writer);
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(bench.run("", writer).code == 0);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        const std::string whole = text_of(bench.folder / writer.out);
        const auto check = [&](bool ended) {
            const std::string left = text_of(bench.folder / writer.out);
            CHECK(((left == old_text && !ended) || left == whole));
            bench.check_folder(writer, !ended);
        };
        for (int i = 0; i < (fabricast::testing::thorough() ? 6 : 2); ++i) {
            const std::chrono::duration<double> moment =
                took * static_cast<double>(fabricast::mix(++draws) >> 11U) * 0x1p-53;
            INFO(writer.arguments << " at " << moment.count() << " of " << took.count() << " s");
            bench.lay_out(writer);
            // No search for leaks, which stops the process itself: two that stop it may leave it stopped.
            Process process(bench.arguments_of(writer), bench.folder, "env ASAN_OPTIONS=detect_leaks=0");
            std::this_thread::sleep_for(moment);
            process.stop();
            check(false);
            if (i % 2 == 0) {
                process.end(SIGKILL);
                check(false);
            } else {
                CHECK(process.end(SIGCONT) == 0);
                check(true);
            }
        }
    }
}

TEST_CASE("every writer of a file has a temporary one of its own, under a name that nobody can foresee") {
    const ScratchFolder scratch("names");
    std::set<std::string> names;
    {
        const fabricast::NewFile first(scratch.path / "r.csv"), second(scratch.path / "r.csv");
        for (const auto& entry : fs::directory_iterator(scratch.path)) {
            names.insert(entry.path().filename().string());
        }
    }
    CHECK(names.size() == 2);
    CHECK(fs::is_empty(scratch.path));
    const fabricast::NewFile third(scratch.path / "r.csv");
    const std::string name = fs::directory_iterator(scratch.path)->path().filename().string();
    CHECK_FALSE(names.contains(name));  // not counted up from the same beginning
    CHECK(name.find(std::to_string(::getpid())) == std::string::npos);
}
