#include "cli/options.hpp"

#include <iostream>

namespace fabricast::cli {

std::optional<po::variables_map> parse_options(const std::vector<std::string>& arguments, const std::string& usage,
                                               const po::options_description& options,
                                               const std::vector<Positional>& positional) {
    po::positional_options_description unnamed;
    for (const Positional& each : positional) { unnamed.add(each.option, each.most); }
    po::options_description all = options;
    all.add_options()("help,h", "print this");
    po::variables_map values;
    try {
        namespace style = po::command_line_style;
        const po::parsed_options parsed = po::command_line_parser(arguments)
                                              .options(all)
                                              .positional(unnamed)
                                              .style(style::unix_style & ~style::allow_guessing)
                                              .run();
        po::store(parsed, values);
        if (values.contains("help")) {
            std::cout << "usage: fabricast " << usage << "\n\n" << options;
            return std::nullopt;
        }
        po::notify(values);
    } catch (const po::error& error) { throw usage_error(error.what(), usage); }
    return values;
}

UsageError usage_error(const std::string& what, const std::string& usage) {
    return UsageError(what + " (usage: fabricast " + usage + ")");
}

std::vector<std::string> texts_of(const po::variables_map& values, const char* name) {
    return values.contains(name) ? values[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::string text_of(const po::variables_map& values, const char* name) {
    return values.contains(name) ? values[name].as<std::string>() : std::string{};
}

}  // namespace fabricast::cli
