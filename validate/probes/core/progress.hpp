#pragma once
// One line on a terminal that says how far the run is; nothing where the output is no terminal.

#include <cstddef>
#include <string>

namespace probe {

class Progress {
public:
    // `total` points will come. Silent unless standard error is a terminal.
    Progress(std::size_t total, bool quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // A point is done; `what` names it with its result.
    void step(const std::string& what);

private:
    std::size_t total_;
    std::size_t done_ = 0;
    bool shown_;
};

}  // namespace probe
