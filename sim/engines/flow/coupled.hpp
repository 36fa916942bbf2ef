#pragma once
// For messages that all contend with each other, so that one completion changes half of all rates. Rates are therefore
// not stored. Stored are each row's level (the rate of the flows whose bottleneck it is), each flow's bottleneck, and
// the order of rows by level. A flow's rate is the level of its bottleneck; a row's level is the capacity that the
// row's other flows leave, divided among the flows whose bottleneck it is:
//     level = (capacity - sum of levels of its flows' other bottlenecks) / flows whose bottleneck it is.
// Between two events bottlenecks hardly change, so a solve is one pass over the rows in the previous order. The result
// is max-min fair if and only if the levels come out ascending and no row is overloaded (Bertsekas & Gallager, Data
// Networks, section 6.5.2: each flow then has a full row on which none is faster); if they do not, rows are reordered
// and flows change bottlenecks until they do. Flows are served by their bottleneck's clock, so finding the next
// completion looks at rows, not flows.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/ticks.hpp"
#include "sim/engines/flow/maxmin.hpp"

namespace fabricast::inline flow {

class CoupledFlows {
public:
    CoupledFlows(const Network& network, std::size_t connections);

    // Whether these rules hold here: messages only, no link events, no rate cap in any class that shares rows.
    static bool can_take(const Network& network);

    // A message begins to flow; takes effect at the next settle. A connection has one message at a time.
    void join(Time now, std::uint32_t connection, OpId op, double bytes);

    // Removes every message that is complete by `now`; calls done(op).
    template <class Done> void take_due(Time now, Done&& done) {
        advance(now);
        for (std::uint32_t row = 0; row < rows_.size(); ++row) {
            if (rows_[row].due > now) { continue; }
            std::vector<Served>& served = rows_[row].served;
            for (std::size_t i = served.size(); i-- > 0;) {
                if (due_of(row, served[i].mark) <= now) {
                    const std::uint32_t connection = served[i].connection;
                    done(flows_[connection].op);
                    leave(connection);
                }
            }
        }
    }

    // Brings all levels up to date; returns when the next message will be complete (the end of time if there is none).
    Time settle(Time now);

    std::size_t size() const { return flowing_; }
    std::uint64_t solves() const { return solves_; }
    double bytes_left(std::uint32_t connection) const {
        return flows_[connection].mark - rows_[flows_[connection].bottleneck].clock;
    }
    Duration busy_of_row(std::uint32_t row) const { return rows_[row].busy; }
    Duration busy_of_class(std::uint32_t cls) const { return activity_[cls].busy; }

private:
    struct User {
        std::uint32_t connection, hop;
    };
    struct Served {
        double mark;  // on the row's clock
        std::uint32_t connection;
    };
    struct Row {
        std::vector<std::uint32_t> bottleneck;  // of each flow on the row; parallel to `users`
        std::vector<User> users;
        std::vector<Served> served;  // the flows whose bottleneck it is
        double capacity = 0;
        double clock = 0;       // bytes served to each of these
        double first_mark = 0;  // smallest of `served`, if known
        bool first_known = false;
        std::uint32_t own = 0;    // how often the flows in `served` cross it
        std::uint32_t place = 0;  // in order_
        Time due = end_of_time;
        Time since;
        Duration busy;
    };
    struct Flow {
        OpId op{};
        std::uint32_t bottleneck = Network::no_row;
        std::uint32_t served_place = 0;
        std::uint32_t first_place = 0;  // into places_, one entry per hop
        double mark = 0;
    };

    struct Activity {  // per class
        std::uint32_t flows = 0;
        Time since;
        Duration busy;
    };

    std::span<const std::uint32_t> path(std::uint32_t connection) const {
        const std::uint32_t cls = network_.class_of_connection[connection];
        return {path_row_.data() + path_begin_[cls], path_begin_[cls + 1] - path_begin_[cls]};
    }
    void advance(Time now);
    void leave(std::uint32_t connection);
    void touch(std::uint32_t row) { first_dirty_ = std::min(first_dirty_, rows_[row].place); }
    std::uint32_t first_in_order(std::uint32_t connection) const {
        return *std::ranges::min_element(path(connection), {}, [&](std::uint32_t row) { return rows_[row].place; });
    }
    void serve(std::uint32_t connection, std::uint32_t row, double bytes_left);
    void unserve(std::uint32_t connection);
    void change_bottleneck(std::uint32_t connection, std::uint32_t row) {
        const double left = bytes_left(connection);
        unserve(connection);
        serve(connection, row, left);
    }
    Time due_of(std::uint32_t row, double mark) const {
        return predicted(now_, std::max(0.0, mark - rows_[row].clock) / level_[row]);
    }

    bool sweep();
    double fill_level(std::uint32_t row);
    void sink(std::uint32_t place);
    std::uint32_t rise(std::uint32_t place);
    void put(std::uint32_t row, std::uint32_t place) {
        order_[place] = row;
        rows_[row].place = place;
    }
    void solve_from_zero();
    Time predict();

    const Network& network_;
    std::vector<std::uint32_t> path_begin_, path_row_;  // per class; a row is listed as often as it is crossed
    std::vector<Activity> activity_;                    // per class
    std::vector<Row> rows_;
    std::vector<double> level_;          // per row
    std::vector<std::uint32_t> order_;   // rows by level; those that are nobody's bottleneck last
    std::vector<Flow> flows_;            // per connection
    std::vector<std::uint32_t> places_;  // per flow and hop: index in its row's `users`
    Time now_;
    std::size_t flowing_ = 0;
    std::size_t joined_ = 0;         // flows that joined since the last settle
    std::uint32_t first_dirty_ = 0;  // place from which levels are out of date
    std::uint64_t solves_ = 0;
    std::size_t moves_ = 0;
    MaxMin solver_;
};

}  // namespace fabricast::inline flow
