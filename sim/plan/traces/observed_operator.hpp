#pragma once
// One operator of a trace by PyTorch's ExecutionTraceObserver: its tensors, shapes, attributes and work.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/plan/collectives/collective.hpp"

namespace fabricast::inline traces::observed_operator {

// A tensor as an operator's argument: [tensor, storage, offset, elements, bytes each, device].
struct Tensor {
    double elements = 0, element_bytes = 0;
    bool on_gpu = false;
};

// The values of the `input` or `output` side: schema 1.1 has them inside, schema 1.0 next to the shapes and types.
const Json& values(const Json& node, const char* side);
std::vector<Tensor> tensors(const Json& list);

// 2 * m * n * k of a matrix product, 2 * outputs * window of a convolution; 0 for operators bound by memory.
double flops_of(const std::string& name, const Json& node);

// Whether the operator only gives another view of its input, without a kernel.
bool is_view(const std::string& name, const std::string& schema);

DataType kernel_dtype(const Json& node);

// A node's attribute: in 1.1 in a list of {name, type, value}, in 1.0 a member of the node. nullptr: it has none.
const Json* attribute(const Json& node, const char* name);
double number(const Json* value);     // 0 if it is not a number
std::string text(const Json* value);  // empty if it is not a text

}  // namespace fabricast::inline traces::observed_operator
