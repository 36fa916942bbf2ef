#include "sim/plan/traces/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::size_t peeked_bytes = 65536;
constexpr std::string_view blanks = " \t\r\n\xef\xbb\xbf";
constexpr std::size_t most_files = 100'000;

// "trace.10.et" after "trace.9.et": runs of digits compare as numbers, a longer one without leading zeros being larger.
std::string natural_order(std::string_view name) {
    std::string key;
    while (!name.empty()) {
        const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
        const std::size_t zeros = std::min(name.find_first_not_of('0'), digits);
        if (digits > 0) { key += {'0', static_cast<char>(digits - zeros)}; }
        const std::size_t taken = std::max<std::size_t>(digits, 1);
        key += name.substr(zeros, taken - zeros);
        name.remove_prefix(taken);
    }
    return key;
}

// Sorts the ranks; throws InputError if one is recorded twice.
void order_ranks(Recording& recording) {
    std::ranges::stable_sort(recording.ranks, {}, &RankRecording::rank);
    const auto twice = std::ranges::adjacent_find(recording.ranks, {}, &RankRecording::rank);
    if (twice != recording.ranks.end()) {
        throw InputError(std::next(twice)->source,
                         fmt::format("rank {} is recorded twice (the other: {})", twice->rank, twice->source));
    }
}

TraceStart start_of(std::string_view text) {
    const std::size_t at = text.find_first_not_of(blanks);
    const char first = at == std::string_view::npos ? '\0' : text[at];
    return {text, first, first == '{' || first == '['};
}

}  // namespace

std::vector<std::filesystem::path> trace_files(const std::filesystem::path& path) {
    std::error_code error;
    const std::string name = path.filename().string();
    const bool folder = std::filesystem::is_directory(path, error);
    if (!folder && name.find('*') == std::string::npos) { return {path}; }
    const std::filesystem::path in = folder ? path : path.has_parent_path() ? path.parent_path() : ".";
    const std::string pattern = folder ? "*" : name;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::directory_iterator it(in, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        const std::string found = it->path().filename().string();
        const bool hidden = pattern.starts_with('*') && found.starts_with('.');  // .DS_Store, and macOS's ._rank0.json
        if (it->is_regular_file(ignored) && !hidden && glob_matches(pattern, found)) { files.push_back(it->path()); }
        if (files.size() > most_files) {
            throw InputError(path.string(), fmt::format("stands for more than {} files", most_files));
        }
    }
    if (files.empty()) {
        throw InputError(path.string(), "no file fits (accepted: a file, a folder of files, or a name with *)");
    }
    std::ranges::sort(files, {}, [](const auto& file) { return natural_order(file.filename().string()); });
    return files;
}

const TraceFormat* format_of_start(std::string_view text, const std::filesystem::path& file, TraceFormats formats) {
    const auto first = [&](const auto& fits) {
        const auto found = std::ranges::find_if(formats, fits);
        return found == formats.end() ? nullptr : *found;
    };
    const std::string extension = (file.extension() == ".gz" ? file.stem() : file).extension().string();
    const TraceStart start = start_of(text.substr(0, peeked_bytes));
    const auto fits = [&](bool certain) {
        return first([&](const TraceFormat* f) { return f->certain == certain && f->fits(start); });
    };
    const TraceFormat* found =
        first([&](const TraceFormat* f) { return !extension.empty() && f->extension == extension; });
    found = found != nullptr ? found : fits(true);
    found = found != nullptr ? found : fits(false);
    const bool long_json = start.json && text.size() >= peeked_bytes;
    return found != nullptr || !long_json ? found : first([](const TraceFormat* f) { return f->long_json; });
}

const TraceFormat& guess_format(const std::filesystem::path& path, TraceFormats formats) {
    InputFile file(path);
    const std::string text = read_start(file, peeked_bytes);
    if (const TraceFormat* format = format_of_start(text, file.path(), formats)) { return *format; }
    const std::size_t first = text.find_first_not_of(blanks);
    throw InputError(path.string(),
                     error_message("no trace format is like this file",
                                   first == std::string::npos ? "nothing" : shown(text.substr(first, 40)),
                                   joined(names_of(formats, &TraceFormat::name))));
}

Recording import_trace(const ImportRequest& request, const ReadProgress& progress) {
    const std::vector<std::filesystem::path> files = trace_files(request.path);
    Recording recording;
    recording.names.emplace_back();  // number 0: no name
    std::uint32_t read = 0;          // files, counting each file in an archive
    for (std::size_t i = 0; i < files.size(); ++i) {
        const TraceFormat& format =
            request.format != nullptr ? *request.format : guess_format(files[i], request.formats);
        InputFile file(files[i]);
        const ReadProgress part = [&](double share) {
            if (progress) { progress((static_cast<double>(i) + share) / static_cast<double>(files.size())); }
        };
        do {
            recording.format = format.name;
            format.read(file, recording, part, request.size);
            ++read;
        } while (file.next_member());
    }
    if (read > 1) { recording.world = std::max(recording.world, read); }
    if (recording.world != 0) { recording.world = std::max(recording.world, ranks_named(recording)); }
    order_ranks(recording);
    return recording;
}

}  // namespace fabricast::inline traces
