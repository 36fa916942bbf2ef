#include "tests/bench/measure.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace fabricast::bench {

namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

[[noreturn]] void live(const std::function<std::vector<double>()>& work, int to) {
    int status = 0;
    try {
        const auto start = std::chrono::steady_clock::now();
        std::vector<double> words = work();
        words.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        const auto* bytes = reinterpret_cast<const char*>(words.data());
        for (std::size_t left = words.size() * sizeof(double); left > 0;) {
            const ssize_t n = ::write(to, bytes, left);
            if (n <= 0) { ::_exit(1); }
            bytes += n;
            left -= static_cast<std::size_t>(n);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        status = 1;
    }
    ::_exit(status);
}

}  // namespace

Measured in_child(const std::function<std::vector<double>()>& work) {
    std::fflush(nullptr);
    int ends[2];
    if (::pipe(ends) != 0) {
        std::perror("pipe");
        std::exit(1);
    }
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::close(ends[0]);
        live(work, ends[1]);
    }
    ::close(ends[1]);
    Measured measured;
    double word = 0;
    // Doubles arrive whole: pipes keep order and the buffer is filled before the next is read.
    for (std::size_t have = 0;;) {
        const ssize_t n = ::read(ends[0], reinterpret_cast<char*>(&word) + have, sizeof(word) - have);
        if (n <= 0) { break; }
        have = (have + static_cast<std::size_t>(n)) % sizeof(word);
        if (have == 0) { measured.result.push_back(word); }
    }
    ::close(ends[0]);
    int status = 0;
    rusage usage{};
    ::wait4(pid, &status, 0, &usage);
    if (pid < 0 || status != 0 || measured.result.empty()) {
        std::fprintf(stderr, "a measured process failed\n");
        std::exit(1);
    }
    measured.wall_s = measured.result.back();
    measured.result.pop_back();
    measured.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    measured.rss_MiB = static_cast<double>(usage.ru_maxrss) / 1024;
    return measured;
}

Measured best_of(int runs, const std::function<std::vector<double>()>& work) {
    Measured best = in_child(work);
    for (int i = 1; i < runs; ++i) {
        Measured next = in_child(work);
        if (next.cpu_s < best.cpu_s) { best = std::move(next); }
    }
    return best;
}

void figure(const std::string& name, double value, const std::string& unit) {
    std::printf("figure: %s %.6g %s\n", name.c_str(), value, unit.c_str());
    std::fflush(stdout);
}

bool wanted(const std::vector<std::string>& names, const std::string& group) {
    return names.empty() || std::any_of(names.begin(), names.end(),
                                        [&](const std::string& name) { return group.find(name) != std::string::npos; });
}

}  // namespace fabricast::bench
