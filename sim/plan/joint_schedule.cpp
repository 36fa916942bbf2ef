#include "sim/plan/joint_schedule.hpp"

#include <map>
#include <span>
#include <utility>

namespace fabricast::inline plans {

namespace {

using Dependency = Schedule::Dependency;

// The edges as devices, whatever fabric asks for them: rings and pairs count the ranks of the job's own.
EdgeSet on_devices(const EdgeSet& set, const Fabric& own) {
    if (!std::holds_alternative<NodeRing>(set) && !std::holds_alternative<AllPairs>(set)) { return set; }
    return GeneratedEdges{
        edge_count(set), [set, own](const std::function<void(const Edge&)>& visit) { for_each_edge(set, own, visit); }};
}

class Joiner {
public:
    JointSchedule join(const std::vector<JobSide>& sides) {
        for (const JobSide& side : sides) { add(side); }
        return std::move(joint_);
    }

private:
    struct Offsets {
        std::uint32_t connections = 0, edge_sets = 0, stages = 0, occupancies = 0;
    };

    void add(const JobSide& side) {
        const Schedule& own = side.plan.schedule;
        const Offsets at = add_parts(own, side.fabric);
        hosts_.clear();
        std::vector<std::size_t>& ends = joint_.ends.emplace_back();
        const auto keep = [&](OpId op) {
            ends.push_back(joint_.schedule.kept.size());
            joint_.schedule.kept.push_back(op);
        };
        if (side.plan.timing) {
            const std::uint32_t first = add_operations(own, at, {});
            for (std::size_t i = 0; i < static_cast<std::size_t>(side.plan.timing->iterations); ++i) {
                keep(OpId{first + index(own.kept[i])});
            }
            return;
        }
        std::vector<Dependency> before;
        for (std::size_t time = 0; time < side.times; ++time) {
            const std::uint32_t first = add_operations(own, at, before);
            const OpId end = joint_.schedule.add(Delay{host(0xffffffffU), {}}, last_of(own, first));
            before = {{end, DependsOn::finish}};
            keep(end);
        }
    }

    Offsets add_parts(const Schedule& own, const Fabric& fabric) {
        Schedule& all = joint_.schedule;
        const auto size = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
        const Offsets at{size(all.connections), size(all.edge_sets), size(all.stages), size(all.occupancies)};
        all.connections.insert(all.connections.end(), own.connections.begin(), own.connections.end());
        for (const EdgeSet& set : own.edge_sets) { all.edge_sets.push_back(on_devices(set, fabric)); }
        all.stages.insert(all.stages.end(), own.stages.begin(), own.stages.end());
        all.occupancies.insert(all.occupancies.end(), own.occupancies.begin(), own.occupancies.end());
        return at;
    }

    // Hosts are the job's own: only equality matters.
    std::uint32_t host(std::uint32_t own) {
        const auto [place, fresh] = hosts_.try_emplace(own, next_host_);
        next_host_ += fresh ? 1 : 0;
        return place->second;
    }

    // Operations that wait for nothing wait for `before`. Returns the number of the first.
    std::uint32_t add_operations(const Schedule& own, const Offsets& at, std::span<const Dependency> before) {
        Schedule& all = joint_.schedule;
        const auto first = static_cast<std::uint32_t>(all.size());
        std::vector<Dependency> after;
        for (std::uint32_t op = 0; op < own.size(); ++op) {
            after.clear();
            for (std::size_t i = 0; i < own.dependency_count(OpId{op}); ++i) {
                const Dependency d = own.dependency(OpId{op}, i);
                after.push_back({OpId{first + index(d.op)}, d.when});
            }
            const std::span<const Dependency> waits = after.empty() ? before : after;
            const std::uint32_t detail = own.detail(OpId{op});
            switch (own.kind(OpId{op})) {
                case OpKind::transfer: {
                    Transfer transfer = own.transfers[detail];
                    transfer.connection += at.connections;
                    all.add(transfer, waits);
                    break;
                }
                case OpKind::pipeline: {
                    Pipeline pipeline = own.pipelines[detail];
                    pipeline.edges += at.edge_sets;
                    pipeline.first_stage += at.stages;
                    pipeline.first_occupancy += at.occupancies;
                    all.add(pipeline, waits);
                    break;
                }
                case OpKind::compute: all.add(own.computes[detail], waits); break;
                case OpKind::delay: all.add(Delay{host(own.delays[detail].host), own.delays[detail].duration}, waits);
            }
        }
        return first;
    }

    // The operations of a copy that nothing of it waits for.
    static std::vector<Dependency> last_of(const Schedule& own, std::uint32_t first) {
        std::vector<bool> waited(own.size());
        for (std::uint32_t op = 0; op < own.size(); ++op) {
            for (std::size_t i = 0; i < own.dependency_count(OpId{op}); ++i) {
                waited[index(own.dependency(OpId{op}, i).op)] = true;
            }
        }
        std::vector<Dependency> last;
        for (std::uint32_t op = 0; op < own.size(); ++op) {
            if (!waited[op]) { last.push_back({OpId{first + op}, DependsOn::finish}); }
        }
        return last;
    }

    JointSchedule joint_;
    std::map<std::uint32_t, std::uint32_t> hosts_;  // of the job that is being added
    std::uint32_t next_host_ = 0;
};

}  // namespace

JointSchedule joint_schedule(const std::vector<JobSide>& sides) { return Joiner().join(sides); }

}  // namespace fabricast::inline plans
