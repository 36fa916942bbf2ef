#include "sim/engines/flow/coupled.hpp"

namespace fabricast::inline flow {

bool CoupledFlows::can_take(const Network& network) {
    return network.class_of_pipeline.empty() && network.row_of_event.empty() &&
           std::ranges::none_of(network.classes,
                                [](const FlowClass& cls) { return cls.shared < cls.end && cls.cap < infinity; });
}

CoupledFlows::CoupledFlows(const Network& network, std::size_t connections)
    : network_(network), activity_(network.classes.size()), rows_(network.capacity.size()) {
    for (std::size_t row = 0; row < rows_.size(); ++row) { rows_[row].capacity = network.capacity[row]; }
    for (std::size_t c = 0; c < network.classes.size(); ++c) {
        const FlowClass& cls = network.classes[c];
        path_begin_.push_back(static_cast<std::uint32_t>(path_row_.size()));
        double narrowest = infinity;
        for (std::uint32_t x = cls.shared; x < cls.end; ++x) {
            const std::uint32_t row = network.crossing_row[x];
            path_row_.insert(path_row_.end(), static_cast<std::size_t>(network.crossing_times[x]), row);
            narrowest = std::min(narrowest, network.capacity[row] / network.crossing_times[x]);
        }
        if (cls.own_capacity < narrowest) {
            path_row_.push_back(static_cast<std::uint32_t>(rows_.size()));
            rows_.emplace_back();
            rows_.back().capacity = cls.own_capacity;
        }
    }
    path_begin_.push_back(static_cast<std::uint32_t>(path_row_.size()));
    level_.assign(rows_.size(), infinity);
    order_.resize(rows_.size());
    for (std::uint32_t row = 0; row < rows_.size(); ++row) { put(row, row); }
    flows_.resize(connections);
    std::uint32_t places = 0;
    for (std::uint32_t connection = 0; connection < connections; ++connection) {
        flows_[connection].first_place = places;
        places += static_cast<std::uint32_t>(path(connection).size());
    }
    places_.resize(places);
    first_dirty_ = static_cast<std::uint32_t>(order_.size());
}

void CoupledFlows::advance(Time now) {
    const double seconds = to_seconds(now - now_);
    now_ = now;
    if (seconds > 0) {
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            if (rows_[row].own > 0) { rows_[row].clock += level_[row] * seconds; }
        }
    }
}

void CoupledFlows::join(Time now, std::uint32_t connection, OpId op, double bytes) {
    advance(now);
    Flow& flow = flows_[connection];
    flow.op = op;
    const std::span<const std::uint32_t> rows = path(connection);
    for (std::uint32_t hop = 0; hop < rows.size(); ++hop) {
        Row& row = rows_[rows[hop]];
        if (row.users.empty()) { row.since = now; }
        places_[flow.first_place + hop] = static_cast<std::uint32_t>(row.users.size());
        row.users.push_back({connection, hop});
        row.bottleneck.push_back(Network::no_row);
        touch(rows[hop]);
    }
    serve(connection, first_in_order(connection), bytes);
    Activity& activity = activity_[network_.class_of_connection[connection]];
    if (activity.flows++ == 0) { activity.since = now; }
    ++flowing_;
    ++joined_;
}

void CoupledFlows::leave(std::uint32_t connection) {
    unserve(connection);
    const Flow& flow = flows_[connection];
    const std::span<const std::uint32_t> rows = path(connection);
    for (std::uint32_t hop = 0; hop < rows.size(); ++hop) {
        Row& row = rows_[rows[hop]];
        const std::uint32_t place = places_[flow.first_place + hop];
        const User moved = row.users.back();
        row.users[place] = moved;
        row.bottleneck[place] = row.bottleneck.back();
        places_[flows_[moved.connection].first_place + moved.hop] = place;
        row.users.pop_back();
        row.bottleneck.pop_back();
        if (row.users.empty()) { row.busy += now_ - row.since; }
        touch(rows[hop]);
    }
    Activity& activity = activity_[network_.class_of_connection[connection]];
    if (--activity.flows == 0) { activity.busy += now_ - activity.since; }
    --flowing_;
}

