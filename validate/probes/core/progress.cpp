#include "core/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace probe {

Progress::Progress(std::size_t total, bool quiet) : total_(total), shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (shown_) { std::fputs("\r\033[K", stderr); }
}

void Progress::step(const std::string& what) {
    ++done_;
    if (shown_) {
        std::fprintf(stderr, "\r\033[K[%zu/%zu] %.100s", done_, total_, what.c_str());
        std::fflush(stderr);
    }
}

}  // namespace probe
