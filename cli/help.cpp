// fabricast help [TOPIC]: a command's options, or what no single command explains.

#include "cli/help.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "base/input_error.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/topics.hpp"

namespace fabricast::cli {

namespace {

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

po::options_description help_options() {
    po::options_description options("options");
    options.add_options()("topic", text_value("TOPIC"), "a command, or one of the topics")(
        "man", "as a page for man: fabricast help run --man | man -l -");
    return options;
}

}  // namespace

const Command help_command = {
    "help", "about a command or a topic", "[TOPIC] [--man]", help_options, {{{"topic", 1}}}, print_topic};

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

std::string command_help(const Command& command) {
    std::ostringstream text;
    text << usage_of(command) << "\n\n" << command.options() << "\n" << common_options();
    return text.str();
}

}  // namespace fabricast::cli
