#pragma once
// The schedule's dependencies inverted: which operations wait for an operation, and for how many others each of them
// still waits.

#include <cstdint>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline engine_common {

class Dependents {
public:
    explicit Dependents(const Schedule& schedule) : begin_(schedule.size() + 1, 0), waiting_(schedule.size(), 0) {
        const auto operations = static_cast<std::uint32_t>(schedule.size());
        for (std::uint32_t op = 0; op < operations; ++op) {
            const std::size_t count = schedule.dependency_count(OpId{op});
            waiting_[op] = static_cast<std::uint32_t>(count);
            for (std::size_t i = 0; i < count; ++i) { ++begin_[index(schedule.dependency(OpId{op}, i).op)]; }
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& begin : begin_) {
            begin += sum;
            sum = begin;
        }
        dependent_.resize(sum);
        // Here begin_ contains the end of each list; filling the lists from the back turns it into the begin and keeps
        // each list in order of id.
        for (std::uint32_t op = operations; op-- > 0;) {
            for (std::size_t i = schedule.dependency_count(OpId{op}); i-- > 0;) {
                const Schedule::Dependency d = schedule.dependency(OpId{op}, i);
                dependent_[--begin_[index(d.op)]] = op | (d.when == DependsOn::release ? release_bit : 0U);
            }
        }
    }

    // Operation `op` reached `event`; calls ready(op) for each operation that now waits for nothing.
    template <class Ready> void reached(OpId op, DependsOn event, Ready&& ready) {
        for (std::uint32_t d = begin(op); d < end(op); ++d) {
            const bool on_release = (dependent_[d] & release_bit) != 0;
            if (on_release == (event == DependsOn::release) && --waiting_[dependent_[d] & ~release_bit] == 0) {
                ready(OpId{dependent_[d] & ~release_bit});
            }
        }
    }

    // Both events at once, for operations that are released when they finish.
    template <class Ready> void finished(OpId op, Ready&& ready) {
        for (std::uint32_t d = begin(op); d < end(op); ++d) {
            if (--waiting_[dependent_[d] & ~release_bit] == 0) { ready(OpId{dependent_[d] & ~release_bit}); }
        }
    }

    std::uint32_t waiting(OpId op) const { return waiting_[index(op)]; }

private:
    static constexpr std::uint32_t release_bit = 0x80000000U;

    std::uint32_t begin(OpId op) const { return begin_[index(op)]; }
    std::uint32_t end(OpId op) const { return begin_[index(op) + 1]; }

    std::vector<std::uint32_t> begin_, dependent_, waiting_;
};

}  // namespace fabricast::inline engine_common
