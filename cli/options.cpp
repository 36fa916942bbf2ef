#include "cli/options.hpp"

#include <iostream>

namespace fabricast::cli {

std::optional<po::variables_map> parse_options(const std::vector<std::string>& arguments, const std::string& usage,
                                               const po::options_description& options,
                                               const po::positional_options_description& positional) {
    po::options_description all = options;
    all.add_options()("help,h", "print this");
    po::variables_map values;
    try {
        namespace style = po::command_line_style;
        const po::parsed_options parsed = po::command_line_parser(arguments)
                                              .options(all)
                                              .positional(positional)
                                              .style(style::unix_style & ~style::allow_guessing)
                                              .run();
        po::store(parsed, values);
        if (values.contains("help")) {
            std::cout << "usage: fabricast " << usage << "\n\n" << options;
            return std::nullopt;
        }
        po::notify(values);
    } catch (const po::error& error) {
        throw UsageError(std::string(error.what()) + " (usage: fabricast " + usage + ")");
    }
    return values;
}

std::vector<std::string> texts_of(const po::variables_map& values, const char* name) {
    return values.contains(name) ? values[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::string text_of(const po::variables_map& values, const char* name) {
    return values.contains(name) ? values[name].as<std::string>() : std::string{};
}

}  // namespace fabricast::cli
