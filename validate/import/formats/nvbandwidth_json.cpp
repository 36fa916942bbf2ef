// nvbandwidth -j: tests with their matrices. Cells are strings, "N/A" for pairs that were not measured. Written from
// json_output.cpp of nvbandwidth; of real runs that of v0.5 was seen which DCGM has among its tests.

#include <algorithm>
#include <cmath>

#include "validate/import/log_table.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

void put(MeasurementSection& section, const char* key, const yaml::Node* value) {
    if (value != nullptr && value->is_scalar()) { section[key] = {value->text, value->place}; }
}

std::string cell_of(const yaml::Node& cell) {
    const std::string& text = cell.as_string();
    if (text == "N/A") { return ""; }
    std::string plain = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    if (!is_figure(plain)) { cell.fail("a cell of a matrix", "a figure or N/A"); }
    return plain;
}

// Of the list that versions since 0.6 write: "0: NVIDIA H100 80GB HBM3 (00000000:07:00): (HOST)".
std::string first_gpu(const yaml::Node& root) {
    const yaml::Node* list = root.get("GPU Device list");
    if (list == nullptr || list->items().empty()) { return ""; }
    const std::string& text = list->items().front().as_string();
    const std::size_t from = text.starts_with("0: ") ? 3 : 0;
    return text.substr(from, text.find(" (") - from);
}

Measurement table_of(const yaml::Node& test, const yaml::Node& root) {
    Measurement m;
    const yaml::Node* version = root.get("version");
    describe_copies(m, version == nullptr ? "nvbandwidth" : "nvbandwidth " + version->as_string(),
                    test.required("name").as_string(), first_gpu(root), test.place);
    const yaml::Node* description = test.get("bandwidth_description");
    const bool time = description != nullptr && description->as_string().find("(ns)") != std::string::npos;
    put(m.benchmark, "test", &test.required("name"));
    put(m.benchmark, "description", description);
    put(m.software, "driver", root.get("Driver Version"));
    m.columns = {"src_gpu"};
    for (const yaml::Node& row : test.required("bandwidth_matrix").items()) {
        while (m.columns.size() <= row.items().size()) {
            m.columns.push_back("dst" + std::to_string(m.columns.size() - 1) + (time ? "_ns" : "_GBps"));
        }
        std::vector<std::string> cells{std::to_string(m.rows.size())};
        std::ranges::transform(row.items(), std::back_inserter(cells), cell_of);
        if (cells.size() != m.columns.size()) {
            row.fail("a row of another width", std::to_string(m.columns.size() - 1) + " cells");
        }
        add_row(m, std::move(cells), row.place);
    }
    if (m.rows.empty()) { test.fail("a test that passed has a matrix"); }
    const yaml::Node* stated = test.get("sum");
    const auto [sum, rounding] = sum_of(m);
    if (stated != nullptr && std::abs(stated->as_double() - sum) > 2 * rounding + 1e-6 * sum + 0.01) {
        stated->fail("the sum does not follow from the matrix", "about " + std::to_string(sum));
    }
    return m;
}

std::vector<Measurement> read_nvbandwidth_json(const LogText& log, const Statements&) {
    const yaml::Node tree = json_tree(log);
    const yaml::Node& root = tree.required("nvbandwidth");
    if (const yaml::Node* error = root.get("error")) { error->fail("the run failed: " + error->as_string()); }
    std::vector<Measurement> tables;
    for (const yaml::Node& test : root.required("testcases").items()) {
        const std::string& status = test.required("status").as_string();
        if (status == "Error") { test.fail("the test '" + test.required("name").as_string() + "' failed"); }
        if (status == "Passed") { tables.push_back(table_of(test, root)); }
    }
    return tables;
}

bool is_nvbandwidth_json(std::string_view t) { return is_json(t) && holds(t, "\"nvbandwidth\""); }

}  // namespace

extern const LogFormat nvbandwidth_json = {"nvbandwidth-json", "nvbandwidth -j", false, is_nvbandwidth_json,
                                           read_nvbandwidth_json};

}  // namespace fabricast::inline validate_import::formats
