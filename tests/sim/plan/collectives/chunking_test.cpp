// Channels and chunks by size, against the kinks of published curves and NCCL's own arithmetic.

#include "sim/plan/collectives/nccl/chunking.hpp"

#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "tests/sim/plan/collectives/nodes.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::nccl;

namespace {

Release newest() { return release(catalogue(), parse_version("2.27")); }
// As far as NVLS goes.
TopologySearchResult eight_heads() {
    TopologySearchResult found;
    found.nvls_channels = 16;
    found.nvls.channels = 8;
    return found;
}
TopologySearchResult one_h100_node() { return search(all_algorithms(), test::h100_node(), 8, 1, 0, newest(), {}); }

}  // namespace

TEST_CASE("NVLS chunks grow at 8 MiB, 64 MiB and 1 GiB on eight H100, where measured curves kink") {
    const Shape shape{8, 1};
    const auto chunk = [&](double bytes, const Environment& environment = {}) {
        return nvls_chunk(newest(), environment, eight_heads(), shape, 16, bytes);
    };
    CHECK(chunk(8 * MiB - 1) == 16 * KiB);
    CHECK(chunk(8 * MiB) == 32 * KiB);
    CHECK(chunk(64 * MiB) == 64 * KiB);
    CHECK(chunk(GiB) == 128 * KiB);
    Environment aws;
    aws.nvls_chunk = 512 * KiB;  // the last kink moves to 4 GiB, as on AWS
    CHECK(chunk(4 * GiB - 1, aws) == 64 * KiB);
    CHECK(chunk(4 * GiB, aws) == 512 * KiB);
}

TEST_CASE("NVLSTree keeps to 64 KiB from four nodes on") {
    CHECK(nvls_chunk(newest(), {}, eight_heads(), {16, 2}, 16, 8 * GiB) == 128 * KiB);
    CHECK(nvls_chunk(newest(), {}, eight_heads(), {32, 4}, 16, 8 * GiB) == 64 * KiB);
    CHECK(nvls_chunk(newest(), {}, eight_heads(), {32, 4}, 16, 4 * MiB) == 32 * KiB);
}

TEST_CASE("LL uses one channel more for each 4 KiB a rank") {
    const Shape shape{8, 1};
    const auto used = [&](Proto proto, double bytes) {
        return channels_used(newest(), one_h100_node(), true, proto, Collective::all_reduce, shape, bytes);
    };
    CHECK(used(Proto::ll, 8) == 1);
    CHECK(used(Proto::ll, 64 * KiB) == 2);
    CHECK(used(Proto::ll, 256 * KiB) == 8);
    CHECK(used(Proto::ll, 16 * MiB) == 24);
    CHECK(used(Proto::simple, 256 * KiB) == 8);
}

TEST_CASE("slots hold what flags leave of them") {
    CHECK(slot_payload(newest(), {}, Proto::ll) == 32 * KiB);
    CHECK(slot_payload(newest(), {}, Proto::ll128) == 576000);
    CHECK(slot_payload(newest(), {}, Proto::simple) == 512 * KiB);
    CHECK(ring_chunk(newest(), {}, Proto::simple, Collective::all_reduce) == 2 * MiB);
    CHECK(ring_chunk(newest(), {}, Proto::simple, Collective::broadcast) == 512 * KiB);
    Environment small;
    small.buffer_bytes = 1 * MiB;
    CHECK(ring_chunk(newest(), small, Proto::simple, Collective::all_reduce) == 512 * KiB);
}

TEST_CASE("LL of a long ring has few threads: 8 B for each and each rank") {
    const auto threads = [&](Proto proto, double bytes) {
        return threads_used(newest(), one_h100_node(), true, proto, {128, 16}, bytes);
    };
    CHECK(threads(Proto::ll, 8) == 64);
    CHECK(threads(Proto::ll, 64 * KiB) == 64);
    CHECK(threads(Proto::ll, 128 * KiB) == 128);
    CHECK(threads(Proto::ll, MiB) == 512);
    CHECK(threads(Proto::simple, 64 * KiB) == 512);
}

