// GOAL, the text of LogGOPSim: sends, receives and computation of each rank, and which of them requires which. Source:
// Hoefler, Siebert, Lumsdaine: Group Operation Assembly Language (2009); spcl/LogGOPSim.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::uint32_t most_ranks = 1U << 24U;
constexpr std::size_t most_waits =
    50'000'000;  // of a rank; a chain of irequires passes them on in the square of its length
constexpr std::string_view blanks = " \t\r;";

// A word of the text, and the column where it starts.
struct Token {
    std::string_view text;
    int column = 1;
};

class Goal {
public:
    Goal(const InputFile& file, Recording& recording)
        : recording_(recording), file_(std::make_shared<const std::string>(file.path().string())) {}

    void line(std::string_view text, int number) {
        number_ = number;
        split(text);
        at_ = 0;
        while (at_ < tokens_.size()) { statement(); }
    }

    void finish() {
        if (in_comment_ || inside_) {
            fail(inside_ ? fmt::format("the file ends inside rank {}", rank_.rank) : "the file ends inside a comment");
        }
        if (recording_.world == 0) { fail("'num_ranks' is missing (accepted: num_ranks N, then rank r { ... })"); }
        if (recording_.ranks.empty()) { fail("no rank does anything"); }
    }

private:
    [[noreturn]] void fail(const std::string& message) const {
        const int column = at_ < tokens_.size() ? tokens_[at_].column : 1;
        throw InputError({file_, std::max(number_, 1), column}, message);
    }

    // Splits a line into words; `:`, `{` and `}` are separate words; comments are dropped.
    void split(std::string_view text) {
        tokens_.clear();
        for (std::size_t i = 0; i < text.size();) {
            const std::string_view rest = text.substr(i);
            if (in_comment_) {
                in_comment_ = !rest.starts_with("*/");
                i += in_comment_ ? 1 : 2;
            } else if (rest.starts_with("/*")) {
                in_comment_ = true;
                i += 2;
            } else if (rest.starts_with("//") || rest.front() == '#') {
                return;
            } else if (blanks.find(rest.front()) != std::string_view::npos) {
                ++i;
            } else {
                std::size_t length = 1;
                if (std::string_view(":{}").find(rest.front()) == std::string_view::npos) {
                    length = std::min(rest.find_first_of(" \t\r:{};#"), rest.size());
                }
                tokens_.push_back({rest.substr(0, length), static_cast<int>(i) + 1});
                i += length;
            }
        }
    }

    std::string_view next(std::string_view what) {
        if (at_ == tokens_.size()) { fail(fmt::format("the line ends where {} should stand", what)); }
        return tokens_[at_++].text;
    }

    void expect(std::string_view word) {
        const std::string quoted = fmt::format("'{}'", word);
        if (const std::string_view found = next(quoted); found != word) {
            --at_;
            fail(error_message(quoted + " should stand here", shown(found), word));
        }
    }

    // A whole number that may have the letter `unit` after it: "1024b".
    std::int64_t whole(std::string_view what, char unit, std::int64_t high) {
        std::string_view word = next(what);
        const std::string_view all = word;
        if (unit != '\0' && word.ends_with(unit)) { word.remove_suffix(1); }
        const std::optional<std::int64_t> value = count_in_word(word);
        if (!value || *value < 0 || *value > high) {
            --at_;
            fail(error_message(fmt::format("{} is not a whole number in range", what), shown(all),
                               fmt::format("0 to {}", high)));
        }
        return *value;
    }

    std::uint32_t rank_number(std::string_view what) {
        return static_cast<std::uint32_t>(whole(what, '\0', std::int64_t{recording_.world} - 1));
    }

    void statement() {
        const std::string_view word = tokens_[at_].text;
        if (!inside_ && word == "num_ranks") {
            ++at_;
            recording_.world = static_cast<std::uint32_t>(whole("num_ranks", '\0', most_ranks));
            return;
        }
        if (!inside_) {
            expect("rank");
            if (recording_.world == 0) { fail("'num_ranks' must stand before the first rank"); }
            rank_ = RankRecording(rank_number("a rank"), *file_);
            expect("{");
            inside_ = true;
            return;
        }
        if (word == "}") {
            ++at_;
            close();
            return;
        }
        const std::string label(next("a label"));
        const std::string_view verb = next("':' or 'requires'");
        if (verb == ":") {
            operation(label);
        } else if (verb == "requires" || verb == "irequires") {
            const std::uint32_t later = labelled(label, at_ - 2);
            const std::string other(next("a label"));
            const std::uint32_t earlier = labelled(other, at_ - 1);
            (verb == "requires" ? after_ : at_start_)[later].push_back(earlier);
        } else {
            --at_;
            fail(error_message("no statement starts like this", shown(verb), "':', requires, irequires"));
        }
    }

