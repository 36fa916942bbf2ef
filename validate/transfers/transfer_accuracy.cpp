#include "validate/transfers/transfer_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/percentile.hpp"
#include "base/text.hpp"
#include "base/yaml.hpp"
#include "validate/accuracy/accuracy.hpp"
#include "validate/transfers/transfer_derive.hpp"

namespace fabricast {

namespace {

constexpr Bytes large{1 << 20};

enum class Share : std::uint8_t { large, small, latency, all };

bool belongs_to(const TransferComparison& file, const TransferPoint& point, Share part) {
    switch (part) {
        case Share::latency:
            return file.latency_matrix;
        case Share::large:
            return !file.latency_matrix && point.size >= large;
        case Share::small:
            return !file.latency_matrix && point.size < large;
        case Share::all:
            break;
    }
    return true;
}

using Drawn = std::vector<DrawnFrom>;

bool was_drawn_from(const TransferComparison& file, const TransferPoint& point, const Drawn& drawn) {
    return std::ranges::any_of(drawn, [&](const DrawnFrom& d) {
        const bool size =
            d.sizes == DrawnFrom::Sizes::all || (point.size >= large) == (d.sizes == DrawnFrom::Sizes::large);
        return size && file.id.starts_with(d.dataset) && (d.transport.empty() || d.transport == point.transport);
    });
}

// Median |error| of the counted values of a file that belong to `part` and not to `drawn`; empty if there are none.
std::optional<double> median_of(const TransferComparison& file, Share part, const Drawn& drawn = {}) {
    std::vector<double> errors;
    for (const TransferPoint& point : file.points) {
        if (point.left_out.empty() && belongs_to(file, point, part) && !was_drawn_from(file, point, drawn)) {
            errors.push_back(std::abs(point.error()));
        }
    }
    return percentile(errors, 50);
}

std::optional<double> median_over_files(const TransferAccuracy& accuracy, std::string_view kind, Share part,
                                        const Drawn& drawn) {
    std::vector<double> medians;
    for (const TransferComparison& file : accuracy.files) {
        if (const auto median = median_of(file, part, drawn); file.kind == kind && file.uncounted.empty() && median) {
            medians.push_back(*median);
        }
    }
    return percentile(medians, 50);
}

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:.1f}", 100 * *share) : "–"; }

std::vector<NamedFigure> figures_without(const TransferAccuracy& accuracy, const Drawn& drawn, const char* ending) {
    std::vector<NamedFigure> figures;
    const auto add = [&](const char* name, const char* kind, Share part) {
        if (const auto median = median_over_files(accuracy, kind, part, drawn)) {
            figures.push_back({name + std::string("_median") + ending + "_pct", 100 * *median, "percent"});
        }
    };
    add("p2p_large", "p2p", Share::large);
    add("p2p_small", "p2p", Share::small);
    add("p2p_latency", "p2p", Share::latency);
    add("rdma_large", "rdma", Share::large);
    add("rdma_small", "rdma", Share::small);
    add("other", "other", Share::all);
    return figures;
}

std::vector<DrawnFrom> read_drawn(const std::filesystem::path& path) {
    std::vector<DrawnFrom> drawn;
    if (!std::filesystem::exists(path)) {
        return drawn;
    }
    const yaml::Node root = yaml::read(path);
    for (const yaml::Node& node : root.required("drawn").items()) {
        node.allow({"constant", "dataset", "transport", "sizes"});
        const yaml::Node* transport = node.get("transport");
        drawn.push_back({node.required("constant").as_string(), node.required("dataset").as_string(),
                         transport == nullptr ? "" : transport->as_string(),
                         static_cast<DrawnFrom::Sizes>(node.required("sizes").as_enum({"small", "large", "all"}))});
    }
    return drawn;
}

}  // namespace

