#include "models/figure_reads.hpp"

#include <cassert>

namespace fabricast::inline models {

namespace {
thread_local FigureReads* reads = nullptr;
}  // namespace

FigureReads::FigureReads() {
    assert(reads == nullptr);
    reads = this;
}

FigureReads::~FigureReads() { reads = nullptr; }

void FigureReads::note(const std::string& kind, std::string_view name) {
    if (reads != nullptr) { reads->seen_.emplace(kind, name); }
}

}  // namespace fabricast::inline models
