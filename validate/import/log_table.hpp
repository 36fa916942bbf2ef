#pragma once
// What the tables of several tools have in common: how their rows and headers are read, and what they state.

#include <initializer_list>
#include <utility>

#include "validate/import/formats.hpp"

namespace fabricast::inline validate_import {

// Lays these words by key over the section, all read at `place`; empty words state nothing.
using KeysAndWords = std::initializer_list<std::pair<std::string_view, std::string_view>>;
void state(MeasurementSection& section, const SourceLocation& place, const KeysAndWords& said);

// States what every table of copies inside one node does; its id is the name of the test.
void describe_copies(Measurement& table, std::string_view tool, std::string_view test, std::string_view gpu,
                     const SourceLocation& place);

// The table with this id; a new one, without statements, if there is none.
Measurement& table_named(std::vector<Measurement>& tables, std::string_view id, const std::vector<std::string>& columns,
                         const SourceLocation& place);

// Whether the line may be a row of so many columns among lines of other programs, perhaps damaged: its first word has a
// digit and a figure follows, or it is as wide as the table and most of its words are figures.
bool looks_like_row(const TextLine& line, std::size_t columns);
void add_row(Measurement& table, std::vector<std::string> cells, const SourceLocation& place);

// The columns of a header: its words, joined without blanks, after `start`, by the names that validate/columns.yaml has
// for what `tool` prints. Throws InputError at a column that it is not known to print.
std::vector<std::string> columns_after(std::string_view start, const LogText& log, const TextLine& header,
                                       std::string_view tool, std::string_view examples);

// Reads the matrix of devices by devices whose header (the column numbers) is line `at`, and moves `at` past its last
// row. Rows must be numbered 0, 1, 2 ... and be as wide as the header. The result has only columns ("src_gpu",
// "dst0_GBps", ...) and rows; N/A becomes an empty cell. Throws InputError.
Measurement read_matrix(const LogText& log, std::size_t& at, std::string_view unit);

// The sum of a matrix' cells, and by how much their rounding may move it.
struct MatrixSum {
    double sum = 0, rounding = 0;
};
MatrixSum sum_of(const Measurement& matrix);

}  // namespace fabricast::inline validate_import
