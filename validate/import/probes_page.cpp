#include "validate/import/probes_page.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "validate/import/series.hpp"

namespace fabricast {
namespace {

constexpr std::string_view head = R"(# Probes

Programs that measure real transfers, and the one file that each brings home. This page is made by `./dev docs` from
`validate/measurements/`: the tables below say what was compiled and what was run, nothing else does.

The probes are a project of their own, in C++17, without any of fabricast's libraries; what is missing on a machine is
named and left out:

```text
cmake -S validate/probes -B build-probes && cmake --build build-probes
-- probe-ucx: built with UCX 1.13
-- probe-cuda: left out: no nvcc in its usual place or on the path (CUDA Toolkit 11.8 to 13)
```

| probe | measures |
|---|---|
| `probe-cuda` | host and device (pinned, pageable), within a device, between devices: by copy engine and by kernels of 16 B loads or stores; one way, both ways, all paths at once; pointer chases, small copies, launches and events |
| `probe-nccl` | nccl-tests' collectives with its sizes and bus-bandwidth rule, per `NCCL_ALGO` and `NCCL_PROTO`; one process, or many under mpirun |
| `probe-rdma` | send, write (`put`) and read (`get`) over reliable connections, latency and rate, both directions, several queue pairs, host and GPU memory; what registration costs |
| `probe-ucx` | the same sweep over UCX: shared memory, TCP, RDMA, whatever it is told to use |

`--help` lists each one's options. Exit codes are fabricast's: 0 whole, 1 failed, 2 bad arguments, 4 no such device, 130
stopped by Ctrl-C (whole rows are kept).

)";

constexpr std::string_view tail = R"(
## What a row says

The file is a [measurement file](measurements.md). The columns before `round` are labels: rows with the same labels are
one curve, and readers (`compare`, `calibrate`) take each as a measurement of its own. `round` counts the passes over the
whole sweep, so that a slow minute shows; `time_us` is the median over `samples`, each the mean of `iterations`
transfers; the quartiles and the extremes stand beside it. Wrong bytes end the run: `checked_bytes` were compared with
what was sent. `probe-cuda` compares every copy of a sample, `probe-ucx` and `probe-rdma` after every sample what lies in
each slot of the buffers, `probe-nccl` a collective before and one after the samples with what it must give.

- `latency`: of `send`, half of a round trip of two messages; of `put` and `get`, from the post until it is known to be
  complete, which is a round trip of the wire.
- `rate`: per message, with up to `--window` messages (and at most 8 MiB) in flight until the last is acknowledged.
  `both` sends both ways at once; `size_bytes` and `rate_GBps` are of one direction.
- `copy` (`probe-cuda`): every path of the row moves `size_bytes`; the time ends with the slowest path. What can be is
  queued behind a closed gate and timed by events on the device; pageable copies by the host's clock. Buffers are walked
  through so that no cache holds the next one.
- `chase`: one load of a random cycle. `copy_and_wait`: a small copy and the wait for it. `overhead`: a launch's call,
  its end, the gap between two kernels, an event.
- `register`, `deregister` (`probe-rdma`): by size; the cost of a page is the slope.

## Two borrowed nodes, one file

On both nodes, build as above; NCCL and MPI are found beside the toolkit, or under `NCCL_HOME`. Then on the first, for
collectives over both (`--network` and `--nic` become the file's words; nothing else tells fabricast what the wire is):

```text
mpirun -n 16 --host node-a:8,node-b:8 build-probes/bin/probe-nccl --name borrowed \
    --algorithms auto,Ring,Tree --protocols auto --network "InfiniBand NDR" --nic "ConnectX-7" --nics 8 \
    --output borrowed.yaml
```

At home, that one file sizes the cluster: `fabricast compare --measured borrowed.yaml` shows each curve beside its
forecast, `fabricast calibrate borrowed.yaml -o borrowed-overlay.yaml` makes of it what `--calibration` takes.

To see below NCCL, the two ends of a wire by themselves; the listening end ends with the other:

```text
node-b$ build-probes/bin/probe-rdma --listen
node-a$ build-probes/bin/probe-rdma --peer node-b --queue-pairs 1,4 --memory gpu --name borrowed
node-b$ build-probes/bin/probe-ucx --listen
node-a$ build-probes/bin/probe-ucx --peer node-b --transports tcp,rc --name borrowed
node-a$ build-probes/bin/probe-cuda --name borrowed
```

GPU memory is registered by dma-buf where driver and kernel can, else through nvidia-peermem; the `memory` label says
which it was. The side channel (`--port`, 18591) carries orders and addresses, no transfers: open it to the other node
only.

## What is run in the tests

`./dev test` builds the probes, runs `probe-ucx` over shared memory and TCP loopback, reads its file back, and asserts
that data were right and that links fitted to the first round forecast the second within a factor of three. The logic of
`probe-rdma` (connections, queues, checks) runs against a fake HCA; where CUDA's and NCCL's headers are, the host side of
`probe-cuda` and `probe-nccl` runs whole over a CUDA and an NCCL in memory (kernels and devices do not: see the table
for where those ran). `./dev accuracy` runs `probe-ucx` again and prints `ucx_self_median_pct`, how far links
fitted to even rounds are from the odd ones, beside `ucx_self_noise_pct`, how far rounds are from each other.
`./dev probes` builds the probes and records for this page what they were compiled with:

```sh
./dev probes
```
)";

std::string_view probe_of(const Measurement& m) { return text(m.source, "probe"); }

// "NVIDIA H100, 2 nodes" or the processor: what the file states.
std::string system_line(const Measurement& m) {
    std::string line;
    for (const std::string_view key : {"gpu", "nic", "cpu"}) {
        if (const std::string_view words = text(m.system, key); !words.empty()) {
            line += (line.empty() ? "" : "; ") + std::string(words);
        }
    }
    const std::string_view nodes = text(m.system, "nodes");
    return line + (nodes.empty() || nodes == "1" ? "" : "; " + std::string(nodes) + " nodes");
}

std::string software_line(const Measurement& m) {
    std::string line;
    for (const auto& [key, name] :
         {std::pair("nccl", "NCCL "), std::pair("cuda", "CUDA "), std::pair("driver", "driver "),
          std::pair("ucx", "UCX "), std::pair("rdma_core", "libibverbs "), std::pair("compiler", ""),
          std::pair("kernel", "")}) {
        if (const std::string_view words = text(m.software, key); !words.empty()) {
            line += (line.empty() ? "" : ", ") + std::string(name) + std::string(words);
        }
    }
    return line;
}

std::string runs_cell(const std::string& probe, const std::vector<Measurement>& runs) {
    std::string cell;
    for (const Measurement& m : runs) {
        if (probe_of(m) == probe) {
            cell += (cell.empty() ? "" : "<br>") + std::string(text(m.source, "date").substr(0, 10)) + ", " +
                    system_line(m);
        }
    }
    return cell.empty() ? "**never run**" : cell;
}

}  // namespace

