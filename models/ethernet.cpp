#include "models/ethernet.hpp"

#include <array>
#include <cmath>

namespace fabricast::inline models {

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
        if (rate <= Rate::megabits(row.megabits)) { return row.quanta; }
    }
    const double times = rate.bytes_per_second() / Rate::megabits(table.back().megabits).bytes_per_second();
    return static_cast<std::int64_t>(std::ceil(times * static_cast<double>(table.back().quanta)));
}

}  // namespace pfc

}  // namespace fabricast::inline models
