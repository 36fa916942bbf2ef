#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>

#include "base/text_file.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::cli {

namespace {

std::atomic<bool> stop{false};  // the only mutable global: a signal handler can reach nothing else

void on_interrupt(int) {
    stop = true;
    std::signal(SIGINT, SIG_DFL);
}

ExitCode dispatch(const std::vector<std::string>& arguments, PlainText& out, PlainText& err) {
    if (arguments.empty()) {
        std::cerr << program_help();
        return bad_input;
    }
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h") {
        std::cout << program_help();
        return ok;
    }
    if (name == "--version") {
        std::cout << "fabricast " << version() << "\n";
        return ok;
    }
    const Command& command = command_named(name);
    try {
        const po::variables_map values = parse_options({arguments.begin() + 1, arguments.end()}, command);
        const std::string when = text_of(values, "color");
        out.colour(coloured(when, STDOUT_FILENO));
        err.colour(coloured(when, STDERR_FILENO));
        if (values.contains("help")) {
            std::cout << command_help(command);
            return ok;
        }
        return command.run(values);
    } catch (const MissingArgument& error) {
        throw UsageError(std::string(error.what()) + " (" + usage_of(command) + ")");
    }
}

ExitCode guarded(const std::vector<std::string>& arguments) {
    PlainText out(std::cout);
    PlainText err(std::cerr);
    err.colour(coloured("", STDERR_FILENO));
    try {
        const ExitCode code = dispatch(arguments, out, err);
        std::cout.flush();
        if (!std::cout && !reader_gone()) { throw IoError("the output could not be written"); }
        return code;
    } catch (const std::exception& error) {
        std::cout.flush();
        err.begin_error();
        return report_error("fabricast", error);
    }
}

}  // namespace

const std::atomic<bool>& stop_flag() { return stop; }

}  // namespace fabricast::cli

int main(int argc, char** argv) {
    std::signal(SIGINT, fabricast::cli::on_interrupt);
    std::signal(SIGXFSZ, SIG_IGN);  // a file above `ulimit -f` then fails as a write error and is removed
    fabricast::cli::end_with_reader();
    return static_cast<int>(fabricast::cli::guarded({argv + 1, argv + argc}));
}
