#pragma once
// Ctrl-C asks; the run ends between two transfers with whole rows. A second Ctrl-C ends it at once.

namespace probe {

// Takes SIGINT and SIGTERM for this process.
void listen_for_interrupt();
// For a helper process of the run: its owner decides when it ends.
void ignore_interrupt();
bool interrupt_asked();
// Throws Stopped once asked.
void stop_if_asked();

}  // namespace probe
