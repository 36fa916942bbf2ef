#include "cli/manual.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/option_rows.hpp"
#include "cli/options.hpp"
#include "cli/topics.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::cli {

namespace {

// Text for roff: no line begins a request, and a dash is the one that users type (man-pages(7)).
std::string roff(std::string_view text) {
    std::string out;
    bool line_start = true;
    for (const char c : text) {
        if (line_start && (c == '.' || c == '\'')) { out += "\\&"; }
        out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
        line_start = c == '\n';
    }
    return out;
}

// No date: the same version gives the same page.
std::string page_head(std::string_view name, std::string_view summary) {
    return fmt::format(
        ".TH {} 1 \"\" \"fabricast {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B fabricast\n",
        roff(name), version(), roff(name), roff(summary));
}

std::string verbatim(std::string_view heading, const std::string& text) {
    return fmt::format(".SH {}\n.nf\n{}\n.fi\n", roff(heading), roff(text));
}

std::string topic_section(std::string_view topic, std::string_view heading) {
    const auto found = std::ranges::find(topics(), topic, &Topic::name);
    return found == topics().end() ? "" : verbatim(heading, found->text());
}

}  // namespace

std::string program_manual() {
    std::string page =
        page_head("fabricast", "a forecast for the fabrics of GPU clusters") + ".I COMMAND\n[\\fIARGUMENT\\fR...]\n";
    page +=
        ".SH DESCRIPTION\nPredicts how long NCCL's collectives and training steps take on a GPU cluster, what bounds "
        "them "
        "and how the cluster scales.\n.SH COMMANDS\n";
    for (const Command* command : commands()) {
        page += fmt::format(".TP\n.BR fabricast\\-{} (1)\n{}\n", command->name, roff(command->summary));
    }
    return page + topic_section("outputs", "OUTPUT") + topic_section("units", "UNITS") +
           topic_section("devices", "DEVICES") + topic_section("exit-codes", "EXIT STATUS") +
           topic_section("environment", "ENVIRONMENT");
}

std::string command_manual(const Command& command) {
    std::string page = page_head(fmt::format("fabricast-{}", command.name), command.summary) +
                       fmt::format("{} {}\n.SH OPTIONS\n", command.name, roff(command.arguments));
    for (const OptionRow& row : option_rows(command)) {
        page +=
            fmt::format(".TP\n\\fB{}\\-\\-{}\\fR{}\n{}\n", row.key.empty() ? "" : "\\-" + row.key + "\\fR, \\fB",
                        roff(row.name), row.value.empty() ? "" : " \\fI" + roff(row.value) + "\\fR", roff(row.about));
    }
    return page + topic_section("exit-codes", "EXIT STATUS") + ".SH SEE ALSO\n.BR fabricast (1)\n";
}

}  // namespace fabricast::cli
