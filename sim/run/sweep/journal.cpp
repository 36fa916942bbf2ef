#include "sim/run/sweep/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/hash.hpp"
#include "base/text_file.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::inline sweep {

namespace {

// A journal goes on only in the fabricast that began it, so that all points are of one model: none reads the last form.
constexpr const char* version_key = "fabricast_journal";
constexpr int journal_version = 2;
constexpr auto force_every = std::chrono::seconds(1);
constexpr const char* end_mark = "complete";

// Each line after the header is a JSON object that begins with a checksum of the rest of the line.
constexpr std::string_view sum_before = "{\"sum\":\"", sum_after = "\",";
constexpr std::size_t sum_digits = 16, summed_from = sum_before.size() + sum_digits + sum_after.size();

std::string sum_of(std::string_view rest) { return fmt::format("{:016x}", fnv1a(rest)); }

// The line for a JSON object. Precondition: the object has at least one member.
std::string summed(std::string_view object) {
    object.remove_prefix(1);
    return fmt::format("{}{}{}{}", sum_before, sum_of(object), sum_after, object);
}

bool sum_fits(std::string_view line) {
    return line.size() > summed_from && line.starts_with(sum_before) &&
           line.substr(sum_before.size(), sum_digits) == sum_of(line.substr(summed_from));
}

Json header_of(const Sweep& sweep) {
    return {{version_key, journal_version},
            {"version", version()},
            {"scenario", sweep.name},
            {"fingerprint", sweep.fingerprint}};
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, const std::string& accepted) {
    throw JournalError(path.string() + ": " + what + " (accepted: " + accepted + ")");
}

std::string_view meaning_of(std::string_view key) {
    if (key == version_key) { return "form"; }
    if (key == "version") { return "version of fabricast"; }
    return key == "fingerprint" ? "state of the scenario" : key;
}

void check_header(const std::filesystem::path& path, const Json& header, const Sweep& sweep) {
    const Json own = header_of(sweep);
    const char* another = "the journal of this sweep, or none: remove it to begin afresh";
    if (!header.is_object() || !header.contains(version_key)) {
        refuse(path, "is not a journal of a sweep", "another --out, or no such file");
    }
    for (const auto& [key, value] : own.items()) {
        if (!header.contains(key) || header[key] != value) {
            std::string found = header.contains(key) ? header[key].dump() : "nothing";
            if (key == version_key && header.contains("version")) {
                found += " of fabricast " + header["version"].dump();
            }
            refuse(path,
                   fmt::format("is the journal of another {} (found {}, this sweep has {})", meaning_of(key), found,
                               value.dump()),
                   another);
        }
    }
}

// null: the line is not JSON, or none that a sweep would write.
Json json_of(const std::string& line, const std::filesystem::path& path) {
    try {
        return parse_json(line, path.string());
    } catch (const InputError&) { return {}; }
}

struct Content {
    SweepOutcomes outcomes;
    bool has_header = false;
    bool completed = false;
    std::uintmax_t whole_bytes = 0;  // length up to the end of the last valid line
};

// A line is valid if it ends in a newline and its checksum is right. Only the last line may be invalid: it is truncated
// if the program was killed.
Content content_of(const std::filesystem::path& path, const Sweep& sweep) {
    std::ifstream stream(path, std::ios::binary);
    Content content;
    std::string text;
    for (std::size_t number = 1; std::getline(stream, text) && !stream.eof(); ++number) {
        const Json line = json_of(text, path);
        bool valid = line.is_object();
        if (valid && !content.has_header) {
            check_header(path, line, sweep);
            content.has_header = true;
        } else if (valid = valid && sum_fits(text); valid) {
            content.completed = line.contains(end_mark);
            valid = content.completed || (line.contains("key") && line["key"].is_string());
            if (valid && !content.completed) {
                content.outcomes.insert_or_assign(line["key"].get<std::string>(), outcome_of(line));
            }
        } else if (stream.peek() == std::ifstream::traits_type::eof()) {
            break;
        }
        if (!valid) { refuse(path, fmt::format("is damaged in line {}", number), "a journal as it was written"); }
        content.whole_bytes += text.size() + 1;
    }
    return content;
}

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& out, const std::optional<Shard>& shard) {
    const std::string part = shard ? fmt::format(".{}-of-{}", shard->index + 1, shard->count) : "";
    return out.string() + ".journal" + part;
}