TransferAccuracy transfer_accuracy(const std::filesystem::path& measurements, const Catalog& catalog) {
    std::vector<std::filesystem::path> paths;
    for (const char* kind : {"p2p", "rdma", "other"}) {
        for (const auto& entry : std::filesystem::directory_iterator(measurements / kind)) {
            if (entry.path().extension() == ".yaml") {
                paths.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(paths);
    TransferAccuracy accuracy;
    accuracy.drawn = read_drawn(measurements / "drawn.yaml");
    for (const std::filesystem::path& path : paths) {
        try {
            accuracy.files.push_back(compare_transfers(read_measurement(path), builtin_transfer_aliases(), catalog));
        } catch (const InputError& error) {
            const std::string what = error.what();
            const std::size_t colon = what.find(": ");
            accuracy.refused.emplace_back(path.stem().string(),
                                          colon == std::string::npos ? what : what.substr(colon + 2));
        }
    }
    return accuracy;
}

std::vector<NamedFigure> transfer_figures(const TransferAccuracy& accuracy) {
    return figures_without(accuracy, {}, "");
}

std::vector<NamedFigure> undrawn_figures(const TransferAccuracy& accuracy) {
    return figures_without(accuracy, accuracy.drawn, "_undrawn");
}

std::string transfer_page(const TransferAccuracy& accuracy) {
    std::string page =
        "# Accuracy of transfers\n\n"
        "Made by `./dev accuracy` (`fabricast-path-accuracy`): every published measurement between two devices, of "
        "kind\n"
        "p2p, rdma and other, through `fabricast compare`. A file's figure is the median of |forecast / measured - 1| "
        "of "
        "the\ntime over its values; a headline is the median over files, so that a long table counts once. Large: "
        "messages "
        "of\n1 MiB and more, matrices at the size of their tool's documentation (p2pBandwidthLatencyTest 40 MB, "
        "nvbandwidth\n"
        "512 MiB), their diagonals as copies inside one GPU's memory. Matrices of latencies are a figure of their "
        "own.\n"
        "Files whose GPU or fabric is not stated are forecast as their system's text allows and do not count.\n\n"
        "| figure | value |\n|---|---|\n";
    for (const NamedFigure& figure : transfer_figures(accuracy)) {
        page += fmt::format("| `{}` | {:.1f} % |\n", figure.name, figure.value);
    }
    for (const NamedFigure& figure : undrawn_figures(accuracy)) {
        page += fmt::format("| `{}` | {:.1f} % |\n", figure.name, figure.value);
    }
    if (undrawn_figures(accuracy).size() < transfer_figures(accuracy).size()) {
        page += "| others without those rows | no row is left |\n";
    }
    page +=
        "\nSome constants were drawn from rows that are scored here, because no other source gives them. The figures "
        "called\n`_undrawn` leave those rows out:\n\n| constant | drawn from | rows |\n|---|---|---|\n";
    for (const DrawnFrom& d : accuracy.drawn) {
        constexpr std::string_view sizes[] = {"below 1 MiB", "1 MiB and more", "all"};
        page +=
            fmt::format("| {} | {} | {}{} |\n", d.constant, d.dataset.empty() ? "every matrix" : "`" + d.dataset + "`",
                        d.transport.empty() ? "" : d.transport + ", ", sizes[static_cast<std::size_t>(d.sizes)]);
    }
    page +=
        "\n| measurement | system | values | large % | small % | latency % | counted "
        "|\n|---|---|---|---|---|---|---|\n";
    for (const TransferComparison& file : accuracy.files) {
        const auto values =
            std::ranges::count_if(file.points, [](const TransferPoint& p) { return p.left_out.empty(); });
        page += fmt::format("| {} | {} | {} of {} | {} | {} | {} | {} |\n", file.id, file.system, values,
                            file.points.size(), percent(median_of(file, Share::large)),
                            percent(median_of(file, Share::small)), percent(median_of(file, Share::latency)),
                            file.uncounted.empty() ? "yes" : "no: " + file.uncounted);
    }
    page += "\nNot forecast, whole files or single values:\n\n";
    for (const auto& [id, why] : accuracy.refused) {
        page += fmt::format("- {}: {}\n", id, why);
    }
    for (const TransferComparison& file : accuracy.files) {
        for (const TransferPoint& point : file.points) {
            if (!point.left_out.empty()) {
                page += fmt::format("- {}, {}: {}\n", file.id, point.label, point.left_out);
            }
        }
    }
    return page;
}

std::string transfer_csv(const TransferAccuracy& accuracy) {
    std::string csv = "dataset,kind,label,size_bytes,quantity,measured,forecast,error,transport,used\n";
    for (const TransferComparison& file : accuracy.files) {
        for (const TransferPoint& p : file.points) {
            const std::string used = !p.left_out.empty() ? p.left_out : file.uncounted.empty() ? "yes" : file.uncounted;
            csv += fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.4f},{},{}\n", file.id, file.kind, csv_cell(p.label),
                               p.size.count, p.latency ? "seconds" : "bytes_per_second", p.measured, p.forecast,
                               p.left_out.empty() ? p.error() : 0, p.transport, csv_cell(used));
        }
    }
    return csv;
}

}  // namespace fabricast
