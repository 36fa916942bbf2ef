// fabricast help [TOPIC]: a command's options, or what no single command explains.

#include "cli/help.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/text.hpp"
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

ExitCode print_topic(const po::variables_map& values) {
    const std::string name = text_of(values, "topic");
    const bool manual = values.contains("man");
    const auto topic = std::ranges::find(topics(), name, &Topic::name);
    std::vector<std::string> names = names_of(commands(), &Command::name);
    const auto command = std::ranges::find(commands(), name, &Command::name);
    if (name.empty()) {
        std::cout << (manual ? program_manual() : program_help());
    } else if (command != commands().end()) {
        std::cout << (manual ? command_manual(**command) : command_help(**command));
    } else if (topic != topics().end() && !manual) {
        std::cout << topic->text();
    } else {
        for (const Topic& each : topics()) { names.emplace_back(each.name); }
        throw UsageError(
            error_message("nothing is known about that", shown(name), joined(names), nearest_word(name, names)));
    }
    return ok;
}

}  // namespace

const Command help_command = {"help",
                              "about a command or a topic",
                              "[TOPIC] [--man]",
                              {
                                  {"topic", text_value("TOPIC"), "a command, or one of the topics"},
                                  {"man", {}, "as a page for man: fabricast help run --man | man -l -"},
                              },
                              {{{"topic", 1}}},
                              print_topic};

std::string program_help() {
    std::string text =
        "fabricast: a forecast for the fabrics of GPU clusters\n\nusage: fabricast COMMAND [ARGUMENT...]\n\n";
    for (const Command* command : commands()) {
        text += fmt::format("  {}{}\n", padded(command->name, 13), command->summary);
    }
    text += "\nfabricast help TOPIC, beside the commands:\n\n";
    for (const Topic& topic : topics()) { text += fmt::format("  {}{}\n", padded(topic.name, 13), topic.summary); }
    return text +
           "\nA file to write may be `-`: standard output.\n"
           "fabricast COMMAND --help says more; fabricast --version prints the version.\n";
}

std::string command_help(const Command& command) { return usage_of(command) + "\n\n" + options_text(command.options); }

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
    for (const Option& option : named_options(command)) {
        page +=
            fmt::format(".TP\n\\fB{}\\-\\-{}\\fR{}\n{}\n", option.key.empty() ? "" : "\\-" + option.key + "\\fR, \\fB",
                        roff(option.name), option.value.name.empty() ? "" : " \\fI" + roff(option.value.name) + "\\fR",
                        roff(option.about));
    }
    return page + topic_section("exit-codes", "EXIT STATUS") + ".SH SEE ALSO\n.BR fabricast (1)\n";
}

}  // namespace fabricast::cli