std::vector<std::filesystem::path> shard_journals(const std::filesystem::path& out) {
    const std::string start = out.filename().string() + ".journal.";
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(out.has_parent_path() ? out.parent_path() : ".", error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(start) && name.find("-of-", start.size()) != std::string::npos) {
            found.push_back(entry.path());
        }
    }
    std::ranges::sort(found);
    return found;
}

Json outcome_json(const SweepOutcome& outcome) {
    return outcome.error.empty() ? Json{{"rows", outcome.rows}} : Json{{"error", outcome.error}};
}

SweepOutcome outcome_of(const Json& json) {
    SweepOutcome outcome;
    if (const auto error = json.find("error"); error != json.end() && error->is_string()) {
        outcome.error = error->get<std::string>();
    }
    if (const auto rows = json.find("rows"); rows != json.end() && rows->is_array()) {
        outcome.rows.assign(rows->begin(), rows->end());
    }
    return outcome;
}

SweepOutcomes read_journal(const std::filesystem::path& path, const Sweep& sweep) {
    return content_of(path, sweep).outcomes;
}

Journal::Journal(std::filesystem::path path, const Sweep& sweep, Start start) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) { fail("cannot be opened"); }
    try {
        // Some file systems have no locks, as Lustre where it is mounted without them: that is no other sweep.
        if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            refuse(path_, "is being written by another sweep", "one sweep for each --out");
        }
        Content content = content_of(path_, sweep);
        if (start == Start::fresh) {
            if (!content.outcomes.empty() && !content.completed) {
                refuse(path_, fmt::format("holds {} finished points of an unfinished sweep", content.outcomes.size()),
                       "--resume to go on, or remove it to begin afresh");
            }
            content = {};
        }
        if (::ftruncate(file_, static_cast<off_t>(content.whole_bytes)) != 0 || ::lseek(file_, 0, SEEK_END) < 0) {
            fail("cannot be written");
        }
        found_ = std::move(content.outcomes);
        completed_ = content.completed;
        if (!content.has_header) { write_line(header_of(sweep).dump()); }
        force();
    } catch (...) {
        ::close(file_);
        throw;
    }
}

Journal::~Journal() {
    ::fdatasync(file_);
    ::close(file_);
}

void Journal::append(const std::string& key, const SweepOutcome& outcome) {
    Json line = {{"key", key}};
    line.update(outcome_json(outcome));
    write_line(summed(line.dump(-1, ' ', false, Json::error_handler_t::replace)));
    if (std::chrono::steady_clock::now() - forced_ >= force_every) { force(); }
}

void Journal::complete() {
    if (!completed_) {
        write_line(summed(Json{{end_mark, true}}.dump()));
        completed_ = true;
    }
    force();
}

void Journal::write_line(const std::string& line) {
    const std::string whole = line + "\n";
    for (std::size_t done = 0; done < whole.size();) {
        const ssize_t n = ::write(file_, whole.data() + done, whole.size() - done);
        if (n < 0 && errno != EINTR) { fail("cannot be written"); }
        done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
}

void Journal::force() {
    ::fdatasync(file_);  // may fail on some file systems; the kernel has the lines in any case
    forced_ = std::chrono::steady_clock::now();
}

void Journal::fail(const char* what) const {
    throw IoError(path_.string() + ": " + what + " (" + std::strerror(errno) + ")");
}

}  // namespace fabricast::inline sweep
