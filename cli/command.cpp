#include "cli/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "base/text.hpp"
#include "sim/engines/engine.hpp"
#include "sim/run/study/prices.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"

namespace fabricast::cli {

namespace {

po::options_description described(const char* caption, const Options& options) {
    po::options_description list(caption);
    for (const Option& option : options) {
        const std::string name = option.name + (option.key.empty() ? "" : "," + option.key);
        const auto add = [&](auto* value) {
            list.add_options()(name.c_str(), value->value_name(option.value.name), option.about.c_str());
        };
        switch (option.value.takes) {
            case Takes::nothing: list.add_options()(name.c_str(), option.about.c_str()); break;
            case Takes::text: add(po::value<std::string>()); break;
            case Takes::texts: add(po::value<std::vector<std::string>>()); break;
            case Takes::words: add(po::value<std::vector<std::string>>()->multitoken()); break;
            case Takes::whole: add(po::value<int>()); break;
        }
    }
    return list;
}

}  // namespace

bool Option::takes_file() const { return value.name == "FILE" || value.name == "OVERLAY" || value.name == "OUT"; }

std::vector<std::string> Option::words() const {
    if (name == "engine") { return engine_names(); }
    if (name == "color") { return {"auto", "always", "never"}; }
    if (name == "by") { return {"value", "time", "capital", "power"}; }
    return {};
}

const Options& common_options() {
    static const Options options = {
        {"color", text_value("WHEN"), "auto, always or never (auto: on a terminal, without NO_COLOR)"},
        {"no-progress", {}, "no line that says how far a run is"},
        {"help", {}, "print this", "h"},
    };
    return options;
}

Options catalog_options() {
    return {{"catalog", text_value("DIR"), "add your own parts"},
            {"calibration", texts_value("FILE"), "lay a file of measured figures over the catalogue; repeatable"}};
}

Options scenario_options(const Options& own) {
    return joined_options({{{"scenario", text_value("FILE"), "the scenario"},
                            {"engine", text_value("NAME"), "flow, analytic, simgrid or packet"},
                            {"set", texts_value("PATH=VALUE"), "replace one key of the scenario; repeatable"}},
                           catalog_options(),
                           own});
}

Options joined_options(std::initializer_list<Options> lists) {
    Options all;
    for (const Options& list : lists) { all.insert(all.end(), list.begin(), list.end()); }
    return all;
}

std::string options_text(const Options& own) {
    std::ostringstream text;
    text << described("options", own) << "\n" << described("common options", common_options());
    return text.str();
}

po::variables_map parse_options(const std::vector<std::string>& arguments, const Command& command) {
    const auto named = [&](const std::string& option) {
        return std::ranges::any_of(arguments, [&](const std::string& word) {
            return word == "--" + option || word.starts_with("--" + option + "=");
        });
    };
    po::positional_options_description unnamed;
    for (const Positional& each : command.positional) {
        if (each.option != nullptr && !named(each.option)) { unnamed.add(each.option, each.most); }
    }
    const Options known = joined_options({command.options, common_options()});
    const po::options_description all = described("", known);
    po::variables_map values;
    try {
        namespace style = po::command_line_style;
        po::store(po::command_line_parser(arguments)
                      .options(all)
                      .positional(unnamed)
                      .style(style::unix_style & ~style::allow_guessing)
                      .run(),
                  values);
        po::notify(values);
    } catch (const po::unknown_option& error) {
        const auto dashed = [](const Option& option) { return "--" + option.name; };
        throw MissingArgument(error.what() + did_you_mean(error.get_option_name(), names_of(known, dashed)));
    } catch (const po::error& error) { throw MissingArgument(error.what()); }
    return values;
}

std::string usage_of(const Command& command) {
    return fmt::format("usage: fabricast {} {}", command.name, command.arguments);
}

std::vector<std::string> texts_of(const po::variables_map& values, const char* name) {
    return values.contains(name) ? values[name].as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::string text_of(const po::variables_map& values, const char* name) {
    return values.contains(name) ? values[name].as<std::string>() : std::string{};
}

std::vector<std::string> overrides_of(const po::variables_map& values) {
    std::vector<std::string> overrides = texts_of(values, "set");
    if (values.contains("engine")) { overrides.push_back("engine=" + text_of(values, "engine")); }
    return overrides;
}

const std::string& scenario_file(const po::variables_map& values) {
    if (!values.contains("scenario")) { throw UsageError("which scenario? (accepted: the name of a scenario file)"); }
    return values["scenario"].as<std::string>();
}

Scenario scenario_of(const po::variables_map& values) {
    return read_scenario(scenario_file(values), overrides_of(values));
}

int whole_of(const po::variables_map& values, const char* option, int otherwise, int low, int high) {
    const int value = values.contains(option) ? values[option].as<int>() : otherwise;
    if (value < low || value > high) {
        throw UsageError("--{} must be from {} to {} (found {})", option, low, high, value);
    }
    return value;
}

std::size_t index_among(const std::vector<std::string>& words, const std::string& asked, const std::string& unknown) {
    const auto found = std::ranges::find(words, asked);
    if (found != words.end()) { return static_cast<std::size_t>(found - words.begin()); }
    throw UsageError(error_message(unknown, shown(asked), joined(words), nearest_word(asked, words)));
}

bool wants_progress(const po::variables_map& values) {
    return !values.contains("no-progress") && !values.contains("quiet");
}

std::size_t threads_of(const po::variables_map& values, const Scenario* scenario) {
    constexpr int most = 1024;
    const int otherwise = static_cast<int>(std::min<std::size_t>(cores(), most));
    const int asked = whole_of(values, "threads", otherwise, 0, most);  // 0: all cores, as in Python
    const auto threads = static_cast<std::size_t>(asked == 0 ? otherwise : asked);
    return scenario != nullptr ? threads_for(scenario->engine, threads) : threads;
}

Statements statements_of(const po::variables_map& values) {
    Statements said;
    for (const std::string& text : texts_of(values, "set")) {
        const std::size_t equal = text.find('=');
        if (equal == std::string::npos || equal == 0) {
            throw UsageError(error_message("--set takes KEY=VALUE", shown(text), "system.network=\"InfiniBand NDR\""));
        }
        said[text.substr(0, equal)] = text.substr(equal + 1);
    }
    return said;
}

Catalog catalog_of(const po::variables_map& values, const Scenario* scenario) {
    Catalog catalog = calibrated_catalog(text_of(values, "catalog"), scenario, texts_of(values, "calibration"));
    if (scenario != nullptr) { check_prices(*scenario, catalog); }
    return catalog;
}

Options named_options(const Command& command) {
    Options named = joined_options({command.options, common_options()});
    std::erase_if(named, [&](const Option& option) {
        return std::ranges::any_of(command.positional, [&](const Positional& each) {
            return each.option != nullptr && option.name == each.option;
        });
    });
    return named;
}

}  // namespace fabricast::cli
