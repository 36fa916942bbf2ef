#pragma once
// The running kernels of each device, and when each will end, given that collectives occupy a part of the device.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/ticks.hpp"

namespace fabricast::inline engine_common {

class Kernels {
public:
    Kernels(const Schedule& schedule, const DeviceLimits& limits) : schedule_(schedule), limits_(limits) {}

    void start(OpId op, Time now) {
        const Compute& kernel = schedule_.computes[schedule_.detail(op)];
        device_at(kernel.device, now).running.push_back({op, &kernel});
    }

    // From now on the pipeline holds its SMs, and moves its memory traffic in `seconds`; 0: it makes no progress.
    void hold(std::uint32_t pipeline, double seconds, Time now) {
        for (const Occupancy& occupancy : occupancies(pipeline)) {
            std::vector<Held>& held = device_at(occupancy.device, now).held;
            const double bandwidth = seconds > 0 ? occupancy.memory_bytes / seconds : 0;
            auto mine = std::ranges::find(held, pipeline, &Held::pipeline);
            mine = mine == held.end() ? held.insert(mine, {pipeline, {}}) : mine;
            mine->taken = {static_cast<double>(occupancy.sms), bandwidth};
        }
    }

    // The pipeline is over.
    void let_go(std::uint32_t pipeline, Time now) {
        for (const Occupancy& occupancy : occupancies(pipeline)) {
            std::erase_if(device_at(occupancy.device, now).held,
                          [&](const Held& held) { return held.pipeline == pipeline; });
        }
    }

    // Removes a device's kernels that have ended by now. Does nothing if `version` is not the latest prediction's.
    template <class Done> void take_due(std::uint32_t number, std::uint32_t version, Time now, Done&& done) {
        Device& device = devices_[number];
        if (device.version != version) { return; }
        std::erase_if(device.running, [&](const Running& kernel) {
            const bool ended = device.due(kernel) <= now;
            if (ended) { done(kernel.op); }
            return ended;
        });
        device.advance(now);
        mark_changed(number);
    }

    // New shares on devices where kernels or collectives came or went; calls predict(time, device, version) for each.
    template <class Predict> void update(Predict&& predict) {
        for (const std::uint32_t number : changed_) {
            Device& device = devices_[number];
            device.changed = false;
            device.version = (device.version + 1) % (1U << 28U);  // events carry 28 bits of the version
            if (device.running.empty()) { continue; }
            device.share(limits_);
            Time first = device.due(device.running.front());
            for (const Running& kernel : device.running) { first = std::min(first, device.due(kernel)); }
            predict(first, number, device.version);
        }
        changed_.clear();
    }

private:
    struct Running {
        OpId op;
        const Compute* kernel;
        double done = 0;     // share of the work done by the device's `last`
        double seconds = 0;  // from start to end at the present share
    };
    struct Held {
        std::uint32_t pipeline;
        Taken taken;
    };
    struct Device {
        std::vector<Running> running;
        std::vector<Held> held;
        std::vector<PaceChange> slow;
        Time last;
        std::uint32_t version = 0;
        bool changed = false;

        Time due(const Running& kernel) const {
            return when_passed(slow, last, std::max(0.0, 1 - kernel.done) * kernel.seconds);
        }
        void advance(Time now) {
            const double passed = to_seconds(healthy_time(slow, last, now));
            for (Running& kernel : running) { kernel.done += kernel.seconds > 0 ? passed / kernel.seconds : 0; }
            last = now;
        }
        void share(const DeviceLimits& limits) {
            std::vector<const Compute*> kernels;
            for (const Running& kernel : running) { kernels.push_back(kernel.kernel); }
            Taken taken;
            for (const Held& h : held) {
                taken.sms += h.taken.sms;
                taken.memory_bandwidth += h.taken.memory_bandwidth;
            }
            const std::vector<double> seconds = kernel_times(limits, kernels, taken);
            for (std::size_t k = 0; k < running.size(); ++k) { running[k].seconds = seconds[k]; }
        }
    };

    std::span<const Occupancy> occupancies(std::uint32_t pipeline) const {
        const Pipeline& p = schedule_.pipelines[pipeline];
        return std::span(schedule_.occupancies).subspan(p.first_occupancy, p.occupancy_count);
    }
    // The device, whose shares change now.
    Device& device_at(DeviceId id, Time now) {
        const auto [place, is_new] = numbers_.try_emplace(id, static_cast<std::uint32_t>(devices_.size()));
        if (is_new) { devices_.emplace_back().slow = limits_.slow[id]; }
        devices_[place->second].advance(now);
        mark_changed(place->second);
        return devices_[place->second];
    }
    void mark_changed(std::uint32_t number) {
        if (!devices_[number].changed) {
            devices_[number].changed = true;
            changed_.push_back(number);
        }
    }

    const Schedule& schedule_;
    DeviceLimits limits_;
    std::map<DeviceId, std::uint32_t> numbers_;
    std::vector<Device> devices_;
    std::vector<std::uint32_t> changed_;
};

}  // namespace fabricast::inline engine_common
