#pragma once
// The groups of figures that fabricast-bench prints; each takes the names asked for on the command line.

#include <string>
#include <vector>

namespace fabricast::bench {

// The flow engine against SimGrid and against its own slow twin, on messages.
void engine_figures(const std::vector<std::string>& names);

// The whole program on large clusters: building, planning, replaying, reporting.
void scale_figures(const std::vector<std::string>& names);

// The packet engine: its speed, a whole all-reduce, and its distance from the flow engine.
void packet_figures(const std::vector<std::string>& names);

// The packet engine's order of packets against event queues.
void event_core_figures(const std::vector<std::string>& names);

// Training steps on large clusters.
void training_figures(const std::vector<std::string>& names);

// A site's own files: reading, joining, describing and checking a large fabric.
void site_figures(const std::vector<std::string>& names);

// A thousand points of a sweep, and what a second rank brings.
void sweep_figures(const std::vector<std::string>& names);

// One packet replay over two ranks: what it gains, and what they tell each other.
void rank_figures(const std::vector<std::string>& names);

// The table of docs/engines.md: pipelines against their chunks. Only when asked for by name.
void agreement(const std::vector<std::string>& names);

}  // namespace fabricast::bench
