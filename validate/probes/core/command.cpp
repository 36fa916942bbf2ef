#include "core/command.hpp"

#include <unistd.h>

#include <cstdio>
#include <exception>

#include "core/control.hpp"
#include "core/exchange.hpp"
#include "core/machine.hpp"

extern char** environ;

namespace probe {
namespace {

// The exit code of the exception in flight, after one line about it.
int tell(const std::string& probe) {
    const auto ends = [&](ExitCode code, const char* line) {
        std::fprintf(stderr, "%s: %s\n", probe.c_str(), line);
        return code;
    };
    try {
        throw;
    } catch (const UsageError& error) { return ends(bad_usage, error.what()); } catch (const NotHere& error) {
        return ends(not_here, error.what());
    } catch (const Stopped&) {
        return ends(interrupted, "stopped; the rows measured so far are kept");
    } catch (const std::exception& error) { return ends(failed, error.what()); }
}

}  // namespace

std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own, const std::string& sizes) {
    const std::vector<OptionSpec> common = {
        {"--sizes", "FROM:TO[:FACTOR]", sizes, "message sizes, or a list as 64,4KiB"},
        {"--rounds", "COUNT", "2", "times the whole sweep is run, one after the other"},
        {"--samples", "COUNT", "15", "of each point and round, at most"},
        {"--budget", "MILLISECONDS", "60", "for the samples of one point"},
        {"--output", "FILE", "", "the measurement file [PROBE.yaml]"},
        {"--name", "WORDS", "", "what this machine is called in the file"},
        {"--quiet", "", "", "no progress line"},
        {"--help", "", "", "this text"},
    };
    own.insert(own.end(), common.begin(), common.end());
    return own;
}

int rounds_of(const Options& options) { return options.number("--rounds", 1, 1000); }

SamplingRule sampling_rule(const Options& options) {
    SamplingRule rule;
    rule.samples = options.number("--samples", 1, 100'000);
    rule.budget_us = 1e3 * options.number("--budget", 1, 1'000'000);
    return rule;
}

int run_command(int argc, char** argv, const std::string& name, const std::string& purpose,
                const std::vector<OptionSpec>& table, const std::function<int(const Options&)>& body) {
    try {
        const Options options(table, std::vector<std::string>(argv + 1, argv + argc));
        if (options.on("--help")) {
            std::fputs(usage(name, purpose, table).c_str(), stdout);
            return whole;
        }
        listen_for_interrupt();
        return body(options);
    } catch (...) { return tell(name); }
}

MeasurementFile begin_measurement(const Options& options, const std::string& probe, const std::string& kind) {
    MeasurementFile file;
    const std::string& name = options.text("--name");
    std::string stem = name.empty() ? "" : name + "-";
    for (char& c : stem) { c = c == ' ' || c == '/' ? '-' : c; }
    file.id = stem + probe + "-" + utc_now().substr(0, 10);
    file.kind = kind;
    file.source = {words("url", "measured with " + probe + (name.empty() ? "" : " on " + name)), words("probe", probe),
                   words("machine", name), words("date", utc_now())};
    file.benchmark = {words("tool", probe), words("options", options.as_given()),
                      words("time_us", "median over samples; a sample is the mean of `iterations` transfers"),
                      words("data", "compared with what was sent; wrong bytes end the run")};
    return file;
}

std::string compiler_name() {
#if defined(__clang__)
    return "Clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
           std::to_string(__clang_patchlevel__);
#elif defined(__GNUC__)
    return "GCC " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
           std::to_string(__GNUC_PATCHLEVEL__);
#else
    return "unknown compiler";
#endif
}

std::string environment_of(const std::string& prefix) {
    std::string found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string one = *entry;
        if (one.rfind(prefix, 0) == 0) { found += (found.empty() ? "" : " ") + one; }
    }
    return found;
}

Recorder::Recorder(const Options& options, MeasurementFile file, std::size_t points)
    : name_(file.benchmark.front().text),
      path_(options.text("--output").empty() ? name_ + ".yaml" : options.text("--output")),
      file_(std::move(file)),
      points_(points),
      shows_progress_(!options.on("--quiet") && isatty(STDERR_FILENO) == 1),
      written_at_s_(steady_seconds()) {}

int Recorder::record(const std::function<void(MeasurementFile&)>& measure) {
    int code = whole;
    try {
        measure(file_);
        clear_progress();
    } catch (...) {
        clear_progress();
        code = tell(name_);
        file_.notes += std::string(file_.notes.empty() ? "" : " ") +
                       (code == interrupted ? "stopped before the end" : "ended by a failure");
    }
    if (!file_.rows.empty()) {
        write();
        std::printf("%s: %zu rows\n", path_.c_str(), file_.rows.size());
    }
    return code;
}

void Recorder::write() {
    write_whole(path_, to_yaml(file_));
    written_at_s_ = steady_seconds();
}

void Recorder::add(const Row& row) {
    file_.rows.push_back(row);
    if (steady_seconds() - written_at_s_ > 10) {
        write();  // a run of an hour that is killed leaves what it had
    }
    if (!shows_progress_) { return; }
    std::string what;
    for (const std::string& label : row.labels) { what += label + " "; }
    what += size_text(row.size_bytes) + "  " + figure(row.time_us.median) + " us";
    std::fprintf(stderr, "\r\033[K[%zu/%zu] %.100s", file_.rows.size(), points_, what.c_str());
    std::fflush(stderr);
}

void Recorder::clear_progress() const {
    if (shows_progress_) { std::fputs("\r\033[K", stderr); }
}

}  // namespace probe
