#pragma once
// Logs of benchmarks: real samples where there are some (a folder beside the sources), else fixtures that follow the
// tools' documentation.

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "tests/support/catch.hpp"
#include "validate/import/formats.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::test {

namespace fs = std::filesystem;

inline const fs::path samples = fs::path(FABRICAST_SOURCE_DIR) / "../shared/samples";
inline const fs::path fixtures = fs::path(FABRICAST_SOURCE_DIR) / "tests/validate/import";

struct Log {
    std::string file, format, text;
    bool footer = true;  // something is printed behind the last row
};

inline Log log_at(const fs::path& path, const std::string& format, bool footer = true) {
    return {path.filename().string(), format, read_text(path, 1 << 24), footer};
}

inline std::vector<Log> real_logs() {
    std::vector<Log> logs;
    const auto add = [&](const char* name, const char* format, bool footer = true) {
        if (fs::exists(samples / name)) { logs.push_back(log_at(samples / name, format, footer)); }
    };
    add("nccl-tests/superbench_nccl_allreduce.log", "nccl-tests");
    add("nccl-tests/superbench_nccl_allgather.log", "nccl-tests");
    add("nccl-tests/xxrjun_pair_N2_G1.log", "nccl-tests");
    add("nvbandwidth/nvbandwidth_results.log", "nvbandwidth");
    add("perftest/ib_loopback_all_sizes.log", "perftest");
    add("perftest/ib_write_bw_roce_oci.txt", "perftest");
    add("osu/osu_alltoall_gpu.txt", "osu", false);
    add("osu/osu_bw_gpu_internode.txt", "osu", false);
    add("osu/osu_bw_mpich.txt", "osu", false);
    return logs;
}

inline std::string refusal(const std::string& text, const std::string& file, const std::string& format = "auto") {
    try {
        import_log(text, file, format);
    } catch (const InputError& error) {
        CHECK(error.place->line >= 1);
        CHECK(error.place->column >= 1);
        CHECK(error.message.find('\n') == std::string::npos);
        return error.what();
    }
    return "";
}

inline const Log* named(const std::vector<Log>& logs, const std::string& file) {
    for (const Log& log : logs) {
        if (log.file == file) { return &log; }
    }
    report_skip("no sample " + file + " beside the sources");
    return nullptr;
}

inline std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace fabricast::test
