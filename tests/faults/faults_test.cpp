// What the program leaves behind when the machine fails it: a disk that is full or dies at any call, no memory, a kill.
// A file to write is then as it was or whole, nothing else lies beside it, and one line says why, with exit code 1.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "tests/cli/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizers.hpp"

using namespace fabricast::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* two_nodes =
    "name: two\ncluster: {node: dgx-h100, nodes: 2}\nworkload: {kind: collective, sizes: [1 KiB, 1 MiB]}\n";
constexpr const char* goal = "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n";
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
};

struct Bench {
    ScratchFolder scratch;
    fs::path folder = scratch.path / "work";

    explicit Bench(const std::string& name) : scratch("faults_" + name) { fs::create_directories(folder); }

    void lay_out(const Writer& writer) const {
        fs::remove_all(folder);
        fs::create_directories(folder);
        scratch.write("work/s.yaml", two_nodes);
        scratch.write("work/t.goal", goal);
        scratch.write("work/cables.csv",
                      "StartDevice,StartPort,EndDevice,EndPort\nleaf1,1,dgx-01,eth0\nleaf1,2,dgx-02,eth0\n");
        scratch.write("work/" + writer.out, old_text);
    }

    // As many runs as the command makes calls of the kind: `check` sees each that a failure befell. Returns how many.
    template <class Check>
    int fail_each(const Writer& writer, const std::string& call, int number, const Check& check, int step = 1) const {
        const fs::path mark = scratch.path / "mark";
        int befallen = 0;
        for (int nth = 1; nth < 100'000; nth += step == 1 ? 1 : 1 + nth / step) {
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
    Ran run(const std::string& with, const Writer& writer) const {
        std::string arguments = writer.arguments;
        for (const std::string& name :
             {std::string("s.yaml"), std::string("t.goal"), std::string("cables.csv"), writer.out}) {
            if (const auto at = arguments.find(name); at != std::string::npos) {
                arguments.replace(at, name.size(), (folder / name).string());
            }
        }
        const fs::path out = scratch.path / "stdout.txt", err = scratch.path / "stderr.txt";
        const std::string command =
            with + "'" FABRICAST_PROGRAM "' " + arguments + " >'" + out.string() + "' 2>'" + err.string() + "'";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
    }

    // Nothing beside the inputs, the result and a journal.
    void check_folder(const Writer& writer, bool killed = false) const {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            INFO("left behind: " << name);
            CHECK((name == "s.yaml" || name == "t.goal" || name == "cables.csv" || name.starts_with(writer.out)));
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
            const int befallen = bench.fail_each(writer, failure.call, failure.number, [&](const Ran& ran) {
                // What cannot be forced to the disk is no loss yet: a sweep goes on.
                if (ran.code == 0 && failure.number == EIO && sweep) { return; }
                CHECK(ran.code == 1);
                CHECK(one_line(ran.err));
                CHECK_THAT(ran.err, ContainsSubstring(writer.out));
                // A sweep's result may be whole when its journal fails, as the line says.
                const bool journal = ran.err.find(".journal: ") != std::string::npos;
                CHECK((journal || text_of(bench.folder / writer.out) == old_text));
                bench.check_folder(writer);
            });
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
            2);
        CHECK(befallen > 10);
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

TEST_CASE("a kill at any moment leaves the file as it was or whole") {
    const Bench bench("kill");
    for (const Writer& writer : {writers[0], writers[2], writers[3], writers[6]}) {
        bench.lay_out(writer);
        const auto begin = std::chrono::steady_clock::now();
        REQUIRE(bench.run("", writer).code == 0);
        const auto took = std::chrono::steady_clock::now() - begin;
        const std::string whole = text_of(bench.folder / writer.out);
        for (int i = 1; i <= 8; ++i) {
            bench.lay_out(writer);
            const double seconds = std::chrono::duration<double>(took).count() * i / 8;
            bench.run("timeout -s KILL " + std::to_string(seconds) + " ", writer);
            const std::string left = text_of(bench.folder / writer.out);
            INFO(writer.arguments << " killed after " << seconds << " s");
            CHECK((left == old_text || left == whole));
            bench.check_folder(writer, true);
        }
    }
}
