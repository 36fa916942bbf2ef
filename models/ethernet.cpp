#include "models/ethernet.hpp"

#include <array>
#include <cmath>

namespace fabricast {

namespace roce {

Bytes path_mtu(Bytes ip_mtu, Ip ip) {
    const Bytes around = (ip == Ip::v4 ? ipv4 : ipv6) + udp + bth + reth + icrc;
    Bytes mtu{4096};
    while (mtu + around > ip_mtu && mtu.count > 256) {
        mtu.count /= 2;
    }
    return mtu;
}

}  // namespace roce

roce::Options roce_options(const Part& part) {
    const std::string ip = part.word_or("ip", "v4");
    const std::string vlan = part.word_or("vlan", "no");
    if ((ip != "v4" && ip != "v6") || (vlan != "yes" && vlan != "no")) {
        throw CatalogError("part '" + part.name + "': 'ip' is v4 or v6, 'vlan' is yes or no (found '" + ip + "', '" +
                           vlan + "')");
    }
    return {.ip = ip == "v4" ? roce::Ip::v4 : roce::Ip::v6, .vlan = vlan == "yes"};
}

namespace pfc {

std::int64_t response_quanta(Rate rate) {
    struct Row {
        std::int64_t megabits;
        std::int64_t quanta;
    };
    static constexpr std::array<Row, 5> table = {
        {{10'000, 60}, {25'000, 80}, {40'000, 118}, {100'000, 394}, {400'000, 905}}};
    for (const Row& row : table) {
        if (rate <= Rate::megabits(row.megabits)) {
            return row.quanta;
        }
    }
    const double times = rate.bytes_per_second() / Rate::megabits(table.back().megabits).bytes_per_second();
    return static_cast<std::int64_t>(std::ceil(times * static_cast<double>(table.back().quanta)));
}

Bytes headroom(const HeadroomInputs& inputs) {
    const double cable = 2 * inputs.metres * inputs.seconds_per_metre * inputs.rate.bytes_per_second();
    const Bytes reaction{response_quanta(inputs.rate) * quantum_bits / 8};
    return inputs.mtu + frame + Bytes{static_cast<std::int64_t>(std::ceil(cable - 1e-6))} + reaction + inputs.mtu;
}

std::int64_t headroom_cells(Bytes headroom, Bytes smallest_packet, Bytes cell) {
    const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    return up(headroom.count, smallest_packet.count) * up(smallest_packet.count, cell.count);
}

}  // namespace pfc

}  // namespace fabricast
