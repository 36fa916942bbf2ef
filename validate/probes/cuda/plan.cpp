#include "cuda/plan.hpp"

#include <algorithm>
#include <numeric>

namespace probe {
namespace {

std::string place(int device) { return device == host ? "host" : "gpu" + std::to_string(device); }

CopyTest one_way(int from, int to, Method method, Memory memory) {
    return {{{from, to}}, method, memory, name_of({from, to})};
}

CopyTest both_ways(int a, int b, Method method, Memory memory) {
    return {{{a, b}, {b, a}}, method, memory, place(a) + "<->" + place(b)};
}

void plan_host(const GpuSet& gpus, const CopyChoice& choice, std::vector<CopyTest>& tests) {
    CopyTest down = {{}, Method::engine, Memory::pinned, "host->all"};
    CopyTest up = {{}, Method::engine, Memory::pinned, "all->host"};
    for (int gpu = 0; gpu < gpus.count; ++gpu) {
        if (choice.one_way) {
            for (const Memory memory : {Memory::pinned, Memory::pageable}) {
                if (memory == Memory::pageable && !choice.pageable) { continue; }
                tests.push_back(one_way(host, gpu, Method::engine, memory));
                tests.push_back(one_way(gpu, host, Method::engine, memory));
            }
            tests.push_back(one_way(host, gpu, Method::kernel_read, Memory::pinned));
            tests.push_back(one_way(gpu, host, Method::kernel_write, Memory::pinned));
        }
        if (choice.both_ways) { tests.push_back(both_ways(host, gpu, Method::engine, Memory::pinned)); }
        down.paths.push_back({host, gpu});
        up.paths.push_back({gpu, host});
    }
    if (choice.all_at_once && gpus.count > 1) {
        tests.push_back(down);
        tests.push_back(up);
    }
}

void plan_peers(const GpuSet& gpus, const CopyChoice& choice, std::vector<CopyTest>& tests) {
    CopyTest all = {{}, Method::engine, Memory::device, "all pairs"};
    bool all_reach = true;
    for (int a = 0; a < gpus.count; ++a) {
        for (int b = 0; b < gpus.count; ++b) {
            if (a == b) { continue; }
            const bool reach = gpus.reach(a, b) && gpus.reach(b, a);
            all_reach = all_reach && reach;
            all.paths.push_back({a, b});
            for (const Method method : {Method::engine, Method::kernel_read, Method::kernel_write}) {
                if (method != Method::engine && !reach) { continue; }
                if (choice.one_way) { tests.push_back(one_way(a, b, method, Memory::device)); }
                if (choice.both_ways && a < b) { tests.push_back(both_ways(a, b, method, Memory::device)); }
            }
        }
    }
    if (choice.all_at_once && gpus.count > 2) {
        tests.push_back(all);
        if (all_reach) {
            all.method = Method::kernel_write;
            tests.push_back(all);
        }
    }
}

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64 (Steele, Lea, Flood 2014)
    std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

}  // namespace

std::vector<CopyTest> plan_copies(const GpuSet& gpus, const CopyChoice& choice) {
    std::vector<CopyTest> tests;
    if (choice.to_host) { plan_host(gpus, choice, tests); }
    for (int gpu = 0; choice.local && choice.one_way && gpu < gpus.count; ++gpu) {
        tests.push_back(one_way(gpu, gpu, Method::engine, Memory::device));
        tests.push_back(one_way(gpu, gpu, Method::kernel_write, Memory::device));
    }
    if (choice.peers) { plan_peers(gpus, choice, tests); }
    return tests;
}

std::string name_of(const Path& path) { return place(path.from) + "->" + place(path.to); }

bool GpuSet::reach(int threads, int memory) const {
    return threads == host || memory == host ||
           reaches[static_cast<std::size_t>(threads)][static_cast<std::size_t>(memory)];
}

bool can_be_gated(const CopyTest& test, const GpuSet& gpus) {
    return test.memory != Memory::pageable && std::all_of(test.paths.begin(), test.paths.end(), [&](const Path& path) {
               return path.from == path.to || (gpus.reach(path.from, path.to) && gpus.reach(path.to, path.from));
           });
}

int runs_on(const Path& path, Method method) {
    const auto [wanted, other] = method == Method::kernel_read ? Path{path.to, path.from} : path;
    return wanted == host ? other : wanted;
}

int rotation_slots(std::uint64_t bytes, std::uint64_t cache_bytes, int iterations) {
    constexpr std::uint64_t affordable = std::uint64_t{256} << 20U;
    const std::uint64_t wanted = std::max(1 + (2 * cache_bytes + bytes - 1) / bytes, affordable / bytes);
    return static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(std::max(iterations, 1))));
}

std::vector<std::uint64_t> pointer_cycle(std::size_t elements, std::size_t stride, std::uint64_t seed) {
    std::vector<std::size_t> order(elements);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = elements; i-- > 1;) { std::swap(order[i], order[next_random(seed) % i]); }
    std::vector<std::uint64_t> cycle(elements * stride, 0);
    for (std::size_t i = 0; i < elements; ++i) { cycle[i * stride] = order[i] * stride; }
    return cycle;
}

std::uint64_t walk(const std::vector<std::uint64_t>& cycle, std::uint64_t steps) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < steps; ++i) { at = cycle[at]; }
    return at;
}

}  // namespace probe
