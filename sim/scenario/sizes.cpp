#include "sim/scenario/sizes.hpp"

#include <cmath>

#include "base/unit_text.hpp"

namespace fabricast::inline scenario {

namespace {

constexpr Bytes largest{std::int64_t{1} << 50};
constexpr std::size_t most_sizes = 10'000;

Bytes read_size(const yaml::Node& node) {
    const Bytes size = as_bytes(node);
    if (size.count == 0) { node.fail("must not be empty", "at least 1 B"); }
    if (size.count > largest.count) { node.fail("is too large", "at most " + text(largest)); }
    return size;
}

std::vector<Bytes> read_range(const yaml::Node& node) {
    node.allow({"from", "to", "factor"});
    const Bytes from = read_size(node.required("from"));
    const Bytes to = read_size(node.required("to"));
    const yaml::Node* factor_node = node.get("factor");
    const double factor = factor_node ? factor_node->as_double() : 2;
    if (factor <= 1) { factor_node->fail("must be above one", "a number above 1, as 2"); }
    if (to < from) { node.required("to").fail("is below 'from'", "at least " + text(from)); }
    if (std::log(static_cast<double>(to.count) / static_cast<double>(from.count)) / std::log(factor) >
        static_cast<double>(most_sizes)) {
        factor_node->fail("gives too many sizes", "at most " + std::to_string(most_sizes) + " rows");
    }
    return geometric_sizes(from, to, factor);
}

}  // namespace

std::vector<Bytes> geometric_sizes(Bytes from, Bytes to, double factor) {
    std::vector<Bytes> sizes;
    const auto last = static_cast<double>(to.count);
    // The first size times a power: rounding errors do not accumulate. Above 2^53 they have a double's precision.
    double power = 1;
    while (static_cast<double>(from.count) * power <= last) {
        const Bytes size = rounded_bytes(static_cast<double>(from.count) * power);
        if (sizes.empty() || sizes.back() < size) { sizes.push_back(size); }
        power *= factor;
    }
    return sizes;
}

std::vector<Bytes> default_sizes() { return geometric_sizes({8}, {std::int64_t{8} << 30}, 2); }

std::vector<Bytes> read_sizes(const yaml::Node& node) {
    if (node.is_map()) { return read_range(node); }
    if (!node.is_list() || node.children.empty()) {
        node.fail("must be sizes", "[1 MiB, 1 GiB] or {from: 8 B, to: 8 GiB, factor: 2}");
    }
    if (node.children.size() > most_sizes) { node.fail("has too many sizes", "at most " + std::to_string(most_sizes)); }
    std::vector<Bytes> sizes;
    for (const yaml::Node& item : node.children) { sizes.push_back(read_size(item)); }
    return sizes;
}

}  // namespace fabricast::inline scenario
