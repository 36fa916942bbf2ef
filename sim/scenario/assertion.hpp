#pragma once
// An assert of a scenario about its result, written as "busbw >= 350 GB/s at 1 GiB", "efficiency >= 0.9 at 1024 gpus"
// or "step_time <= 2 s", or in short form as "busbw(1 GiB) >= 350 GB/s". Without a place, it must hold everywhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline scenario::asserted {

// Where a metric is read from: the row of a message size, the row of a cluster size, or the whole report.
enum class Scope : std::uint8_t { size, cluster, whole };
enum class Measure : std::uint8_t { time, rate, number, share };

struct Metric {
    std::string_view name;
    std::string_view column;  // of the row, as JSON names it
    Scope scope;
    Measure measure;
};

struct Assertion {
    const Metric* metric = nullptr;
    bool above = false, equal = false;         // > or <; with = behind it
    double bound = 0;                          // seconds, bytes per second or a plain number
    std::optional<Bytes> size;                 // selects a row
    std::optional<std::uint32_t> nodes, gpus;  // select a cluster; neither: all clusters
};

// Parses METRIC SIGN BOUND at PLACE, or METRIC(PLACE) SIGN BOUND. Throws UnitError.
Assertion parse(std::string_view statement);

// The statement; throws InputError if it has none of the accepted forms.
std::string checked(const yaml::Node& node);

}  // namespace fabricast::inline scenario::asserted
