#pragma once
// The program under mpirun.

#include <string>

#include "tests/cli/program.hpp"

namespace fabricast::test {

// Open MPI keeps what it allocated: without the leak check of a sanitized build. Ranks that wait leave their core to
// others, such as the test beside this one, and those of an aborted job are killed at once, not after a second.
inline const std::string mpirun =
    "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_odls_base_sigkill_timeout=0 mpirun --oversubscribe -n ";

inline bool has_mpirun() { return std::system("command -v mpirun >/dev/null 2>&1") == 0; }

// `arguments` of the program on so many ranks; run from the scratch folder, where it leaves out.txt and err.txt.
inline Ran run_ranks(const std::string& ranks, const std::string& arguments, const ScratchFolder& scratch) {
    const std::string command = "cd '" + scratch.path.string() + "' && " + mpirun + ranks +
                                " '" FABRICAST_PROGRAM "' " + arguments + " >out.txt 2>err.txt";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 255, text_of(scratch.path / "out.txt"),
            text_of(scratch.path / "err.txt")};
}

}  // namespace fabricast::test
