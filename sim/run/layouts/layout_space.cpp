#include "sim/run/layouts/layout_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "base/text.hpp"

namespace fabricast::inline layouts {

namespace {

// Fewer tokens than this on a rank do not fill a GPU's products; more ranks of context are not searched by themselves.
constexpr double least_tokens = 2048;
constexpr std::uint32_t most_micro_batch = 16;

constexpr std::array<std::string_view, 2> flag_words = {"false", "true"};
// From here on an axis keeps the scenario's own value unless others are allowed.
constexpr Axis first_kept = Axis::order;

struct AxisRow {
    std::string_view key, name;
    std::span<const std::string_view> words;  // none: a number
};

const AxisRow& row_of(Axis axis) {
    static const std::array<AxisRow, axes> rows = {{{"workload.parallelism.tensor", "tensor", {}},
                                                    {"workload.parallelism.context", "context", {}},
                                                    {"workload.parallelism.pipeline", "pipeline", {}},
                                                    {"workload.parallelism.expert", "expert", {}},
                                                    {"workload.parallelism.chunks", "chunks", {}},
                                                    {"workload.micro_batch", "micro-batch", {}},
                                                    {"workload.sharding", "", sharding_names},
                                                    {"workload.recompute", "recompute", recompute_names},
                                                    {"workload.order", "order", pipeline_order_names},
                                                    {"workload.deferred_embedding", "deferred embedding", flag_words},
                                                    {"workload.offload.optimizer", "optimizer on host", flag_words}}};
    return rows.at(static_cast<std::size_t>(axis));
}

std::vector<Axis> every_axis() {
    std::vector<Axis> all;
    for (std::size_t i = 0; i < axes; ++i) { all.push_back(static_cast<Axis>(i)); }
    return all;
}

std::vector<std::uint32_t> divisors(std::uint32_t of) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t d = 1; d <= of; ++d) {
        if (of % d == 0) { all.push_back(d); }
    }
    return all;
}

std::vector<std::uint32_t> powers_of_two(double most) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t v = 1; v <= std::max(1.0, most); v *= 2) { all.push_back(v); }
    return all;
}

std::uint32_t at(const LayoutChoice& choice, Axis axis) { return choice[static_cast<std::size_t>(axis)]; }

// The values of an axis that go with those of the axes before it.
std::vector<std::uint32_t> usual_values(const LayoutLimits& limits, const LayoutChoice& so_far, Axis axis) {
    const ModelShape& model = limits.model;
    const std::uint32_t t = at(so_far, Axis::tensor), c = at(so_far, Axis::context), p = at(so_far, Axis::pipeline);
    const bool cut = !model.convolutional();
    switch (axis) {
        case Axis::tensor: return divisors(cut ? limits.gpus_per_node : 1);
        case Axis::context: return powers_of_two(cut ? model.sequence / least_tokens : 1);
        case Axis::pipeline: {
            std::vector<std::uint32_t> values = divisors(cut ? std::max(1U, limits.gpus / (t * c)) : 1);
            std::erase_if(values, [&](std::uint32_t stages) { return stages > std::max(1.0, model.layers); });
            return values;
        }
        case Axis::expert: return divisors(static_cast<std::uint32_t>(std::max(1.0, model.experts)));
        case Axis::chunks: {
            std::vector<std::uint32_t> values = {1};
            for (std::uint32_t v = 2; p > 1 && v * p <= model.layers; ++v) {
                if (std::fmod(model.layers, v * p) == 0 || (v & (v - 1)) == 0) { values.push_back(v); }
            }
            return values;
        }
        case Axis::micro_batch: return powers_of_two(most_micro_batch);
        case Axis::sharding: {
            std::vector<std::uint32_t> values(sharding_names.size());
            std::iota(values.begin(), values.end(), 0U);
            if (limits.gpus == t * p) { values.resize(1); }                      // nobody to share with
            if (limits.gpus <= limits.gpus_per_node * p) { values.pop_back(); }  // hsdp on one node is zero-3
            return values;
        }
        case Axis::recompute: {
            if (!cut) { return {0}; }
            std::vector<std::uint32_t> values = {0, 1, 2, 3};
            if (!limits.unfused_attention) { values.erase(values.begin() + 1); }
            return values;
        }
        case Axis::order:
        case Axis::embedding:
        case Axis::offload: return {at(choice_of(limits.workload), axis)};
    }
    return {};
}

std::uint32_t value_of(Axis axis, const SweepValue& value) {
    const AxisRow& row = row_of(axis);
    if (row.words.empty()) {
        const std::optional<std::uint32_t> number = number_in<std::uint32_t>(value.text);
        if (number && *number > 0) { return *number; }
        throw InputError(value.place, error_message("no whole number", shown(value.text), "1, 2, ..."));
    }
    const auto word = std::ranges::find(row.words, value.text);
    if (word != row.words.end()) { return static_cast<std::uint32_t>(word - row.words.begin()); }
    const std::vector<std::string> words(row.words.begin(), row.words.end());
    throw InputError(value.place, error_message("no such " + std::string(row.key.substr(row.key.rfind('.') + 1)),
                                                shown(value.text), joined(words), nearest_word(value.text, words)));
}

}  // namespace

