#pragma once
// The rates of the classes that are active now. Changes are collected and take effect together at `settle`, which
// solves again only the parts of the network whose load has changed on balance: if one member of a class leaves and
// another one enters in the same tick, nothing is solved.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/flow/maxmin.hpp"

namespace fabricast::inline flow {

class Shares {
public:
    explicit Shares(const Network& network);

    // Adds (or with a negative count removes) members of a class; takes effect at the next settle.
    void change(std::uint32_t cls, double members) {
        State& state = states_[cls];
        state.members += members;
        touch(cls);
    }
    // Makes the next settle return the class, whether or not its rate changes.
    void touch(std::uint32_t cls) {
        if (!states_[cls].touched) {
            states_[cls].touched = true;
            touched_.push_back(cls);
        }
    }
    void set_capacity(std::uint32_t row, double capacity) {
        rows_[row].capacity = capacity;
        mark_dirty(row);
    }

    // Brings all rates up to date. Returns every class that was touched or has a new rate, each once, in a fixed order;
    // valid until the next call.
    std::span<const std::uint32_t> settle(Time now);

    // Of a class that shares no row: what its only member gets, and that there is one for so long, which nobody else
    // needs to be told of.
    double rate_alone(std::uint32_t cls) const {
        return std::min(network_.classes[cls].cap, network_.classes[cls].own_capacity);
    }
    void use_alone(std::uint32_t cls, Duration busy) {
        states_[cls].busy += busy;
        ++solves_;
    }

    double rate(std::uint32_t cls) const { return states_[cls].rate; }  // of one member, wire bytes per second
    double members(std::uint32_t cls) const { return states_[cls].members; }
    double capacity(std::uint32_t row) const { return rows_[row].capacity; }
    std::uint64_t solves() const { return solves_; }
    // Classes that were solved in large components although few of them changed: the work that CoupledFlows would save.
    std::uint64_t effort() const { return effort_; }
    void forget_effort() { effort_ = 0; }
    Duration busy_of_class(std::uint32_t cls) const { return states_[cls].busy; }
    Duration busy_of_row(std::uint32_t row) const { return rows_[row].busy; }

private:
    struct State {
        double members = 0, settled = 0, rate = 0;
        Time since;               // active since
        Duration busy;            // busy time before that
        std::uint32_t place = 0;  // where its range in places_ begins
        bool touched = false;
        bool visited = false;
    };
    struct User {
        std::uint32_t cls, crossing;
    };
    struct Row {
        std::vector<User> active;
        double capacity = 0;
        Time since;
        Duration busy;
        std::uint32_t local = 0;
        bool dirty = false;
    };

    void enter_or_leave(std::uint32_t cls, Time now);
    void mark_dirty(std::uint32_t row) {
        if (!rows_[row].dirty) {
            rows_[row].dirty = true;
            dirty_.push_back(row);
        }
    }
    void solve_component(std::uint32_t row);
    void set_rate(std::uint32_t cls, double rate);
    double cap_of(std::uint32_t cls) const {
        const FlowClass& c = network_.classes[cls];
        return std::min(c.cap, c.own_capacity / states_[cls].members);
    }

    const Network& network_;
    std::vector<State> states_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> places_;  // per class and shared crossing: its index in the row's `active`
    std::vector<std::uint32_t> touched_, result_, dirty_;
    std::uint64_t solves_ = 0;
    std::uint64_t effort_ = 0;

    // One component, in the form that the solver takes.
    MaxMin solver_;
    std::vector<std::uint32_t> classes_, component_rows_, end_, link_;
    std::vector<double> capacity_, times_, members_, cap_, rate_;
};

}  // namespace fabricast::inline flow
