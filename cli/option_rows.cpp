#include "cli/option_rows.hpp"

#include <algorithm>

#include "cli/options.hpp"
#include "sim/engines/engine.hpp"

namespace fabricast::cli {

namespace {

std::vector<std::string> words_of(const std::string& option) {
    if (option == "engine") { return engine_names(); }
    if (option == "color") { return {"auto", "always", "never"}; }
    if (option == "by") { return {"value", "time", "capital", "power"}; }
    return {};
}

}  // namespace

std::vector<OptionRow> option_rows(const Command& command) {
    const po::options_description all = command.options().add(common_options());
    std::vector<OptionRow> rows;
    for (const auto& option : all.options()) {
        const std::string& name = option->long_name();
        const auto unnamed = [&](const Positional& each) { return each.option != nullptr && name == each.option; };
        if (std::ranges::any_of(command.positional, unnamed)) { continue; }
        const std::string shown = option->canonical_display_name(po::command_line_style::allow_dash_for_short);
        rows.push_back({name, shown.size() == 2 ? shown.substr(1) : "", option->format_parameter(),
                        option->description(), words_of(name)});
    }
    return rows;
}

}  // namespace fabricast::cli
