// fabricast help [TOPIC]: a command's options, or what no single command explains.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "base/embedded_file.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "sim/engines/engine.hpp"
#include "sim/report/result_file.hpp"
#include "sim/scenario/schema_docs.hpp"

namespace fabricast::cli {

std::span<const EmbeddedFile> embedded_topics();  // topics/*, by cmake/embed.cmake

namespace {

// What `fabricast help TOPIC` prints: the topic's file, unless something makes it.
std::string topic_text(const Topic& topic) {
    if (topic.made != nullptr) { return topic.made(); }
    return std::string(embedded_file(embedded_topics(), fmt::format("cli/topics/{}.txt", topic.name)).text);
}

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
    return found == topics().end() ? "" : verbatim(heading, topic_text(*found));
}

std::string program_manual() {
    std::string page =
        page_head("fabricast", "a forecast for the fabrics of GPU clusters") + ".I COMMAND\n[\\fIARGUMENT\\fR...]\n";
    page +=
        ".SH DESCRIPTION\nPredicts how long NCCL's collectives and training steps take on a GPU cluster, what bounds "
        "them and how the cluster scales.\n.SH COMMANDS\n";
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
        std::cout << topic_text(*topic);
    } else {
        for (const Topic& each : topics()) { names.emplace_back(each.name); }
        throw UsageError(
            error_message("nothing is known about that", shown(name), joined(names), nearest_word(name, names)));
    }
    return ok;
}

std::string engine_lines() {
    std::string lines = "Engines, for `engine:` of a scenario and for --engine; the first is the default.\n\n";
    for (const Engine& engine : all_engines()) {
        const EngineTraits& traits = traits_of(engine);
        lines += fmt::format("  {}{}\n", padded(traits.name, 12), traits.about);
    }
    return lines;
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

std::span<const Topic> topics() {
    static constexpr std::array all = {
        Topic{"exit-codes", "what scripts may rely on"},
        Topic{"outputs", "files, standard output, tables"},
        Topic{"units", "sizes, times and rates in scenarios"},
        Topic{"devices", "how devices are named"},
        Topic{"engines", "what replays a schedule", engine_lines},
        Topic{"environment", "variables that matter"},
        Topic{"scenario", "every key of a scenario", scenario_page},
    };
    return all;
}

}  // namespace fabricast::cli
