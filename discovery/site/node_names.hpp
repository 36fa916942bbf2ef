#pragma once
// Which host a file is about that names none: by its path, where others of other kinds have the same word in theirs.

#include <functional>
#include <string>
#include <vector>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

// The longest word in the path of each file ("dgx-03/topo.xml", "topo_dgx-03.txt") that files of several kinds have in
// theirs, and of each kind only one. Empty where there is none, or no kind has two files of a nameless host.
std::vector<std::string> words_of_hosts(const std::vector<Observations>& all);

// Calls hosts that no file names by their files, or by the folders of these, where each has its own.
void name_by_files(std::vector<NodeSeen>& nodes);

// The host in a file's path, without its ends after - or _: "dgx-03-topo.xml". Empty if `known` knows none.
std::string host_in_path(const std::string& file, const std::function<bool(const std::string&)>& known);

}  // namespace fabricast::inline site
