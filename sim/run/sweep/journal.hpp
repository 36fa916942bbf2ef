#pragma once
// The finished points of a sweep in an append-only file: one line of JSON for each point, written when the point is
// done and synced to the disk about every second. If the program is killed, the file has whole lines and at most one
// truncated line at the end, which the next start removes.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/run/sweep/sweep.hpp"

namespace fabricast::inline sweep {

// The journal belongs to another sweep or version, is damaged, in use or unfinished, or no journal (exit code 2).
struct JournalError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// One of several jobs that share a sweep: it runs the distinct points whose position is `index` modulo `count`.
struct Shard {
    std::size_t index = 0, count = 1;
};

// "results.csv.journal", or "results.csv.journal.3-of-8" for the third shard.
std::filesystem::path journal_path(const std::filesystem::path& out, const std::optional<Shard>& shard = {});

// The shard journals in the folder of the result, sorted by name.
std::vector<std::filesystem::path> shard_journals(const std::filesystem::path& out);

class Journal {
public:
    enum class Start : std::uint8_t {
        fresh,   // refuses a journal with an unfinished sweep
        resume,  // keeps the journal's points; starts a journal if there is none
    };

    // Opens and locks the journal. Throws JournalError, IoError.
    Journal(std::filesystem::path path, const Sweep& sweep, Start start);
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    // The points that the journal had when it was opened.
    const SweepOutcomes& found() const { return found_; }

    // Throws IoError.
    void append(const std::string& key, const SweepOutcome& outcome);
    // Marks the sweep as done, so that a later one may start afresh.
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

// The finished points of a journal that no process is writing. Throws JournalError.
SweepOutcomes read_journal(const std::filesystem::path& path, const Sweep& sweep);

// Outcomes as JSON, as journals and messages contain them.
Json outcome_json(const SweepOutcome& outcome);
SweepOutcome outcome_of(const Json& json);

}  // namespace fabricast::inline sweep
