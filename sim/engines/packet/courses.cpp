#include "sim/engines/packet/courses.hpp"

#include <iterator>
#include <set>
#include <utility>

namespace fabricast::inline packet {

Courses::Courses(Shared& shared, Parts parts) : shared_(shared), parts_(std::move(parts)) {
    for (std::uint32_t p = 0; p < shared.traffic.shape_of.size() && !parts_.of_shape.empty(); ++p) {
        first_part_.push_back(static_cast<std::uint32_t>(courses_.size()));
        Course course;
        course.pipeline = p;
        courses_.resize(courses_.size() + parts_.of_shape[shared_.traffic.shape_of[p]].size(), course);
    }
    first_part_.push_back(static_cast<std::uint32_t>(courses_.size()));
    const std::size_t resources = net_.port_count + net_.nodes.size() + net_.services.size();
    users_.assign(resources, 0);
    holder_.assign(resources, none);
}

std::uint32_t Courses::part_of(std::uint32_t stream) const {
    const Traffic& traffic = shared_.traffic;
    const std::uint32_t pipeline = traffic.pipeline_of(stream);
    const std::uint32_t number = stream - traffic.first_stream[pipeline];
    return first_part_[pipeline] + parts_.part_of[traffic.shape_of[pipeline]][number];
}

bool Courses::all_over(Members members) const {
    return std::ranges::all_of(members, [&](std::uint32_t part) { return courses_[part].over; });
}

void Courses::simulate(std::uint32_t part, std::vector<Entry::Start>& starts, std::uint32_t streams_again,
                       std::uint32_t releases_again) {
    Course& course = courses_[part];
    course.kind = Course::simulated;
    course.over = course.told = false;
    course.leader = course.group = none;
    ++course.version;
    for (const std::uint32_t r : at(part).resources) { ++users_[r]; }
    starts.push_back({part, course.pipeline, course.entered, streams_again, releases_again});
}

void Courses::simulate_after_all(std::uint32_t part, std::vector<Entry::Start>& starts) {
    const Course& course = courses_[part];
    hold(part, none);
    simulate(part, starts, course.over ? at(part).crossing : 0, course.told ? at(part).releasing : 0);
}

void Courses::ended(std::uint32_t part, Ps now) {
    courses_[part].ended = now;
    courses_[part].over = true;
    for (const std::uint32_t r : at(part).resources) { --users_[r]; }
}

bool Courses::rests(std::uint32_t p, Ps now) const {
    const Port& port = net_.ports[p];
    const Ingress& in = net_.ingress[p];
    return port.queue.empty() && port.wire.empty() && !shared_.has_traffic(port) && port.free <= now && !port.paused &&
           !port.down && in.bytes == 0 && in.over == 0 && !in.paused && !in.will_refresh && in.last_credit <= now;
}

bool Courses::idle(std::uint32_t r, Ps now) const {
    const std::uint32_t first_service = net_.port_count + static_cast<std::uint32_t>(net_.nodes.size());
    const bool still = r < net_.port_count  ? rests(r, now)
                       : r >= first_service ? net_.services[r - first_service].free <= now
                                            : true;
    return users_[r] == 0 && still;
}

bool Courses::at_rest(const Part& of, Ps now) const {
    return std::ranges::all_of(of.ports, [&](std::uint32_t p) { return rests(p, now); }) &&
           std::ranges::all_of(of.services, [&](std::uint32_t s) { return net_.services[s].free <= now; });
}

Courses::Links Courses::links_of(Members members) const {
    if (members.size() == 1) { return {at(members.front()).ports, at(members.front()).buffers}; }
    Links links;
    std::set<std::uint32_t> ports, buffers;
    for (const std::uint32_t part : members) {
        std::ranges::copy_if(at(part).ports, std::back_inserter(links.ports),
                             [&](std::uint32_t p) { return ports.insert(p).second; });
        std::ranges::copy_if(at(part).buffers, std::back_inserter(links.buffers),
                             [&](std::uint32_t n) { return buffers.insert(n).second; });
    }
    return links;
}

bool Courses::fits_beside(Members buffers, std::span<const Held> held) const {
    for (std::size_t i = 0; i < buffers.size() && !shared_.apart_by_buffers; ++i) {
        const Node& node = net_.nodes[buffers[i]];
        const std::int64_t others = node.used + node.reserved;
        const bool fits =
            others <= held[i].beside && (node.reserved == 0 || others + held[i].most <= node.reserved_limit);
        if (node.paused_ingresses > 0 || !fits) { return false; }
    }
    return true;
}

void Courses::reserve(Members buffers, std::span<const Held> held, bool room) {
    for (std::size_t i = 0; i < buffers.size() && !shared_.apart_by_buffers; ++i) {
        Node& node = net_.nodes[buffers[i]];
        if (node.reserved == 0) { node.reserved_limit = node.buffer; }
        if (room) { node.reserved_limit = std::min(node.reserved_limit, held[i].most + held[i].beside); }
        node.reserved += room ? held[i].most : -held[i].most;
    }
}

void Courses::give_up(Members buffers, std::span<const Held> held, Ps now) {
    reserve(buffers, held, false);
    for (const std::uint32_t n : buffers) { net_.nodes[n].known_until = now; }
}

}  // namespace fabricast::inline packet
