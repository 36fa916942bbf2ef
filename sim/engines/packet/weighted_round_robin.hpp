#pragma once
// Chooses the next of the lanes that share a wire: weighted round robin in two priorities, like InfiniBand's VL
// arbitration (IBTA Vol. 1 section 7.6.9.2).

#include <cstdint>
#include <utility>
#include <vector>

namespace fabricast::inline packet {

class WeightedRoundRobin {
public:
    static constexpr int no_limit = 255;

    // Weights in blocks of 64 B; `high`: bits of the lanes of high priority, which may send no more than `limit` times
    // 4 KiB while another lane waits.
    WeightedRoundRobin(std::vector<std::int32_t> weights, std::uint32_t high, int limit)
        : weights_(std::move(weights)), high_(high), limit_(limit) {
        for (Table& table : tables_) {
            table.lane = static_cast<std::uint32_t>(weights_.size() - 1);  // the first begins
        }
    }

    // Precondition: `ready` has a bit of at least one lane.
    std::uint32_t next(std::uint32_t ready) const {
        const std::uint32_t high = ready & high_;
        const std::uint32_t low = ready & ~high_;
        const bool high_goes = high != 0 && (low == 0 || limit_ == no_limit || high_bytes_ == 0 ||
                                             high_bytes_ < std::int64_t{limit_} * 4096);
        return following(high_goes ? high : low, tables_[high_goes ? 0 : 1]);
    }

    void sent(std::uint32_t lane, std::uint32_t bytes) {
        const bool high = (high_ >> lane & 1U) != 0;
        Table& table = tables_[high ? 0 : 1];
        if (table.lane != lane || table.left <= 0) { table = {lane, weights_[lane]}; }
        table.left -= static_cast<std::int32_t>((bytes + 63) / 64);
        high_bytes_ = high ? high_bytes_ + bytes : 0;
    }

private:
    struct Table {
        std::uint32_t lane = 0;  // whose turn it is
        std::int32_t left = 0;   // what is left of its weight
    };

    std::uint32_t following(std::uint32_t lanes, const Table& table) const {
        if ((lanes >> table.lane & 1U) != 0 && table.left > 0) { return table.lane; }
        const auto count = static_cast<std::uint32_t>(weights_.size());
        std::uint32_t lane = table.lane;
        do { lane = (lane + 1) % count; } while ((lanes >> lane & 1U) == 0);
        return lane;
    }

    std::vector<std::int32_t> weights_;
    std::uint32_t high_;
    int limit_;
    Table tables_[2];  // of high priority, of low priority
    std::int64_t high_bytes_ = 0;
};

}  // namespace fabricast::inline packet
