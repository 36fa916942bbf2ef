// Our own YAML form of a Recording.

#include "base/text_file.hpp"
#include "base/yaml.hpp"
#include "sim/plan/traces/recording_file.hpp"
#include "sim/plan/traces/trace_format.hpp"

namespace fabricast {

namespace {

void read(InputFile& file, Recording& recording, const ReadProgress&, Bytes) {
    read_recording(read_rest(file, yaml::max_file_bytes), file.path().string(), recording);
}

bool fits(const TraceStart& start) {
    return !start.json && (start.text.starts_with("recording:") || start.holds("\nrecording:"));
}

}  // namespace

namespace formats {
extern const TraceFormat recording = {"recording", "our own", true, fits, read};
}  // namespace formats

}  // namespace fabricast
