#include "sim/plan/traces/observed_operator.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "sim/plan/traces/comm_names.hpp"

namespace fabricast::inline traces::observed_operator {

namespace {

const Json empty_list = Json::array();

// Schema 1.1 has these members inside `inputs` and `outputs`, schema 1.0 next to them.
const Json& described(const Json& node, const char* side, const char* inside, const char* beside) {
    const auto found = node.find(std::string(side) + "s");
    if (found != node.end() && found->is_object()) {
        const auto list = found->find(inside);
        return list != found->end() && list->is_array() ? *list : empty_list;
    }
    const auto list = node.find(std::string(side) + beside);
    return list != node.end() && list->is_array() ? *list : empty_list;
}

bool is_tensor(const Json& value) {
    return value.is_array() && value.size() == 6 && value[3].is_number() && value[4].is_number() &&
           value[5].is_string();
}

void collect(const Json& value, std::vector<Tensor>& tensors, int depth = 0) {
    if (is_tensor(value)) {
        const auto& device = value[5].get_ref<const std::string&>();
        tensors.push_back({std::max(0.0, value[3].get<double>()), std::max(0.0, value[4].get<double>()),
                           device.starts_with("cuda") || device.starts_with("hip") || device.starts_with("xpu")});
    } else if (value.is_array() && depth < 4) {
        for (const Json& inner : value) { collect(inner, tensors, depth + 1); }
    }
}

// The shape of one argument: [512, 1024]; empty if it has none.
std::vector<double> shape(const Json& shapes, std::size_t argument) {
    std::vector<double> dims;
    if (argument < shapes.size() && shapes[argument].is_array()) {
        for (const Json& d : shapes[argument]) {
            if (!d.is_number() || d.get<double>() < 0) { return {}; }
            dims.push_back(d.get<double>());
        }
    }
    return dims;
}

double product(const std::vector<double>& dims, std::size_t from = 0) {
    double all = 1;
    for (std::size_t i = from; i < dims.size(); ++i) { all *= dims[i]; }
    return all;
}

}  // namespace

const Json& values(const Json& node, const char* side) { return described(node, side, "values", "s"); }

std::vector<Tensor> tensors(const Json& list) {
    std::vector<Tensor> found;
    collect(list, found);
    return found;
}

double flops_of(const std::string& name, const Json& node) {
    const Json& shapes = described(node, "input", "shapes", "_shapes");
    const Json& out_shapes = described(node, "output", "shapes", "_shapes");
    const auto matmul = [&](std::size_t a, std::size_t b) {
        const std::vector<double> x = shape(shapes, a), y = shape(shapes, b);
        return x.size() >= 2 && y.size() >= 2 ? 2 * product(x) * y.back() : 0;
    };
    if (name == "aten::mm" || name == "aten::bmm") { return matmul(0, 1); }
    if (name == "aten::addmm" || name == "aten::baddbmm") { return matmul(1, 2); }
    if (name == "aten::cudnn_convolution" || name == "aten::miopen_convolution") {
        return 2 * product(shape(out_shapes, 0)) * product(shape(shapes, 1), 1);
    }
    if (name == "aten::convolution_backward") {
        return 4 * product(shape(shapes, 0)) * product(shape(shapes, 2), 1);  // of the input and of the weight
    }
    return 0;
}

bool is_view(const std::string& name, const std::string& schema) {
    static const std::vector<std::string_view> views = split(
        "aten::view aten::as_strided aten::t aten::transpose aten::detach detach aten::slice aten::narrow aten::empty "
        "aten::result_type aten::resize_ aten::expand aten::permute aten::select aten::reshape aten::unsqueeze "
        "aten::squeeze aten::empty_strided aten::empty_like aten::_unsafe_view aten::alias aten::lift_fresh "
        "aten::unbind aten::split",
        ' ');
    return std::ranges::find(views, name) != views.end() || schema.find("(a) ") != std::string::npos;
}

DataType kernel_dtype(const Json& node) {
    for (const Json& type : described(node, "input", "types", "_types")) {
        if (type.is_string() && type.get_ref<const std::string&>().starts_with("Tensor(")) {
            std::string inside = type.get<std::string>().substr(7);
            inside.resize(inside.find(')') == std::string::npos ? inside.size() : inside.find(')'));
            return dtype_named(inside).value_or(DataType::float32);
        }
    }
    return DataType::float32;
}

const Json* attribute(const Json& node, const char* name) {
    if (const auto list = node.find("attrs"); list != node.end() && list->is_array()) {
        for (const Json& a : *list) {
            if (a.is_object() && a.value("name", Json()) == name && a.contains("value")) { return &a["value"]; }
        }
        return nullptr;
    }
    const auto found = node.find(name);
    return found == node.end() ? nullptr : &*found;
}

double number(const Json* value) { return value != nullptr && value->is_number() ? value->get<double>() : 0; }
std::string text(const Json* value) { return value != nullptr && value->is_string() ? value->get<std::string>() : ""; }

}  // namespace fabricast::inline traces::observed_operator
