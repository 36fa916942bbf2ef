#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "base/input_error.hpp"
#include "base/nearest_word.hpp"
#include "base/sqlite.hpp"
#include "cli/command.hpp"
#include "cli/mpi.hpp"
#include "cli/terminal.hpp"
#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/report/html/page.hpp"
#include "sim/report/html/page_html.hpp"
#include "sim/report/result_file.hpp"
#include "sim/run/sweep/journal.hpp"
#include "topologies/cluster.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::cli {

namespace {

constexpr std::array commands = {
    Command{"run", "forecast a scenario: time, bottleneck, scaling", run_scenario},
    Command{"sweep", "many points of a scenario: grid, list or random; resumed after any end", sweep_scenario},
    Command{"compare", "a measurement beside its forecast", compare_measured},
#ifdef FABRICAST_HAS_CERES
    Command{"calibrate", "one's own measurements as an overlay over the catalogue", calibrate_system},
#endif
    Command{"diagnose", "is my number normal? causes, ranked by simulating each", diagnose_log},
    Command{"study", "designs side by side: time, efficiency, parts, power, cost", study_designs},
    Command{"explain", "what bounds a result, and what would change it", explain_scenario},
    Command{"import", "a benchmark's log as a measurement file", import_file},
    Command{"catalog", "the parts, and where each of their figures comes from", show_catalog},
    Command{"topo", "the cluster: parts, paths, bisection, exports", show_topology},
};

void print_help(std::ostream& out) {
    out << "fabricast: a forecast for the fabrics of GPU clusters\n\nusage: fabricast COMMAND [ARGUMENT...]\n\n";
    for (const Command& command : commands) {
        out << "  " << command.name << std::string(12 - command.name.size(), ' ') << command.summary << "\n";
    }
    out << "\nA file to write may be `-`: standard output.\n"
           "fabricast COMMAND --help says more; fabricast --version prints the version.\n";
}

std::atomic<bool> stop{false};  // the only mutable global: a signal handler can reach nothing else

void on_interrupt(int) {
    stop = true;
    std::signal(SIGINT, SIG_DFL);
}

int dispatch(const std::vector<std::string>& arguments) {
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
    const auto command =
        std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
    if (command == commands.end()) {
        std::vector<std::string> names;
        names.reserve(commands.size());
        for (const Command& c : commands) {
            names.emplace_back(c.name);
        }
        throw UsageError(error_message("unknown command", shown(name), joined(names), nearest_word(name, names)));
    }
    return command->run({arguments.begin() + 1, arguments.end()});
}

int report(std::string_view message, int code) {
    std::cerr << message << "\n";
    return code;
}

// The only place where exceptions become exit codes.
int guarded(const std::vector<std::string>& arguments) {
    try {
        const int code = dispatch(arguments);
        std::cout.flush();
        return std::cout ? code : report("fabricast: the output could not be written", internal_or_io);
    } catch (const InputError& error) {
        return report(error.what(), bad_input);
    } catch (const UsageError& error) {
        return report(std::string("fabricast: ") + error.what(), bad_input);
    } catch (const CatalogError& error) {
        return report(std::string("fabricast: ") + error.what(), bad_input);
    } catch (const ClusterError& error) {
        return report(std::string("fabricast: ") + error.what(), bad_input);
    } catch (const PlanError& error) {
        return report(std::string("fabricast: ") + error.what(), bad_input);
    } catch (const OutOfRange& error) {
        return report(std::string("fabricast: ") + error.what(), bad_input);
    } catch (const CannotEnd& error) {
        return report(error.what(), cannot_end);
    } catch (const Unreachable& error) {
        return report(std::string("fabricast: ") + error.what(), cannot_end);
    } catch (const JournalError& error) {
        return report(std::string("fabricast: ") + error.what(), bad_input);
    } catch (const MissingSqlite& error) {
        return report(std::string("fabricast: ") + error.what(), missing_here);
    } catch (const MissingMpi& error) {
        return report(std::string("fabricast: ") + error.what(), missing_here);
    } catch (const MissingEngine& error) {
        return report(std::string("fabricast: ") + error.what(), missing_here);
    } catch (const html::MissingCharts& error) {
        return report(std::string("fabricast: ") + error.what(), missing_here);
    } catch (const Stopped&) {
        std::cout.flush();
        return report("fabricast: stopped", interrupted);
    } catch (const std::bad_alloc&) {
        return report("fabricast: out of memory", internal_or_io);
    } catch (const std::exception& error) {
        return report(std::string("fabricast: ") + error.what(), internal_or_io);
    }
}

}  // namespace

const std::atomic<bool>& stop_flag() { return stop; }

}  // namespace fabricast::cli

int main(int argc, char** argv) {
    std::signal(SIGINT, fabricast::cli::on_interrupt);
    std::signal(SIGXFSZ, SIG_IGN);  // a file above `ulimit -f` then fails as a write error and is removed
    const fabricast::cli::PlainText out(std::cout);
    const fabricast::cli::PlainText err(std::cerr);
    return fabricast::cli::guarded({argv + 1, argv + argc});
}
