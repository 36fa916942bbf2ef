#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <streambuf>

#include "base/input_error.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/command.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::cli {

namespace {

constexpr std::array commands = {
    Command{"run", "forecast a scenario: time, bottleneck, scaling", run_scenario},
    Command{"sweep", "many points of a scenario: grid, list or random; resumed after any end", sweep_scenario},
    Command{"compare", "a measurement beside its forecast", compare_measured},
    Command{"calibrate", "one's own measurements as an overlay over the catalogue", calibrate_system},
    Command{"diagnose", "is my number normal? causes, ranked by simulating each", diagnose_log},
    Command{"study", "designs side by side: time, efficiency, parts, power, cost", study_designs},
    Command{"plan", "which layout of a training step: a search under memory and placement", plan_layout},
    Command{"explain", "what bounds a result, and what would change it", explain_scenario},
    Command{"import", "a benchmark's log as a measurement file", import_file},
    Command{"catalog", "the parts, and where each of their figures comes from", show_catalog},
    Command{"cluster", "a site's own files as one cluster, and what looks wrong in them", describe_cluster},
    Command{"topo", "the cluster: parts, paths, bisection, exports", show_topology},
};

void print_help(std::ostream& out) {
    out << "fabricast: a forecast for the fabrics of GPU clusters\n\nusage: fabricast COMMAND [ARGUMENT...]\n\n";
    for (const Command& command : commands) { out << "  " << padded(command.name, 12) << command.summary << "\n"; }
    out << "\nA file to write may be `-`: standard output.\n"
           "fabricast COMMAND --help says more; fabricast --version prints the version.\n";
}

// Terminal output contains names from input files; control characters in them are shown, not executed. While it exists,
// `stream` prints every control character except line breaks and tabs as \xNN.
class PlainText : public std::streambuf {
public:
    explicit PlainText(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}
    ~PlainText() override {
        stream_.flush();
        stream_.rdbuf(to_);
    }
    PlainText(const PlainText&) = delete;
    PlainText& operator=(const PlainText&) = delete;

protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof())) { return traits_type::not_eof(c); }
        const auto byte = static_cast<unsigned char>(c);
        const bool c1 = after_c2_ && byte >= 0x80 && byte < 0xA0;
        const bool held = after_c2_;
        after_c2_ = byte == 0xC2 && !held;
        if (after_c2_) {
            return c;  // held back until the next byte shows which character it starts
        }
        if (held && !c1 && traits_type::eq_int_type(to_->sputc('\xC2'), traits_type::eof())) {
            return traits_type::eof();
        }
        if (!c1 && ((byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\t')) {
            return to_->sputc(static_cast<char>(byte));
        }
        std::array<char, 8> shown{};
        const int length = std::snprintf(shown.data(), shown.size(), "\\x%02x", static_cast<unsigned>(byte));
        return to_->sputn(shown.data(), length) == length ? c : traits_type::eof();
    }
    int sync() override { return to_->pubsync(); }

private:
    std::ostream& stream_;
    std::streambuf* to_;
    // The last byte was 0xC2, which starts U+0080 to U+00BF in UTF-8; U+0080 to U+009F control terminals.
    bool after_c2_ = false;
};

std::atomic<bool> stop{false};  // the only mutable global: a signal handler can reach nothing else

void on_interrupt(int) {
    stop = true;
    std::signal(SIGINT, SIG_DFL);
}

ExitCode dispatch(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        print_help(std::cerr);
        return bad_input;
    }
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h" || name == "help") {
        print_help(std::cout);
        return ok;
    }
    if (name == "--version") {
        std::cout << "fabricast " << version() << "\n";
        return ok;
    }
    const auto command = std::ranges::find(commands, name, &Command::name);
    if (command == commands.end()) {
        const std::vector<std::string> names = names_of(commands, &Command::name);
        throw UsageError(error_message("unknown command", shown(name), joined(names), nearest_word(name, names)));
    }
    return command->run({arguments.begin() + 1, arguments.end()});
}

ExitCode guarded(const std::vector<std::string>& arguments) {
    const PlainText out(std::cout);
    const PlainText err(std::cerr);
    try {
        const ExitCode code = dispatch(arguments);
        std::cout.flush();
        if (!std::cout) { throw IoError("the output could not be written"); }
        return code;
    } catch (const std::exception& error) {
        std::cout.flush();
        return report_error("fabricast", error);
    }
}

}  // namespace

const std::atomic<bool>& stop_flag() { return stop; }

}  // namespace fabricast::cli

int main(int argc, char** argv) {
    std::signal(SIGINT, fabricast::cli::on_interrupt);
    std::signal(SIGXFSZ, SIG_IGN);  // a file above `ulimit -f` then fails as a write error and is removed
    return static_cast<int>(fabricast::cli::guarded({argv + 1, argv + argc}));
}
