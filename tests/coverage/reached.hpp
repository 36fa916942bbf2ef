#pragma once
// Put behind tests/support/main.cpp by mutate.py: after each test, a line for each mutant that it came by, with the
// test's seconds of processor time, in the file that FABRICAST_REACHED names.

#include <ctime>

namespace {

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

struct Reached : Listener {
    using Listener::Listener;
    void testCaseStarting(const Catch::TestCaseInfo&) override {
        std::ranges::fill(fabricast_mutants::reached, 0);
        begin_ = std::clock();
    }
    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        const char* file = std::getenv("FABRICAST_REACHED");
        if (file == nullptr) { return; }
        const double seconds = static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC;
        std::ofstream out(file, std::ios::app);
        for (int i = 0; i < fabricast_mutants::most; ++i) {
            if (fabricast_mutants::reached[i] != 0) {
                out << i << '\t' << seconds << '\t' << stats.testInfo.name << '\n';
            }
        }
    }

private:
    std::clock_t begin_ = 0;
};
CATCH_REGISTER_LISTENER(Reached)

}  // namespace