TEST_CASE("LL128 trees halve their chunk while too few would fill the tree") {
    const Shape shape{16, 2};
    CHECK(tree_chunk(newest(), {}, Proto::ll128, shape, 16, 8 * GiB) == 576000);
    // 2.8 steps: 22.4 chunks a channel wanted above 128 KiB, 5.6 below it.
    CHECK(tree_chunk(newest(), {}, Proto::ll128, shape, 16, 16 * MiB) == Approx(576000 / 8.0));
    CHECK(tree_chunk(newest(), {}, Proto::ll128, shape, 16, 1 * MiB) == Approx(576000 / 32.0));
}

TEST_CASE("a pair's channels double with its bytes") {
    const TopologySearchResult found = one_h100_node();
    const auto pair = [&](const char* version, double bytes, const Shape& shape = {8, 1}) {
        return p2p_pair(release(catalogue(), parse_version(version)), {}, found, shape, bytes).channels;
    };
    // 32 channels for 8 ranks: 4 each, and more as parts pass 16 MiB: 16 up to 2.19, all 32 from 2.20 on. Eight B200
    // show it: 789, 796, 806 and 857 us from 64 to 512 MiB (validate/held-out, vultr-b200-1n8g-sendrecv).
    CHECK(pair("2.29", 1 * MiB) == 4);
    CHECK(pair("2.29", 64 * MiB) == 4);
    CHECK(pair("2.29", 65 * MiB) == 8);
    CHECK(pair("2.29", 512 * MiB) == 32);
    CHECK(pair("2.20", GiB) == 32);
    CHECK(pair("2.19", GiB) == 16);
    CHECK(pair("2.29", 1 * MiB, {2, 1}) == 16);
}

TEST_CASE("a pair inside a node sends short messages by LL, from 2.22 to 2.28 up to 16 KiB on each of its channels") {
    const TopologySearchResult found = one_h100_node();
    const auto longest = [&](const char* version, const Shape& shape = {8, 1}) {
        const Release then = release(catalogue(), parse_version(version));
        double bytes = 0;
        while (p2p_pair(then, {}, found, shape, bytes + KiB).ll) { bytes += KiB; }
        return bytes;
    };
    CHECK(longest("2.12") == 0);
    CHECK(longest("2.21") == 16 * KiB);
    CHECK(longest("2.27") == 32 * 16 * KiB);
    CHECK(longest("2.29") == 16 * KiB);
    CHECK(longest("2.27", {16, 2}) == 0);
    // LL's parts are an eighth of its slot of 64 KiB; Simple's an eighth of 512 KiB. Four channels for eight ranks.
    const auto channels = [&](const char* version, double bytes) {
        return p2p_pair(release(catalogue(), parse_version(version)), {}, found, {8, 1}, bytes).channels;
    };
    CHECK(channels("2.27", 8 * KiB) == 1);
    CHECK(channels("2.27", 32 * KiB) == 4);
    CHECK(channels("2.21", 32 * KiB) == 1);
    CHECK(channels("2.29", 128 * KiB) == 2);
}

TEST_CASE("the ranks that share channels between nodes limit a pair's from 2.20 on") {
    TopologySearchResult found = one_h100_node();
    found.p2p_channels = 32;
    const auto pair = [&](const char* version, int per_peer, double bytes, const Shape& shape) {
        found.p2p_channels_per_peer = per_peer;
        return p2p_pair(release(catalogue(), parse_version(version)), {}, found, shape, bytes).channels;
    };
    CHECK(pair("2.18", 2, MiB, {512, 64}) == 2);
    CHECK(pair("2.21", 2, MiB, {512, 64}) == 1);
    // 2.29: four channels, two to begin with, for 16 ranks; one for 512.
    CHECK(pair("2.29", 4, 256 * KiB, {16, 2}) == 2);
    CHECK(pair("2.29", 4, MiB, {16, 2}) == 4);
    CHECK(pair("2.29", 4, MiB, {512, 64}) == 1);
}