ProbeBuilds read_probe_builds(const std::filesystem::path& path) {
    const yaml::Node root = yaml::read(path);
    root.allow({"compiler", "probes"});
    ProbeBuilds builds;
    builds.compiler = root.required("compiler").as_string();
    for (const yaml::Node& probe : root.required("probes").members()) {
        builds.probes.push_back({probe.name, probe.as_string()});
    }
    return builds;
}

std::vector<Measurement> probe_runs(const std::filesystem::path& measurements) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(measurements)) {
        if (entry.path().extension() == ".yaml" && entry.path().parent_path() != measurements &&
            !is_training_table(entry.path())) {
            files.insert(entry.path());
        }
    }
    std::vector<Measurement> runs;
    for (const std::filesystem::path& file : files) {
        if (Measurement m = read_measurement(file); !probe_of(m).empty()) {
            runs.push_back(std::move(m));
        }
    }
    return runs;
}

std::string probes_page(const ProbeBuilds& builds, const std::vector<Measurement>& runs) {
    std::string page(head);
    page += "## Compiled with what, run on what\n\nCompiled by " + builds.compiler +
            ".\n\n| probe | compiled | run |\n|---|---|---|\n";
    for (const ProbeBuild& one : builds.probes) {
        page += "| `" + one.probe + "` | " + one.told + " | " + runs_cell(one.probe, runs) + " |\n";
    }
    page += "\n| file | curves | rows | software |\n|---|---|---|---|\n";
    for (const Measurement& m : runs) {
        page += "| `" + std::filesystem::path(m.file).filename().string() + "` | " +
                std::to_string(split_series(m).size()) + " | " + std::to_string(m.rows.size()) + " | " +
                software_line(m) + " |\n";
    }
    return page + std::string(tail);
}

}  // namespace fabricast
