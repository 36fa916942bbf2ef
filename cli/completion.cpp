// fabricast completion SHELL: what a shell needs to complete our commands and options.

#include <fmt/ranges.h>

#include <array>
#include <iostream>

#include "base/text.hpp"
#include "cli/command.hpp"

namespace fabricast::cli {

namespace {

// In single quotes a shell takes everything for itself but the quote.
std::string shell_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) { out += c == '\'' ? std::string("'\\''") : std::string(1, c); }
    return out + "'";
}

// With a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view characters) {
    std::string out;
    for (const char c : text) { out.append(characters.find(c) != std::string_view::npos ? "\\" : "").push_back(c); }
    return out;
}

// What may follow `fabricast COMMAND` and is known beforehand.
std::vector<std::string> argument_words(const Command& command) {
    if (command.name == "catalog") { return {"list", "show"}; }
    if (command.name == "completion") { return {"bash", "zsh", "fish"}; }
    if (command.name != "help") { return {}; }
    std::vector<std::string> words = names_of(commands(), &Command::name);
    for (const Topic& topic : topics()) { words.emplace_back(topic.name); }
    return words;
}

// The function completes words; where it has none, the shell completes files.
std::string bash() {
    std::string options, values;
    for (const Command* command : commands()) {
        std::vector<std::string> names;
        for (const Option& option : named_options(*command)) {
            names.push_back("--" + option.name);
            if (const std::vector<std::string> words = option.words(); !words.empty()) {
                values +=
                    fmt::format("    {}:--{}) words='{}' ;;\n", command->name, option.name, fmt::join(words, " "));
            }
        }
        options += fmt::format("      {}) words='{}' ;;\n", command->name, fmt::join(names, " "));
        const std::vector<std::string> arguments = argument_words(*command);
        if (!arguments.empty()) {
            values +=
                fmt::format("    {}:{}) words='{}' ;;\n", command->name, command->name, fmt::join(arguments, " "));
        }
    }
    return fmt::format(
        "# Made by `fabricast completion bash`.\n"
        "_fabricast() {{\n"
        "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} words=''\n"
        "  COMPREPLY=()\n"
        "  if [[ $COMP_CWORD -eq 1 ]]; then\n    words='{}'\n"
        "  elif [[ $cur == -* ]]; then\n    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
        "  else\n    case ${{COMP_WORDS[1]}}:$prev in\n{}    esac\n  fi\n"
        "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
        "}}\ncomplete -o default -F _fabricast fabricast\n",
        fmt::join(names_of(commands(), &Command::name), " "), options, values);
}

std::string zsh() {
    // _arguments reads these in descriptions.
    const auto plain = [](std::string_view text) { return escaped(text, "[]:\\"); };
    std::string names, cases;
    for (const Command* command : commands()) {
        names += fmt::format("    {}\n", shell_quoted(fmt::format("{}:{}", command->name, plain(command->summary))));
        cases += fmt::format("    {}) _arguments", command->name);
        for (const Option& option : named_options(*command)) {
            const std::string& named = option.value.name;
            const std::vector<std::string> words = option.words();
            const std::string value = named.empty()    ? ""
                                      : !words.empty() ? fmt::format(":{}:({})", named, fmt::join(words, " "))
                                      : named == "DIR"
                                          ? ":DIR:_directories"
                                          : fmt::format(":{}:{}", plain(named), option.takes_file() ? "_files" : "");
            cases +=
                " \\\n        " + shell_quoted(fmt::format("*--{}[{}]{}", option.name, plain(option.about), value));
        }
        const std::vector<std::string> words = argument_words(*command);
        cases += " \\\n        " +
                 shell_quoted(words.empty() ? "*:FILE:_files" : fmt::format("*:WORD:({})", fmt::join(words, " "))) +
                 " ;;\n";
    }
    return fmt::format(
        "#compdef fabricast\n# Made by `fabricast completion zsh`.\n"
        "_fabricast() {{\n  local -a commands=(\n{}  )\n"
        "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
        "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name in\n{}  esac\n}}\n"
        "if [[ $funcstack[1] == _fabricast ]]; then _fabricast \"$@\"; else compdef _fabricast fabricast; fi\n",
        names, cases);
}

std::string fish() {
    std::string lines = "# Made by `fabricast completion fish`.\n";
    const auto fish_quoted = [](std::string_view text) { return "'" + escaped(text, "'\\") + "'"; };
    for (const Command* command : commands()) {
        lines += fmt::format("complete -c fabricast -n __fish_use_subcommand -f -a {} -d {}\n", command->name,
                             fish_quoted(command->summary));
        const std::string when =
            fmt::format("complete -c fabricast -n '__fish_seen_subcommand_from {}'", command->name);
        for (const Option& option : named_options(*command)) {
            const std::vector<std::string> words = option.words();
            const std::string value = option.value.name.empty() ? ""
                                      : !words.empty()          ? fmt::format(" -x -a '{}'", fmt::join(words, " "))
                                      : option.takes_file() || option.value.name == "DIR" ? " -r"
                                                                                          : " -x";
            lines += fmt::format("{} -l {}{}{} -d {}\n", when, option.name,
                                 option.key.empty() ? "" : " -s " + option.key, value, fish_quoted(option.about));
        }
        const std::vector<std::string> arguments = argument_words(*command);
        if (!arguments.empty()) { lines += fmt::format("{} -f -a '{}'\n", when, fmt::join(arguments, " ")); }
    }
    return lines;
}

ExitCode print_completion(const po::variables_map& values) {
    const std::string shell = text_of(values, "shell");
    if (shell.empty()) { throw MissingArgument("which shell? (accepted: bash, zsh, fish)"); }
    constexpr std::array made = {bash, zsh, fish};
    std::cout << made.at(index_among({"bash", "zsh", "fish"}, shell, "no such shell"))();
    return ok;
}

}  // namespace

const Command completion_command = {
    "completion",
    "commands and options for a shell to complete",
    "bash | zsh | fish",
    {
        {"shell", text_value("SHELL"), "bash, zsh or fish: source <(fabricast completion bash)"},
    },
    {{{"shell", 1}}},
    print_completion};

}  // namespace fabricast::cli
