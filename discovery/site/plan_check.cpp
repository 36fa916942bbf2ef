#include "discovery/site/plan_check.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text.hpp"

namespace fabricast::inline site {

namespace {

// "Port 3", "3" and "03" are one port; "Blade 16_Port 2/20" is port 20 of a director's unit.
std::string port_key(std::string_view port) {
    std::string name = lower_case(trimmed(port, " \t"));
    if (name.starts_with("port ")) { name.erase(0, 5); }
    if (name.starts_with("blade ")) { name = name.substr(name.rfind('/') + 1); }
    const std::size_t zeros = name.find_first_not_of('0');
    return zeros == std::string::npos ? name : name.substr(zeros);
}

class PlanCheck {
public:
    PlanCheck(const Site& site, const Wiring& wiring) : site_(site), wiring_(wiring) {}

    std::vector<Finding> run() {
        for (const SiteCable& cable : site_.cables) {
            for (const Port& port : switch_ports(cable)) {
                at_[port] = &cable;
                found_.insert(port.first);
            }
        }
        for (const SiteCable& planned : site_.planned) { check_cable(planned); }
        check_extra();
        return std::move(findings_);
    }

private:
    using Port = std::pair<std::uint32_t, std::string>;  // a switch, and port_key()

    std::vector<Port> switch_ports(const SiteCable& cable) const {
        std::vector<Port> ports;
        if (!site_.devices[cable.a].adapter) { ports.emplace_back(cable.a, port_key(cable.port_a)); }
        if (!site_.devices[cable.b].adapter) { ports.emplace_back(cable.b, port_key(cable.port_b)); }
        return ports;
    }

    // What a plan and a discovery agree on: the switch itself, or the host.
    const SiteDevice& far_end(const SiteCable& cable, std::uint32_t near) const {
        return site_.devices[cable.a == near ? cable.b : cable.a];
    }

    void check_cable(const SiteCable& planned) {
        const SiteCable *right = nullptr, *actual = nullptr, *other = nullptr;
        bool known = false;
        for (const Port& port : switch_ports(planned)) {
            if (!found_.contains(port.first)) { continue; }
            known = true;
            in_plan_.insert(port.first);
            ports_in_plan_.insert(port);
            const auto found = at_.find(port);
            if (found == at_.end()) { continue; }
            actual = found->second;
            const bool agrees = far_end(*actual, port.first).name == far_end(planned, port.first).name;
            if (!agrees || (right != nullptr && right != actual)) { other = actual; }
            if (agrees && right == nullptr) { right = actual; }
        }
        if (!known) {
            add_unknown(planned);
        } else if (right == nullptr) {
            add(planned, actual == nullptr ? PlanFault::missing : PlanFault::miswired,
                actual == nullptr ? "missing: the plan has it, nothing was found there"
                                  : "miswired: found is " + cable_text(site_, *actual));
        } else if (other != nullptr) {
            add(planned, PlanFault::exchanged,
                "miswired: between the same devices, but at its ports are " + cable_text(site_, *right) + " and " +
                    cable_text(site_, *other));
        } else if (right->megabits * 10 < planned.megabits * 9 && right->megabits > 0) {
            add(planned, PlanFault::slower,
                fmt::format("planned for {} Gb/s, found at {} Gb/s", static_cast<double>(planned.megabits) / 1000,
                            static_cast<double>(right->megabits) / 1000));
            Finding& slow = findings_.back();
            slow.said = {static_cast<double>(planned.megabits), static_cast<double>(right->megabits)};
            slow.share = slow.said.second / slow.said.first;
        }
    }

    void add(const SiteCable& planned, PlanFault fault, const std::string& what) {
        findings_.push_back(
            {"plan", site_.devices[planned.b].adapter ? device_text(site_, planned.a) : device_text(site_, planned.b),
             cable_text(site_, planned), what, planned.at, fault == PlanFault::missing ? 0.0 : 1.0, Trust::hint,
             fault});
        findings_.back().trunk = is_trunk(site_, planned);
        if (findings_.back().trunk) { findings_.back().uplinks = uplinks_of(planned, fault); }
    }

    // Cables of the lower end of a trunk. A miswired one goes up all the same, but not where its peers go.
    Uplinks uplinks_of(const SiteCable& planned, PlanFault fault) const {
        const auto tier = [&](std::uint32_t device) {
            return site_.devices[device].adapter ? -1 : wiring_.tier[device];
        };
        const bool a_below = wiring_.tier[planned.a] <= wiring_.tier[planned.b];
        const std::uint32_t lower = a_below ? planned.a : planned.b;
        Uplinks of;
        for (const SiteCable& cable : site_.cables) {
            if (cable.a != lower && cable.b != lower) { continue; }
            ++(tier(cable.a == lower ? cable.b : cable.a) > tier(lower) ? of.found : of.down);
        }
        of.usual = of.found + (fault == PlanFault::missing ? 1 : 0);
        of.found = of.usual - 1;
        return of;
    }

    // One line for a switch that only the plan has.
    void add_unknown(const SiteCable& planned) {
        const std::uint32_t device = site_.devices[planned.a].adapter ? planned.b : planned.a;
        if (site_.devices[device].adapter || !unknown_.insert(device).second) { return; }
        std::vector<std::string> names;
        for (const std::uint32_t known : found_) { names.push_back(site_.devices[known].name); }
        findings_.push_back({"plan", site_.devices[device].name, "",
                             "this switch of the plan was not found" + did_you_mean(site_.devices[device].name, names),
                             planned.at, 1, Trust::hint, PlanFault::unknown_switch});
    }

    // Cables that were found on a switch of the plan, at a port that the plan leaves empty.
    void check_extra() {
        for (const auto& [key, cable] : at_) {
            if (!in_plan_.contains(key.first) || ports_in_plan_.contains(key)) { continue; }
            const std::uint32_t far = cable->a == key.first ? cable->b : cable->a;
            if (!site_.devices[far].adapter && far < key.first && in_plan_.contains(far)) { continue; }  // said once
            findings_.push_back({"plan", site_.devices[key.first].name, cable_text(site_, *cable),
                                 "extra: found, but not in the plan", cable->at, 1, Trust::hint, PlanFault::extra});
        }
    }

    const Site& site_;
    const Wiring& wiring_;
    std::map<Port, const SiteCable*> at_;
    std::set<Port> ports_in_plan_;
    std::set<std::uint32_t> in_plan_, found_, unknown_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_plan(const Site& site, const Wiring& wiring) {
    return site.planned.empty() ? std::vector<Finding>{} : PlanCheck(site, wiring).run();
}

}  // namespace fabricast::inline site
