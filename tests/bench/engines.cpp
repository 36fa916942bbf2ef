#include <chrono>
#include <cstdio>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/tiny_clusters.hpp"
using namespace fabricast;
template <class F>
double timed(F&& f) {
    auto t = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}
static std::vector<DeviceId> nics(const Fabric& f) {
    std::vector<DeviceId> d;
    for (std::uint32_t n = 0; n < f.node_count(); ++n) d.push_back(f.nic(n, 0));
    return d;
}
int main(int argc, char** argv) {
    auto mk = [&](std::uint32_t n, FabricSpec s) { return Fabric(tiny::cluster(n, 1, s)); };
    FabricSpec star = tiny::fabric(FabricKind::single_switch, 2048);
    const char* which = argc > 1 ? argv[1] : "";
    auto run = [&](const char* name, const Fabric& f, auto make) {
        if (*which && std::string(name).find(which) == std::string::npos) return;
        double b = 0;
        Timeline t;
        std::size_t ops = 0;
        double all = timed([&] {
            Schedule s;
            b = timed([&] { s = make(); });
            ops = s.size();
            t = replay(Flow{}, f, s);
        });
        std::printf("%s: %.4f s (build %.4f) ops %zu makespan %.6f ms solves %llu\n", name, all, b, ops,
                    to_seconds(t.makespan) * 1e3, (unsigned long long)t.solves);
    };
    Fabric f1024 = mk(1024, star), f256 = mk(256, star), f64 = mk(64, star);
    for (int k = 0; k < 2; ++k) {
        run("ring1024", f1024, [&] { return testing::ring(nics(f1024), 2 * 1023, 1000000000 / 1024); });
        run("ring1024j", f1024, [&] { return testing::ring(nics(f1024), 2 * 1023, 1000000000 / 1024, 0.1); });
        run("a2a256", f256, [&] { return testing::all_to_all(nics(f256), 1000000000 / 256); });
        FabricSpec ft = tiny::fabric(FabricKind::fat_tree, 32);
        ft.choice = PathChoice::ecmp;
        Fabric fft = mk(256, ft);
        FabricSpec fa = tiny::fabric(FabricKind::fat_tree, 32);
        Fabric ffa = mk(256, fa);
        if (argc > 1) {
            run("star256j", f256, [&] { return testing::all_to_all(nics(f256), 1000000000 / 256, 0.5); });
            run("ft256j", fft,
                [&] { return testing::all_to_all(nics(fft), 1000000000 / 256, 0.5, nanoseconds(40000000)); });
            run("fa256j", ffa,
                [&] { return testing::all_to_all(nics(ffa), 1000000000 / 256, 0.5, nanoseconds(40000000)); });
        }
        run("a2a64j", f64, [&] { return testing::all_to_all(nics(f64), 1000000000 / 64, 0.5); });
    }
}
