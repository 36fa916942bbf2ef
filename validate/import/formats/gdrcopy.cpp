// copybw of gdrcopy ("write BW: 9768.3MB/s" after "writing test, size=65536 ..."; MB are 2^20 bytes) and copylat (one
// table per direction). Both end with "closing gdrdrv". No real log is at hand: fixtures follow the documentation.

#include <algorithm>

#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

// The text after `key` ("size=" or "BW:") up to `stop`, without blanks.
TextWord behind(const LogText& log, const TextLine& line, std::string_view key, std::string_view stop) {
    const std::size_t at = line.text.find(key);
    std::string_view rest = at == std::string_view::npos ? "" : line.text.substr(at + key.size());
    const std::size_t blank = std::min(rest.find_first_not_of(' '), rest.size());
    rest.remove_prefix(blank);
    const std::size_t end = rest.find(stop);
    if (at == std::string_view::npos || end == std::string_view::npos || end == 0) {
        refuse(log.at(line), "a line that was cut", shown(line.text), std::string(key) + " NUMBER" + std::string(stop));
    }
    return {rest.substr(0, end), line.column + static_cast<int>(at + key.size() + blank)};
}

std::vector<Measurement> read_gdrcopy(const LogText& log, const Statements&) {
    std::vector<Measurement> tables;
    std::string size;  // size of copybw's current test
    std::string gpu;
    std::size_t width = 0;  // width of copylat's rows
    bool open = false;      // results were read, but not yet their end
    for (const TextLine& line : log.lines()) {
        if (const std::size_t name = line.text.find("name: ");
            line.starts_with("GPU id:") && name != std::string_view::npos) {
            gpu = gpu.empty() ? std::string(line.text.substr(name + 6, line.text.find(';', name) - name - 6)) : gpu;
        } else if (line.starts_with("writing test") || line.starts_with("reading test")) {
            const TextWord field = behind(log, line, "size=", " ");
            count_in(log, line, field);
            size = field.text;
            open = true;
        } else if (line.starts_with("write BW:") || line.starts_with("read BW:")) {
            if (size.empty()) {
                refuse(log.at(line), "a bandwidth without its size", shown(line.text), "writing test, size=...");
            }
            const TextWord field = behind(log, line, "BW:", "MB/s");
            figure_in(log, line, field);
            const char* test = line.starts_with("write") ? "copybw write" : "copybw read";
            add_row(table_named(tables, test, {"size_bytes", "MiBps"}, log.at(line)), {size, std::string(field.text)},
                    log.at(line));
            size.clear();
        } else if (line.starts_with("Test ") && line.contains("Size(B)")) {
            width = 2 + (line.contains("Time(us)") ? 1 : 0) + (line.contains("Min. Time(us)") ? 1 : 0);
            open = true;
            if (width < 3) {
                refuse(log.at(line), "a header that was cut", shown(line.text), "Test Size(B) Avg.Time(us)");
            }
        } else if (line.starts_with("gdr_copy_") && !line.contains("num iters")) {
            refuse_cut_line(log, line);
            const std::vector<TextWord> f = line.words();
            if (width == 0 || f.size() != width) {
                refuse(log.at(line), "a row of another width than its header", shown(line.text),
                       std::to_string(width) + " columns");
            }
            count_in(log, line, f[1]);
            figure_in(log, line, f[2]);
            add_row(table_named(tables, f[0].text, {"size_bytes", "time_us"}, log.at(line)),
                    {std::string(f[1].text), std::string(f[2].text)}, log.at(line));
        } else if (line.starts_with("closing gdrdrv")) {
            if (!size.empty()) {
                refuse(log.at(line), "a test without its result", "size " + size, "write BW: ... MB/s");
            }
            open = false;
        }
    }
    if (open) { refuse(log.end(), "the log ends too early", "", "a line 'closing gdrdrv'"); }
    for (Measurement& m : tables) {
        const char* tool = m.id.starts_with("copybw") ? "gdrcopy copybw" : "gdrcopy copylat";
        describe_copies(m, tool, std::string(m.id), gpu, m.place);
    }
    return tables;
}

bool is_gdrcopy(std::string_view t) { return holds(t, "gdrdrv") || holds(t, "gdr_copy_to_mapping"); }

}  // namespace

extern const LogFormat gdrcopy = {"gdrcopy", "gdrcopy's copybw and copylat", false, is_gdrcopy, read_gdrcopy};

}  // namespace fabricast::inline validate_import::formats
