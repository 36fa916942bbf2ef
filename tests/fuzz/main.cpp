// Two ends of one table. Built by Clang with -fsanitize=fuzzer: libFuzzer's, which asks for the target by its first
// argument (libFuzzer skips what begins with two dashes). Built otherwise: each target over files, once.
//
//     fabricast-fuzz --list
//     fabricast-fuzz --target=NAME [LIBFUZZER'S OPTION...] FOLDER...

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "tests/fuzz/target.hpp"
#include "tests/support/trace_files.hpp"

namespace {

using fabricast::fuzz::Target;
using fabricast::fuzz::targets;

const Target* target_of(int argc, char** argv) {
    constexpr std::string_view option = "--target=";
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--list") {
            for (const Target& target : targets()) { std::cout << target.name << " " << target.seeds << "\n"; }
            std::exit(0);
        }
        if (!argument.starts_with(option)) { continue; }
        const auto found = std::ranges::find(targets(), argument.substr(option.size()), &Target::name);
        if (found != targets().end()) { return &*found; }
    }
    std::cerr << "usage: fabricast-fuzz --list | --target=NAME [OPTION...] FOLDER...\n";
    std::exit(2);
}

}  // namespace

#ifdef FABRICAST_LIBFUZZER

namespace {

const Target* chosen = nullptr;  // libFuzzer's interface has no other way from the one call to the other

// An input has 5 s of processor time: libFuzzer's own limit counts the clock on the wall, on which a loaded machine
// makes a hang of anything. The process is asked once a second of its time whether it is still at the same input.
constexpr int most_seconds = 5;
std::atomic<std::uint64_t> inputs{0};

void look_at_time(int) {
    static std::uint64_t last = 0;
    static int seconds = 0;
    const std::uint64_t now = inputs.load(std::memory_order_relaxed);
    seconds = now == last ? seconds + 1 : 0;
    last = now;
    if (seconds < most_seconds) { return; }
    static constexpr std::string_view text = "does not hold: an input takes at most 5 s of processor time\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    std::abort();
}

void limit_time() {
    struct sigaction action {};
    action.sa_handler = look_at_time;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    const itimerval each_second{{1, 0}, {1, 0}};
    setitimer(ITIMER_PROF, &each_second, nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    chosen = target_of(*argc, *argv);
    limit_time();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    inputs.fetch_add(1, std::memory_order_relaxed);
    fabricast::fuzz::feed(*chosen, {reinterpret_cast<const char*>(data), size});
    return 0;
}

#else

int main(int argc, char** argv) {
    const Target* target = target_of(argc, argv);
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
        std::error_code error;
        for (std::filesystem::recursive_directory_iterator it(argv[i], error), end; !error && it != end; ++it) {
            if (!it->is_regular_file()) { continue; }
            fabricast::fuzz::feed(*target, fabricast::test::read_whole(it->path()));
            ++count;
        }
    }
    std::cout << target->name << ": " << count << " inputs\n";
}

#endif
