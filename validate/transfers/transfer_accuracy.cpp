#include "validate/transfers/transfer_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/yaml.hpp"
#include "validate/score/errors.hpp"

namespace fabricast::inline validate_transfers {

namespace {

constexpr Bytes large{1 << 20};

// Ends the name of a part: "p2p_large".
constexpr std::array<std::string_view, 3> classes = {"_large", "_small", "_latency"};

bool was_drawn_from(const TransferComparison& file, const TransferPoint& point, const std::vector<DrawnFrom>& drawn) {
    return std::ranges::any_of(drawn, [&](const DrawnFrom& d) {
        const bool size =
            d.sizes == DrawnFrom::Sizes::all || (point.size >= large) == (d.sizes == DrawnFrom::Sizes::large);
        return size && file.id.starts_with(d.dataset) && (d.transport.empty() || d.transport == point.transport);
    });
}

ComparedRow row_of(const TransferComparison& file, const TransferPoint& point) {
    const auto seconds = [&](double value) {
        return point.latency || value <= 0 ? value : static_cast<double>(std::max(point.size, Bytes{1}).count) / value;
    };
    ComparedRow row;
    row.table = file.id;
    row.site = row.publisher = file.source;
    row.label = point.label;
    row.part = fmt::format("{}{}", file.kind, classes[file.latency_matrix ? 2 : point.size >= large ? 0 : 1]);
    row.size = point.size;
    row.measured = seconds(point.measured);
    row[Forecast::ours] = seconds(point.forecast);
    row.why = point.left_out.empty() ? file.uncounted : point.left_out;
    row.use = !point.left_out.empty() ? RowUse::unusable : !file.uncounted.empty() ? RowUse::excluded : RowUse::counted;
    return row;
}

// The beginning of a part, and what its figures begin with: over files, and over sites without what was drawn from
// them.
struct PartFigures {
    const char *part, *files, *sites;
};
constexpr PartFigures part_figures[] = {
    {"p2p_large", "p2p_large", "p2p_loso_large"},    {"p2p_small", "p2p_small", "p2p_loso_small"},
    {"p2p_latency", "p2p_latency", "latency_loso"},  {"rdma_large", "rdma_large", "rdma_loso_large"},
    {"rdma_small", "rdma_small", "rdma_loso_small"}, {"other", "other", nullptr}};

void append_medians(std::vector<NamedFigure>& figures, const std::vector<ComparedRow>& rows,
                    std::string ComparedRow::*group, const char* PartFigures::*name) {
    for (const PartFigures& part : part_figures) {
        if (part.*name == nullptr) { continue; }
        if (const auto median = median_over(errors_by(group, rows, {.part = part.part}), &ErrorSummary::median)) {
            figures.push_back({fmt::format("{}_median_pct", part.*name), 100 * *median, "percent"});
        }
    }
}

std::vector<DrawnFrom> read_drawn(const std::filesystem::path& path) {
    std::vector<DrawnFrom> drawn;
    if (!std::filesystem::exists(path)) { return drawn; }
    const yaml::Node root = yaml::read(path);
    for (const yaml::Node& node : root.required("drawn").items()) {
        node.allow({"constant", "dataset", "transport", "sizes"});
        drawn.push_back({node.required("constant").as_string(), node.required("dataset").as_string(),
                         node.text_or("transport"),
                         static_cast<DrawnFrom::Sizes>(node.required("sizes").as_enum({"small", "large", "all"}))});
    }
    return drawn;
}

std::string drawn_table(const std::vector<DrawnFrom>& drawn) {
    constexpr std::array<std::string_view, 3> sizes = {"below 1 MiB", "1 MiB and more", "all"};
    std::string table = markdown_head({"constant", "drawn from", "rows"});
    for (const DrawnFrom& d : drawn) {
        table += markdown_row({d.constant, d.dataset.empty() ? "every matrix" : "`" + d.dataset + "`",
                               fmt::format("{}{}{}", d.transport, d.transport.empty() ? "" : ", ",
                                           sizes[static_cast<std::size_t>(d.sizes)])});
    }
    return table;
}

std::string files_table(const TransferAccuracy& accuracy) {
    std::string table =
        markdown_head({"measurement", "system", "values", "large %", "small %", "latency %", "counted"});
    for (const TransferComparison& file : accuracy.files) {
        const std::vector<ComparedRow> rows = transfer_rows({{file}, {}, {}});
        const auto used = std::ranges::count_if(rows, [](const ComparedRow& r) { return r.use != RowUse::unusable; });
        std::vector<std::string> cells = {file.id, file.system, fmt::format("{} of {}", used, rows.size())};
        for (const std::string_view name : classes) {
            const std::string part = fmt::format("{}{}", file.kind, name);
            const ErrorSummary errors = errors_of(rows, {.part = part, .everything = true});
            cells.push_back(errors.rows == 0 ? "–" : percent_cell(errors.median));
        }
        cells.push_back(file.uncounted.empty() ? "yes" : "no: " + file.uncounted);
        table += markdown_row(cells);
    }
    return table;
}

}  // namespace

TransferAccuracy transfer_accuracy(const std::filesystem::path& measurements, const Catalog& catalog) {
    std::vector<std::filesystem::path> paths;
    for (const char* kind : {"other", "p2p", "rdma"}) {
        if (!std::filesystem::is_directory(measurements / kind)) { continue; }
        std::ranges::copy(yaml::files_among(std::filesystem::directory_iterator(measurements / kind)),
                          std::back_inserter(paths));
    }
    TransferAccuracy accuracy;
    accuracy.drawn = read_drawn(measurements / "drawn.yaml");
    for (const std::filesystem::path& path : paths) {
        try {
            for (const Measurement& curve : split_series(read_measurement(path))) {
                accuracy.files.push_back(compare_transfers(curve, catalog));
            }
        } catch (const InputError& error) {
            accuracy.refused.emplace_back(path.stem().string(), error.message);
        } catch (const std::runtime_error& error) {  // a file that contradicts a part
            accuracy.refused.emplace_back(path.stem().string(), error.what());
        }
    }
    return accuracy;
}

std::vector<ComparedRow> transfer_rows(const TransferAccuracy& accuracy, const std::vector<DrawnFrom>& without) {
    std::vector<ComparedRow> rows;
    for (const TransferComparison& file : accuracy.files) {
        for (const TransferPoint& point : file.points) {
            if (!was_drawn_from(file, point, without)) { rows.push_back(row_of(file, point)); }
        }
    }
    return rows;
}

std::vector<NamedFigure> transfer_figures(const TransferAccuracy& accuracy) {
    std::vector<NamedFigure> figures;
    append_medians(figures, transfer_rows(accuracy), &ComparedRow::table, &PartFigures::files);
    append_medians(figures, transfer_rows(accuracy, accuracy.drawn), &ComparedRow::site, &PartFigures::sites);
    return figures;
}

std::string transfer_page(const TransferAccuracy& accuracy) {
    std::string figures;
    for (const NamedFigure& figure : transfer_figures(accuracy)) {
        figures += fmt::format("| `{}` | {:.1f} % |\n", figure.name, figure.value);
    }
    std::string refused;
    for (const auto& [id, why] : accuracy.refused) { refused += fmt::format("- {}: {}\n", id, why); }
    for (const ComparedRow& row : transfer_rows(accuracy)) {
        if (row.use == RowUse::unusable) { refused += fmt::format("- {}, {}: {}\n", row.table, row.label, row.why); }
    }
    return filled_page("accuracy-paths.md", {{"figures", figures},
                                             {"drawn", drawn_table(accuracy.drawn)},
                                             {"files", files_table(accuracy)},
                                             {"refused", refused}});
}

std::string transfer_files_csv(const TransferAccuracy& accuracy) {
    static const std::vector<CsvColumn<RowGroup>> columns = {
        {"dataset", [](const RowGroup& g) { return g.front().table; }},
        {"part", [](const RowGroup& g) { return g.front().part; }},
        {"rows", rows_cell},
        {"counted", counted_cell},
        {"error_pct", median_cell<Forecast::ours>},
        {"forecasts_hash", hash_cell<Forecast::ours>},
    };
    return csv_text(columns, row_groups(transfer_rows(accuracy),
                                        [](const ComparedRow& row) { return std::pair(row.table, row.part); }));
}

std::string transfer_rows_csv(const TransferAccuracy& accuracy) {
    std::string csv = "dataset,kind,label,size_bytes,quantity,measured,forecast,error,transport,used\n";
    for (const TransferComparison& file : accuracy.files) {
        for (const TransferPoint& p : file.points) {
            csv += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.4f},{},{}\n", file.id, file.kind, csv_cell(p.label),
                               p.size.count, p.latency ? "seconds" : "bytes_per_second", p.measured, p.forecast,
                               p.left_out.empty() ? p.error() : 0, p.transport, csv_cell(file.used(p)));
        }
    }
    return csv;
}

}  // namespace fabricast::inline validate_transfers
