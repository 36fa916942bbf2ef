#include "cli/topics.hpp"

#include <fmt/core.h>

#include <array>

#include "base/text.hpp"
#include "sim/engines/engine.hpp"
#include "sim/scenario/schema_docs.hpp"

namespace fabricast::cli {

namespace {

std::string engine_lines() {
    std::string lines = "Engines, for `engine:` of a scenario and for --engine; the first is the default.\n\n";
    for (const Engine& engine : all_engines()) {
        const EngineTraits& traits = traits_of(engine);
        lines += fmt::format("  {}{}\n", padded(traits.name, 12), traits.about);
    }
    return lines;
}

constexpr std::string_view exit_codes =
    R"(  0    what was printed and written is whole; also if the reader of a pipe left early, as `head` does
  1    a file could not be written, or a fault of the program; `cluster --check` found something
  2    the input or the command line is wrong; nothing was written
  3    the run cannot end: a deadlock, or devices that no link joins; the message names them
  4    something is missing here: a library in this build, a GPU, rights (see `fabricast doctor`)
  5    an `assert:` of the scenario failed
  130  stopped by Ctrl-C; finished rows were kept
)";

constexpr std::string_view environment =
    R"(What steers a run stands in the scenario or on the command line; variables only change how it is shown.

  NO_COLOR       set and not empty: no colours, unless --color says so
  TERM           `dumb`: no colours

Under mpirun or srun, `fabricast sweep` shares its points among all ranks.
)";

constexpr std::string_view outputs =
    R"(Each --FORMAT option names a file to write; `-` is standard output, and what is meant for people then goes to standard
error. A file appears whole or not at all, and no file is written over what the run reads.

  --json -   the whole result; names end in their SI unit: time_s, busbw_Bps
  --csv -    the rows, quoted by RFC 4180, with the names of the JSON
  --tsv -    the same with tabs and no quotes, for cut and awk; columns are only ever added at the end
  --quiet    no table, no progress; --no-progress: no progress

On a terminal the texts of a table shorten to its width; into a file or a pipe they are whole. `| head` ends a run early,
with exit code 0, unless it has files to write.
)";

constexpr std::string_view units = R"(Input carries its units; a bare figure is refused.

  sizes   8 B, 64 KiB, 4 MiB, 1 GiB      rates       400 Gb/s, 50 GB/s
  times   1.5 us, 250 ns, 120 ms, 2 s    frequency   1.98 GHz

Bandwidth is per direction unless a name says otherwise. busbw is nccl-tests': algbw times the factor of the collective.
)";

constexpr std::string_view devices = R"(Devices have one kind of name everywhere.

  node3.gpu5     GPU 5 of node 3         leaf1          a switch of the fabric
  node0.nic2     an adapter              leaf1.port7    one of its ports
  node0.cpu0     a socket                node0.memory0  its memory

`fabricast topo SCENARIO` lists what a cluster has, and --path A B shows the way between two devices.
)";

template <const std::string_view& text> std::string page() { return std::string(text); }

}  // namespace

std::span<const Topic> topics() {
    static constexpr std::array all = {
        Topic{"exit-codes", "what scripts may rely on", page<exit_codes>},
        Topic{"outputs", "files, standard output, tables", page<outputs>},
        Topic{"units", "sizes, times and rates in scenarios", page<units>},
        Topic{"devices", "how devices are named", page<devices>},
        Topic{"engines", "what replays a schedule", engine_lines},
        Topic{"environment", "variables that matter", page<environment>},
        Topic{"scenario", "every key of a scenario", scenario_page},
    };
    return all;
}

}  // namespace fabricast::cli