bool has_words(Axis axis) { return !row_of(axis).words.empty(); }

std::string_view key_of(Axis axis) { return row_of(axis).key; }

std::string value_text(Axis axis, std::uint32_t value) {
    const AxisRow& row = row_of(axis);
    return row.words.empty() ? fmt::to_string(value) : std::string(row.words[value]);
}

LayoutChoice choice_of(const TrainingWorkload& w) {
    const Parallelism& cut = w.parallelism;
    return {cut.tensor,
            cut.context,
            cut.pipeline,
            cut.expert,
            cut.chunks,
            w.micro_batch,
            static_cast<std::uint32_t>(w.sharding),
            static_cast<std::uint32_t>(w.recompute),
            static_cast<std::uint32_t>(w.order),
            w.deferred_embedding ? 1U : 0U,
            w.offload.optimizer ? 1U : 0U};
}

TrainingWorkload with_layout(TrainingWorkload w, const LayoutChoice& choice) {
    Parallelism& cut = w.parallelism;
    cut.tensor = at(choice, Axis::tensor);
    cut.context = at(choice, Axis::context);
    cut.pipeline = at(choice, Axis::pipeline);
    cut.expert = at(choice, Axis::expert);
    cut.chunks = at(choice, Axis::chunks);
    cut.data = cut.shard = 0;
    w.micro_batch = at(choice, Axis::micro_batch);
    w.sharding = static_cast<Sharding>(at(choice, Axis::sharding));
    w.recompute = static_cast<Recompute>(at(choice, Axis::recompute));
    w.order = static_cast<PipelineOrder>(at(choice, Axis::order));
    w.deferred_embedding = at(choice, Axis::embedding) > 0;
    w.offload.optimizer = at(choice, Axis::offload) > 0;
    return w;
}

std::string words_of(const LayoutChoice& choice, Axis from) {
    std::string words;
    for (const Axis axis : every_axis()) {
        const std::uint32_t value = at(choice, axis);
        const AxisRow& row = row_of(axis);
        if (row.words.empty() && value == 1 && axis != Axis::micro_batch) { continue; }
        if (axis < from || (axis >= first_kept && value == 0)) { continue; }
        words += words.empty() ? "" : ", ";
        words += row.words.data() == flag_words.data()
                     ? std::string(row.name)
                     : fmt::format("{}{}{}", row.name, row.name.empty() ? "" : " ", value_text(axis, value));
    }
    return words;
}

std::vector<std::string> overrides_of(const LayoutChoice& choice, const LayoutChoice& written) {
    std::vector<std::string> overrides;
    for (const Axis axis : every_axis()) {
        if (axis >= first_kept && at(choice, axis) == at(written, axis)) { continue; }
        overrides.push_back(fmt::format("{}={}", key_of(axis), value_text(axis, at(choice, axis))));
    }
    return overrides;
}

AllowedLayouts allowed_layouts(const std::vector<Variation>& vary) {
    AllowedLayouts allowed;
    for (const Variation& variation : vary) {
        const std::vector<Axis> all = every_axis();
        const auto axis = std::ranges::find(all, variation.path, key_of);
        if (axis == all.end()) {
            const std::vector<std::string> keys = names_of(all, key_of);
            throw InputError(variation.place, error_message("no axis of a layout", shown(variation.path), joined(keys),
                                                            nearest_word(variation.path, keys)));
        }
        for (const SweepValue& value : variation.values) {
            allowed[static_cast<std::size_t>(*axis)].push_back(value_of(*axis, value));
        }
    }
    return allowed;
}

std::vector<LayoutChoice> layout_space(const LayoutLimits& limits, const AllowedLayouts& allowed) {
    std::vector<LayoutChoice> found;
    std::optional<LayoutError> refused;
    const auto add = [&](const LayoutChoice& choice) {
        try {
            make_layout(with_layout(limits.workload, choice), limits.model, limits.gpus, limits.gpus_per_node);
            found.push_back(choice);
        } catch (const LayoutError& error) {
            if (!refused) { refused = error; }
        }
    };
    const std::function<void(LayoutChoice, std::size_t)> extend = [&](LayoutChoice choice, std::size_t axis) {
        if (axis == axes) { return add(choice); }
        const std::vector<std::uint32_t>& asked = allowed[axis];
        for (const std::uint32_t value :
             asked.empty() ? usual_values(limits, choice, static_cast<Axis>(axis)) : asked) {
            choice[axis] = value;
            extend(choice, axis + 1);
        }
    };
    extend({}, 0);
    if (found.empty() && refused) { throw LayoutError(*refused); }
    std::ranges::sort(found);
    return found;
}

}  // namespace fabricast::inline layouts
