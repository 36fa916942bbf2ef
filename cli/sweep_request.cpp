#include "cli/sweep_request.hpp"

#include <algorithm>

#include "base/sqlite.hpp"
#include "base/text.hpp"
#include "sim/run/sweep/result.hpp"

namespace fabricast::cli {

namespace {

Shard shard_of(const std::string& text) {
    const std::size_t slash = std::min(text.find('/'), text.size() - 1);
    const auto index = number_in<std::size_t>(text.substr(0, slash));
    const auto count = number_in<std::size_t>(text.substr(slash + 1));
    if (!index || !count || *index < 1 || *index > *count) {
        throw UsageError(error_message("--shard takes a part of a whole", shown(text), "1/8 to 8/8"));
    }
    return {*index - 1, *count};
}

}  // namespace

Options sweep_options() {
    return joined_options(
        {{
             {"vary", texts_value("PATH=V1,V2..."), "a key and its values; repeatable: every combination is a point"},
         },
         scenario_options(),
         {
             {"out", text_value("FILE"), "write the result: .csv, .tsv, .sqlite, or - for CSV on standard output"},
             {"html", text_value("FILE"), "write a report to hand over"},
             {"resume", {}, "go on where a sweep with this --out was ended"},
             {"shard", text_value("I/N"), "run only the I-th of N parts, from 1; needs --out"},
             {"merge", {}, "run nothing: put the journals of all shards together into --out"},
             {"threads", whole_value("N"), "points to run side by side (default and 0: every core)"},
             {"quiet", {}, "print no table and no progress"},
         }});
}

SweepRequest sweep_request(const po::variables_map& values) {
    SweepRequest request;
    request.to_stdout = text_of(values, "out") == "-";
    request.out = request.to_stdout ? "" : text_of(values, "out");
    request.html = text_of(values, "html");
    request.resume = values.contains("resume");
    request.merge = values.contains("merge");
    request.quiet = values.contains("quiet");
    request.progress = wants_progress(values);
    request.threads = threads_of(values);
    if (values.contains("shard")) { request.shard = shard_of(text_of(values, "shard")); }
    if (request.out.empty() && (request.resume || request.merge || request.shard)) {
        throw UsageError("--resume, --shard and --merge go with --out FILE");
    }
    if (request.shard && request.merge) { throw UsageError("--merge puts all shards together: it takes no --shard"); }
    return request;
}

void check_out(const std::filesystem::path& out) {
    if (out.empty()) { return; }
    const std::optional<ResultKind> kind = result_kind(out);
    if (!kind) {
        throw UsageError(
            error_message("--out has no known ending", shown(out.string()), "a name in .csv, .tsv or .sqlite"));
    }
    if (kind == ResultKind::sqlite && !has_sqlite()) {
        throw MissingSqlite(out.string() + ": this build has no SQLite (accepted: a name that ends in .csv)");
    }
}

}  // namespace fabricast::cli
