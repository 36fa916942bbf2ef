#pragma once
// The one measurement file that a probe brings home, in the layout of validate/measurements. Columns that stand before
// `size_bytes` are labels: rows with the same labels are one curve.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/statistics.hpp"

namespace probe {

// A value of a section; an empty text is written as null.
struct Entry {
    std::string key;
    std::string text;
    bool plain = false;  // a number, or a list already in YAML
};

Entry words(std::string key, std::string text);
Entry count(std::string key, std::uint64_t value);

using Section = std::vector<Entry>;

struct Row {
    std::vector<std::string> labels;  // as many as the file's label columns
    int round = 0;
    std::uint64_t size_bytes = 0;
    int iterations = 0;               // transfers of one sample
    Summary time_us;                  // of one transfer
    std::uint64_t checked_bytes = 0;  // so many were compared with what was sent
    std::vector<std::string> extra;   // as many as the file's extra columns; figures
};

Row row_of(std::vector<std::string> labels, int round, std::uint64_t size_bytes, const Samples& samples);

struct MeasurementFile {
    std::string id;
    std::string kind;  // "p2p", "nccl", "rdma", "ucx"
    Section source, system, software, benchmark;
    std::vector<std::string> label_columns;
    std::vector<std::string> extra_columns;
    std::vector<Row> rows;
    std::string notes;
};

std::string to_yaml(const MeasurementFile& file);

// `text` between double quotes, escaped as YAML and JSON both read it.
std::string quoted(std::string_view text);
// Seven significant digits, without exponent where it can be helped.
std::string figure(double value);

// Writes beside `path` and renames: a reader never meets half a file. Throws std::runtime_error with the path.
void write_whole(const std::string& path, const std::string& text);

}  // namespace probe
