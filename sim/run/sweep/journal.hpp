#pragma once
// What a sweep has finished so far: a file that only grows, one line of JSON a point, written the moment the point is
// done and forced to the disk at least every second. Whatever ends the program leaves whole lines and at most one torn
// one at the end, which the next start cuts off.

#include <chrono>
#include <filesystem>
#include <string>

#include "sim/run/sweep/sweep.hpp"

namespace fabricast {

// The journal is of another sweep, of another version, damaged, in use, or in the way (exit code 2).
struct JournalError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Journal {
public:
    enum class Start : std::uint8_t {
        fresh,   // refuses one that holds an unfinished sweep
        resume,  // keeps what is there; begins one where there is none
    };

    // Opens and locks the journal. Throws JournalError, IoError.
    Journal(std::filesystem::path path, const Sweep& sweep, Start start);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // What it held when it was opened.
    const SweepOutcomes& found() const { return found_; }

    // Throws IoError.
    void append(const std::string& key, const SweepOutcome& outcome);
    // The sweep is done: a later one may begin afresh.
    void complete();

private:
    void write_line(const std::string& line);
    void force();
    [[noreturn]] void fail(const char* what) const;

    std::filesystem::path path_;
    int file_ = -1;
    SweepOutcomes found_;
    bool completed_ = false;
    std::chrono::steady_clock::time_point forced_;
};

// The finished points of a journal that nobody writes. Throws JournalError.
SweepOutcomes read_journal(const std::filesystem::path& path, const Sweep& sweep);

// Outcomes as they stand in journals and messages.
Json outcome_json(const SweepOutcome& outcome);
SweepOutcome outcome_of(const Json& json);

}  // namespace fabricast