    std::uint32_t labelled(const std::string& label, std::size_t token) {
        const auto found = labels_.find(label);
        if (found == labels_.end()) {
            at_ = token;
            fail(fmt::format("no operation of rank {} is called {}", rank_.rank, shown(label)));
        }
        return found->second;
    }

    void operation(const std::string& label) {
        if (!labels_.emplace(label, static_cast<std::uint32_t>(records_.size())).second) {
            fail(fmt::format("rank {} has two operations called {}", rank_.rank, shown(label)));
        }
        Record r;
        const std::string_view verb = next("send, recv or calc");
        if (verb == "calc") {
            r.kind = RecordKind::compute;
            r.time = nanoseconds(whole("nanoseconds", '\0', 1'000'000'000'000'000));
            r.stream = 0;
        } else if (verb == "send" || verb == "recv") {
            r.kind = verb == "send" ? RecordKind::send : RecordKind::receive;
            r.bytes = static_cast<double>(whole("bytes", 'b', std::int64_t{1} << 50U));
            expect(verb == "send" ? "to" : "from");
            r.other = rank_number("a rank");
        } else {
            --at_;
            fail(error_message("no such operation", shown(verb), "send, recv, calc",
                               nearest_word(verb, {"send", "recv", "calc"})));
        }
        while (at_ < tokens_.size() &&
               (tokens_[at_].text == "tag" || tokens_[at_].text == "cpu" || tokens_[at_].text == "nic")) {
            const std::string_view option = tokens_[at_++].text;
            const std::int64_t value = whole(option, '\0', option == "tag" ? 0xffffffffLL : 10'000);
            if (option == "tag") {
                r.root = static_cast<std::uint32_t>(value);
            } else if (option == "cpu" && r.kind == RecordKind::compute) {
                r.stream = static_cast<std::uint16_t>(value);
            }
        }
        records_.push_back(r);
        after_.emplace_back();
        at_start_.emplace_back();
    }

    // irequires means after the start of the other operation, so the record waits for all that the other waits for.
    void close() {
        const TopologicalOrder by_start = topological_order(at_start_);
        refuse_circle(by_start.in_circle);
        std::size_t waits = 0;
        for (const std::uint32_t i : by_start.sorted) {
            for (const std::uint32_t other : at_start_[i]) {
                after_[i].insert(after_[i].end(), after_[other].begin(), after_[other].end());
                if (waits + after_[i].size() > most_waits) {
                    fail(fmt::format("rank {}: its irequires pass on too many waits (accepted: {})", rank_.rank,
                                     most_waits));
                }
            }
            std::ranges::sort(after_[i]);  // each once: who waits twice for one would pass it on twice to the next
            after_[i].erase(std::unique(after_[i].begin(), after_[i].end()), after_[i].end());
            waits += after_[i].size();
        }
        refuse_circle(add_sorted(rank_, records_, after_));
        recording_.ranks.push_back(std::move(rank_));
        records_.clear();
        after_.clear();
        at_start_.clear();
        labels_.clear();
        inside_ = false;
    }

    void refuse_circle(std::optional<std::uint32_t> record) const {
        if (record) {
            const auto stuck = std::ranges::find(labels_, *record, [](const auto& label) { return label.second; });
            fail(fmt::format("rank {}: {} requires itself, through others", rank_.rank, shown(stuck->first)));
        }
    }

    Recording& recording_;
    std::shared_ptr<const std::string> file_;
    int number_ = 0;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    bool in_comment_ = false, inside_ = false;
    RankRecording rank_{0, {}};
    std::vector<Record> records_;
    std::vector<std::vector<std::uint32_t>> after_, at_start_;
    std::unordered_map<std::string, std::uint32_t> labels_;
};

bool is_goal(const TraceStart& start) { return !start.json && start.holds("num_ranks"); }

}  // namespace

namespace formats {
extern const TraceFormat goal = {"goal", "GOAL of LogGOPSim", true, is_goal, read_lines<Goal>};
}  // namespace formats

}  // namespace fabricast::inline traces
