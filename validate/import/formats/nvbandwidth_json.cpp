// nvbandwidth -j: tests with their matrices. Cells are strings, "N/A" for pairs that were not measured. No real log was
// available: written from json_output.cpp of nvbandwidth.

#include <cmath>

#include "base/numbers.hpp"
#include "validate/import/json_tree.hpp"
#include "validate/import/log_format.hpp"

namespace fabricast {
namespace {

void put(MeasurementSection& section, const char* key, const yaml::Node* value) {
    if (value != nullptr && value->is_scalar()) {
        section[key] = {value->text, value->place};
    }
}

std::string cell_of(const yaml::Node& cell) {
    const std::string& text = cell.as_string();
    if (text == "N/A") {
        return "";
    }
    const std::size_t first = text.find_first_not_of(' ');
    std::string plain = first == std::string::npos ? "" : text.substr(first);
    if (!is_figure(plain)) {
        cell.fail("a cell of a matrix", "a figure or N/A");
    }
    return plain;
}

Measurement table_of(const yaml::Node& test, const yaml::Node& root) {
    Measurement m;
    m.kind = "p2p";
    m.place = test.place;
    m.id = test.required("name").as_string();
    const yaml::Node* description = test.get("bandwidth_description");
    const bool time = description != nullptr && description->as_string().find("(ns)") != std::string::npos;
    put(m.benchmark, "test", &test.required("name"));
    put(m.benchmark, "description", description);
    m.benchmark["tool"] = {"nvbandwidth", test.place};
    m.system["nodes"] = {"1", test.place};
    put(m.software, "driver", root.get("Driver Version"));
    m.columns = {"src_gpu"};
    double sum = 0;
    double slack = 0;
    for (const yaml::Node& row : test.required("bandwidth_matrix").items()) {
        while (m.columns.size() <= row.items().size()) {
            m.columns.push_back("dst" + std::to_string(m.columns.size() - 1) + (time ? "_ns" : "_GBps"));
        }
        std::vector<std::string>& cells = m.rows.emplace_back();
        cells.push_back(std::to_string(m.rows.size() - 1));
        for (const yaml::Node& cell : row.items()) {
            cells.push_back(cell_of(cell));
            sum += figure_in_word(cells.back()).value_or(0);
            slack += cells.back().empty() ? 0 : 2 * rounding_of(cells.back());
        }
        m.row_places.push_back(row.place);
        if (cells.size() != m.columns.size()) {
            row.fail("a row of another width", std::to_string(m.columns.size() - 1) + " cells");
        }
    }
    if (m.rows.empty()) {
        test.fail("a test that passed has a matrix");
    }
    const yaml::Node* stated = test.get("sum");
    if (stated != nullptr && std::abs(stated->as_double() - sum) > slack + 1e-6 * sum + 0.01) {
        stated->fail("the sum does not follow from the matrix", "about " + std::to_string(sum));
    }
    return m;
}

std::vector<Measurement> read_nvbandwidth_json(const LogText& log, const Statements&) {
    const yaml::Node tree = json_tree(log);
    const yaml::Node& root = tree.required("nvbandwidth");
    if (const yaml::Node* error = root.get("error")) {
        error->fail("the run failed: " + error->as_string());
    }
    std::vector<Measurement> tables;
    for (const yaml::Node& test : root.required("testcases").items()) {
        const std::string& status = test.required("status").as_string();
        if (status == "Error") {
            test.fail("the test '" + test.required("name").as_string() + "' failed");
        }
        if (status == "Passed") {
            tables.push_back(table_of(test, root));
        }
    }
    return tables;
}

bool fits(std::string_view t) { return is_json(t) && holds(t, "\"nvbandwidth\""); }

}  // namespace

namespace formats {
extern const LogFormat nvbandwidth_json = {"nvbandwidth-json", "nvbandwidth -j", false, fits, read_nvbandwidth_json};
}  // namespace formats

}  // namespace fabricast
