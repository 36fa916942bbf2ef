// The -J file of nccl-tests: version, args, env, nccl_version, config with its devices, results. No real log was
// available: written from util.cu of nccl-tests 2.17.

#include <fmt/format.h>

#include <algorithm>

#include "validate/import/nccl_run.hpp"

namespace fabricast::inline validate_import::formats {
namespace {

// The NCCL_* variables of the environment, such as "NCCL_ALGO=Ring". Others do not affect the speed and may be secret.
std::string nccl_environment(const yaml::Node& root) {
    std::string words;
    for (const yaml::Node& entry : root.items_of("env")) {
        if (entry.as_string().starts_with("NCCL_")) { words += (words.empty() ? "" : " ") + entry.as_string(); }
    }
    return words;
}

std::string header_of(const yaml::Node& config) {
    const auto said = [&](const char* key) { return config.text_or(key, "0"); };
    const std::string step =
        config.get("step_bytes") == nullptr ? said("step_factor") + "(factor)" : said("step_bytes") + "(bytes)";
    return fmt::format("nThread {} nGpus {} minBytes {} maxBytes {} step: {} warmup iters: {} iters: {} agg iters: {}",
                       said("nthreads"), said("ngpus"), said("minimum_bytes"), said("maximum_bytes"), step,
                       said("warmup_iters"), said("iterations"), said("aggregated_iterations"));
}

// The three values of one half of a result (out of place or in place); null if not measured.
void add_triple(const yaml::Node& result, const char* key, NcclRow& row) {
    const yaml::Node* half = result.get(key);
    if (half == nullptr || half->is_null() || (half->is_scalar() && half->text == "null")) {
        row.cells.insert(row.cells.end(), 3, "");
        return;
    }
    const yaml::Node* time = half->get("time");
    time = time == nullptr ? &half->required("cpu_time") : time;
    row.cells.push_back(time->as_string());
    for (const char* name : {"alg_bw", "bus_bw"}) {
        const yaml::Node& rate = half->required(name);
        row.cells.push_back(rate.as_string());
        if (rate.as_double() < 0) { rate.fail("a rate", ">= 0"); }
    }
    if (time->as_double() <= 0) { time->fail("a time", "above zero"); }
}

NcclRow row_of(const yaml::Node& result) {
    NcclRow row;
    row.place = result.place;
    row.size = result.required("size").as_int(0);
    row.count = result.required("count").as_int(0);
    add_triple(result, "out_of_place", row);
    add_triple(result, "in_place", row);
    return row;
}

std::vector<Measurement> read_nccl_tests_json(const LogText& log, const Statements& said) {
    const yaml::Node root = json_tree(log);
    const yaml::Node& config = root.required("config");
    NcclRun run;
    run.place = root.place;
    const yaml::Node* args = root.get("args");
    run.collective = nccl_collective(args == nullptr || args->items().empty() ? "" : args->items().front().as_string());
    run.nccl = nccl_version_of_code(root.required("nccl_version").as_int(0));
    run.env = nccl_environment(root);
    run.header = header_of(config);
    run.date = root.text_or("start_time");
    for (const yaml::Node& device : config.required("devices").items()) {
        ++run.ranks;
        run.hosts.insert(device.required("hostname").as_string());
        run.gpu = device.required("device_info").as_string();
    }
    // Without MPI, only the first device of the process is listed.
    const auto driven = config.required("nthreads").as_int(1, 4096) * config.required("ngpus").as_int(1, 4096);
    run.ranks = std::max(run.ranks, static_cast<std::uint32_t>(driven));
    for (const yaml::Node& result : root.required("results").items()) {
        run.rows.push_back(row_of(result));
        run.dtype = result.required("type").as_string();
        run.redop = result.required("redop").as_string();
    }
    run.in_place = true;
    const yaml::Node& bounds = root.required("out_of_bounds").required("okay");
    if (!bounds.as_bool()) { bounds.fail("the run failed its own check of the data"); }
    if (const std::size_t asked = rows_asked(run.header); asked != 0 && asked != run.rows.size()) {
        root.required("results").fail("rows are missing", std::to_string(asked) + ", as its options ask for");
    }
    return {measurement_of(run, log, said)};
}

bool is_nccl_tests_json(std::string_view t) { return is_json(t) && holds(t, "\"out_of_place\""); }

}  // namespace

extern const LogFormat nccl_tests_json = {"nccl-tests-json", "nccl-tests' -J file", false, is_nccl_tests_json,
                                          read_nccl_tests_json};

}  // namespace fabricast::inline validate_import::formats
