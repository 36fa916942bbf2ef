#pragma once
// What the program must know about the terminal, pipe or file that it prints to.

#include <cstddef>
#include <string>

namespace fabricast::cli {

// Characters in a line of the terminal behind the descriptor; 0 if it is none.
std::size_t terminal_width(int descriptor);

// Whether to colour what goes there. `when` is the value of --color; empty: auto. Throws UsageError.
bool coloured(const std::string& when, int descriptor);

// Standard output is a pipe that nobody reads any more, as in `fabricast run ... | head -3`. Such a run ends at once
// and well (exit code 0), unless it has files to write: after outlive_reader() it goes on until they are written.
void end_with_reader();
void outlive_reader();
bool reader_gone();

}  // namespace fabricast::cli