void CoupledFlows::serve(std::uint32_t connection, std::uint32_t to, double bytes_left) {
    Flow& flow = flows_[connection];
    Row& row = rows_[to];
    if (row.served.empty()) {
        row.clock = 0;  // a new busy period: no rounding is carried over
        row.first_known = false;
    }
    flow.bottleneck = to;
    flow.mark = row.clock + bytes_left;
    if (row.served.empty() || (row.first_known && flow.mark < row.first_mark)) {
        row.first_mark = flow.mark;
        row.first_known = true;
    }
    flow.served_place = static_cast<std::uint32_t>(row.served.size());
    row.served.push_back({flow.mark, connection});
    const std::span<const std::uint32_t> rows = path(connection);
    for (std::uint32_t hop = 0; hop < rows.size(); ++hop) {
        rows_[rows[hop]].bottleneck[places_[flow.first_place + hop]] = to;
        row.own += rows[hop] == to ? 1 : 0;
    }
}

void CoupledFlows::unserve(std::uint32_t connection) {
    const Flow& flow = flows_[connection];
    Row& row = rows_[flow.bottleneck];
    row.first_known = row.first_known && flow.mark > row.first_mark;
    row.served[flow.served_place] = row.served.back();
    flows_[row.served.back().connection].served_place = flow.served_place;
    row.served.pop_back();
    for (const std::uint32_t crossed : path(connection)) { row.own -= crossed == flow.bottleneck ? 1 : 0; }
}

Time CoupledFlows::settle(Time now) {
    advance(now);
    if (first_dirty_ < order_.size()) {
        // Many new flows at once have no bottleneck yet: moving them one by one takes longer than solving from zero.
        if (joined_ * 8 > order_.size() + 64 || !sweep()) { solve_from_zero(); }
        ++solves_;
        joined_ = 0;
        first_dirty_ = static_cast<std::uint32_t>(order_.size());
    }
    return predict();
}

// The row's level: what its other flows leave, divided among its own. If it is nobody's bottleneck: infinite, or
// negative if it is overloaded and so must become one.
double CoupledFlows::fill_level(std::uint32_t row) {
    const Row& r = rows_[row];
    level_[row] = 0;  // its own flows do not count
    const double* level = level_.data();
    const std::uint32_t* b = r.bottleneck.data();
    const std::size_t n = r.bottleneck.size();
    double sums[4] = {0, 0, 0, 0};  // four independent sums; always the same four, so that rounding is the same
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sums[0] += level[b[i]];
        sums[1] += level[b[i + 1]];
        sums[2] += level[b[i + 2]];
        sums[3] += level[b[i + 3]];
    }
    for (; i < n; ++i) { sums[0] += level[b[i]]; }
    const double left = r.capacity - ((sums[0] + sums[1]) + (sums[2] + sums[3]));
    if (r.own > 0) {
        level_[row] = left / r.own;
    } else {
        level_[row] = left >= -level_tolerance * r.capacity ? infinity : -1;
    }
    return level_[row];
}

// One pass over the rows from the first that changed. False after too many moves: then solving from zero is faster.
bool CoupledFlows::sweep() {
    const auto rows = static_cast<std::uint32_t>(order_.size());
    const std::size_t limit = moves_ + 4 * order_.size() + 64;
    std::uint32_t place = first_dirty_;
    while (place < rows) {
        if (moves_ > limit) { return false; }
        const std::uint32_t row = order_[place];
        const double below = place == 0 ? 0 : level_[order_[place - 1]];
        const double level = fill_level(row);
        if (level < below * (1 - level_tolerance)) {
            place = rise(place);
            continue;
        }
        if (level <= below * (1 + level_tolerance)) {
            level_[row] = below;  // equal levels stay equal to the last bit
        } else if (place + 1 < rows && level > level_[order_[place + 1]] * (1 + level_tolerance)) {
            sink(place);
            continue;
        }
        ++place;
    }
    return true;
}

