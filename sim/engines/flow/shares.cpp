#include "sim/engines/flow/shares.hpp"

namespace fabricast::inline flow {

Shares::Shares(const Network& network)
    : network_(network), states_(network.classes.size()), rows_(network.capacity.size()) {
    std::uint32_t places = 0;
    for (std::size_t cls = 0; cls < states_.size(); ++cls) {
        states_[cls].place = places;
        places += network.classes[cls].end - network.classes[cls].shared;
    }
    places_.resize(places);
    for (std::size_t row = 0; row < rows_.size(); ++row) { rows_[row].capacity = network.capacity[row]; }
}

std::span<const std::uint32_t> Shares::settle(Time now) {
    result_.swap(touched_);
    touched_.clear();
    for (const std::uint32_t cls : result_) {
        State& state = states_[cls];
        if (state.members == state.settled) { continue; }
        if ((state.members > 0) != (state.settled > 0)) { enter_or_leave(cls, now); }
        state.settled = state.members;
        const FlowClass& c = network_.classes[cls];
        if (c.shared == c.end && state.members > 0) {
            set_rate(cls, cap_of(cls));
            ++solves_;
        }
        for (std::uint32_t x = c.shared; x < c.end; ++x) { mark_dirty(network_.crossing_row[x]); }
    }
    for (const std::uint32_t row : dirty_) {
        if (rows_[row].dirty) { solve_component(row); }
    }
    dirty_.clear();
    for (const std::uint32_t cls : result_) { states_[cls].touched = false; }
    return result_;
}

void Shares::enter_or_leave(std::uint32_t cls, Time now) {
    State& state = states_[cls];
    const FlowClass& c = network_.classes[cls];
    const bool enters = state.members > 0;
    if (enters) {
        state.since = now;
    } else {
        state.busy += now - state.since;
        state.rate = 0;
    }
    for (std::uint32_t x = c.shared; x < c.end; ++x) {
        Row& row = rows_[network_.crossing_row[x]];
        std::uint32_t& place = places_[state.place + (x - c.shared)];
        if (enters) {
            if (row.active.empty()) { row.since = now; }
            place = static_cast<std::uint32_t>(row.active.size());
            row.active.push_back({cls, x});
            continue;
        }
        const User moved = row.active.back();
        row.active[place] = moved;
        places_[states_[moved.cls].place + (moved.crossing - network_.classes[moved.cls].shared)] = place;
        row.active.pop_back();
        if (row.active.empty()) { row.busy += now - row.since; }
    }
}

void Shares::set_rate(std::uint32_t cls, double rate) {
    State& state = states_[cls];
    if (state.rate == rate) { return; }
    state.rate = rate;
    if (!state.touched) {
        state.touched = true;
        result_.push_back(cls);
    }
}

// Gathers everything that shares a row with `row`, directly or through others, and solves it.
void Shares::solve_component(std::uint32_t row) {
    classes_.clear();
    component_rows_.assign(1, row);
    rows_[row].dirty = false;
    rows_[row].local = 0;
    // `local` is valid for rows of this component only: a row is in it if component_rows_ has the row at that index.
    const auto local_of = [&](std::uint32_t r) {
        Row& other = rows_[r];
        if (other.local >= component_rows_.size() || component_rows_[other.local] != r) {
            other.local = static_cast<std::uint32_t>(component_rows_.size());
            other.dirty = false;
            component_rows_.push_back(r);
        }
        return other.local;
    };
    end_.clear();
    link_.clear();
    times_.clear();
    for (std::size_t i = 0; i < component_rows_.size(); ++i) {
        for (const User& user : rows_[component_rows_[i]].active) {
            State& state = states_[user.cls];
            if (state.visited) { continue; }
            state.visited = true;
            classes_.push_back(user.cls);
            const FlowClass& c = network_.classes[user.cls];
            for (std::uint32_t x = c.shared; x < c.end; ++x) {
                link_.push_back(local_of(network_.crossing_row[x]));
                times_.push_back(network_.crossing_times[x]);
            }
            end_.push_back(static_cast<std::uint32_t>(link_.size()));
        }
    }
    if (classes_.empty()) { return; }
    capacity_.clear();
    for (const std::uint32_t r : component_rows_) { capacity_.push_back(rows_[r].capacity); }
    members_.clear();
    cap_.clear();
    for (const std::uint32_t cls : classes_) {
        states_[cls].visited = false;
        members_.push_back(states_[cls].members);
        cap_.push_back(cap_of(cls));
    }
    rate_.resize(classes_.size());
    if (classes_.size() > 8 * (result_.size() + 4) && classes_.size() * 4 > rows_.size()) {
        effort_ += classes_.size();
    }
    solver_.solve({capacity_, end_, link_, times_, members_, cap_}, rate_);
    ++solves_;
    for (std::size_t i = 0; i < classes_.size(); ++i) { set_rate(classes_[i], rate_[i]); }
}

}  // namespace fabricast::inline flow