// The row's level is above the last known levels of rows after it: moves it after them, and they become the bottlenecks
// of the flows that it shares with them.
void CoupledFlows::sink(std::uint32_t place) {
    ++moves_;
    const std::uint32_t row = order_[place];
    const double level = level_[row];
    std::uint32_t to = place;
    while (to + 1 < order_.size() && level_[order_[to + 1]] < level) {
        put(order_[to + 1], to);
        ++to;
    }
    put(row, to);
    std::vector<Served>& served = rows_[row].served;
    for (std::size_t i = served.size(); i-- > 0;) {
        const std::uint32_t connection = served[i].connection;
        const std::uint32_t first = first_in_order(connection);
        if (first != row) { change_bottleneck(connection, first); }
    }
}

// The row's level is below that of rows before it: moves it forward until it is not, and makes it the bottleneck of the
// flows that it shares with the rows it passes. Returns the place at which to continue.
std::uint32_t CoupledFlows::rise(std::uint32_t place) {
    const std::uint32_t row = order_[place];
    double level = level_[row];
    while (place > 0 && level < level_[order_[place - 1]] * (1 - level_tolerance)) {
        ++moves_;
        const std::uint32_t other = order_[place - 1];
        put(other, place);
        --place;
        put(row, place);
        const Row& r = rows_[row];
        bool took = false;
        for (std::size_t i = 0; rows_[other].own > 0 && i < r.bottleneck.size(); ++i) {
            if (r.bottleneck[i] == other) {
                change_bottleneck(r.users[i].connection, row);
                took = true;
            }
        }
        level = took ? fill_level(row) : level;
    }
    return place;
}

void CoupledFlows::solve_from_zero() {
    std::vector<std::uint32_t> connections;
    std::vector<std::uint32_t> end;
    std::vector<std::uint32_t> link;
    std::vector<double> times;
    std::vector<double> left(flows_.size(), 0);
    for (const Row& row : rows_) {
        for (const Served& served : row.served) { connections.push_back(served.connection); }
    }
    std::sort(connections.begin(), connections.end());
    for (const std::uint32_t connection : connections) {
        left[connection] = bytes_left(connection);
        const std::span<const std::uint32_t> rows = path(connection);
        for (std::size_t hop = 0; hop < rows.size(); ++hop) {
            if (hop == 0 || rows[hop] != rows[hop - 1]) {  // how often a row is crossed stands together
                link.push_back(rows[hop]);
                times.push_back(0);
            }
            ++times.back();
        }
        end.push_back(static_cast<std::uint32_t>(link.size()));
    }
    std::vector<double> capacity;
    for (const Row& row : rows_) { capacity.push_back(row.capacity); }
    const std::vector<double> members(connections.size(), 1);
    std::vector<double> rate(connections.size());
    solver_.solve({capacity, end, link, times, members, {}}, rate);

    for (const std::uint32_t connection : connections) { unserve(connection); }
    for (std::size_t i = 0; i < connections.size(); ++i) {
        const std::uint32_t bottleneck = solver_.frozen_by()[i];
        serve(connections[i], bottleneck, left[connections[i]]);
        level_[bottleneck] = rate[i];
    }
    // A flow's bottleneck must be the first of its rows, also among equal levels: so they stand as they filled up.
    std::uint32_t place = 0;
    for (const std::uint32_t row : solver_.full_links()) { put(row, place++); }
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row].own == 0) {
            level_[row] = infinity;
            put(row, place++);
        }
    }
}

Time CoupledFlows::predict() {
    Time first = end_of_time;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
        Row& row = rows_[r];
        row.due = end_of_time;
        if (row.served.empty()) { continue; }
        if (!row.first_known) {
            row.first_mark = infinity;
            for (const Served& served : row.served) { row.first_mark = std::min(row.first_mark, served.mark); }
            row.first_known = true;
        }
        row.due = due_of(r, row.first_mark);
        first = std::min(first, row.due);
    }
    return first;
}

}  // namespace fabricast::inline flow
