#include "tests/bench/simgrid_forms.hpp"

#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>

#include "sim/engines/common/progress.hpp"
#include "sim/engines/simgrid/platform.hpp"

namespace fabricast::bench {

namespace s4u = simgrid::s4u;

namespace {

// The engine must see its arguments before the platform is made, and needs them to live.
struct Started {
    explicit Started(bool lazy) : words(simgrid_engine::arguments(lazy)) {
        argv.reserve(words.size() + 1);
        for (std::string& word : words) { argv.push_back(word.data()); }
        argv.push_back(nullptr);
        argc = static_cast<int>(words.size());
        engine = new s4u::Engine(&argc, argv.data());  // lives as long as the process
    }
    std::vector<std::string> words;
    std::vector<char*> argv;
    int argc = 0;
    s4u::Engine* engine = nullptr;
};

std::uint64_t bytes_of(const Transfer& t) { return static_cast<std::uint64_t>(t.bytes.count); }

}  // namespace

bool has_simgrid() { return true; }

double simgrid_one_sided(const Fabric& fabric, const Schedule& schedule, bool lazy) {
    const Started started(lazy);
    const std::vector<simgrid_engine::Endpoints> ends =
        simgrid_engine::make_platform(fabric, schedule.connections, true);
    Progress progress(schedule);
    std::unordered_map<const s4u::Activity*, std::pair<OpId, s4u::CommPtr>> live;
    std::vector<s4u::CommPtr> last;
    const auto send = [&](OpId op) {
        const Transfer& t = schedule.transfers[static_cast<std::uint32_t>(op)];
        const s4u::CommPtr message = s4u::Comm::sendto_init();
        message->set_payload_size(bytes_of(t));
        live.emplace(message.get(), std::pair(op, message));
        message->set_source(ends[t.connection].from)->set_destination(ends[t.connection].to);
        if (message->get_state() == s4u::Activity::State::INITED) { message->start(); }
    };
    const auto start = [&](OpId op) {
        if (progress.queue_up(op)) { send(op); }
    };
    simgrid_engine::on_completion([&](const s4u::Activity& activity) {
        const auto place = live.find(&activity);
        const OpId op = place->second.first;
        last.assign(1, place->second.second);  // the one that completes is still in SimGrid's hands
        live.erase(place);
        progress.ended(op, {}, send, start);
    });
    progress.begin(start);
    started.engine->run();
    return s4u::Engine::get_clock();
}

double simgrid_ring_actors(const Fabric& fabric, const Schedule& schedule, bool lazy) {
    const Started started(lazy);
    const std::vector<simgrid_engine::Endpoints> ends =
        simgrid_engine::make_platform(fabric, schedule.connections, true);
    const std::size_t n = ends.size();
    const std::size_t steps = schedule.size() / n;
    static int token = 0;
    std::vector<s4u::Mailbox*> boxes;
    for (std::size_t i = 0; i < n; ++i) { boxes.push_back(s4u::Mailbox::by_name(std::to_string(i))); }
    for (std::size_t i = 0; i < n; ++i) {
        boxes[(i + 1) % n]->set_receiver(s4u::Actor::create("rank", ends[i].to, [&, i] {
            // The actor of rank i + 1: it sends on connection i + 1 and hears on connection i.
            const std::size_t me = (i + 1) % n;
            for (std::size_t step = 0; step < steps; ++step) {
                const Transfer& t = schedule.transfers[step * n + me];
                const s4u::CommPtr sent = boxes[(me + 1) % n]->put_async(&token, bytes_of(t));
                boxes[me]->get<int>();
                sent->wait();
            }
        }));
    }
    started.engine->run();
    return s4u::Engine::get_clock();
}

double simgrid_all_to_all_actors(const Fabric& fabric, const Schedule& schedule, bool lazy) {
    const Started started(lazy);
    const std::vector<simgrid_engine::Endpoints> ends =
        simgrid_engine::make_platform(fabric, schedule.connections, true);
    static int token = 0;
    std::map<s4u::Host*, std::vector<std::uint32_t>> sends;
    std::map<s4u::Host*, std::size_t> receives;
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        sends[ends[schedule.transfers[op].connection].from].push_back(op);
        ++receives[ends[schedule.transfers[op].connection].to];
    }
    for (const auto& [host, count] : receives) {
        s4u::Mailbox* box = s4u::Mailbox::by_name(host->get_name());
        box->set_receiver(s4u::Actor::create("receiver", host, [box, messages = count] {
            for (std::size_t i = 0; i < messages; ++i) { box->get<int>(); }
        }));
    }
    for (const auto& [host, ops] : sends) {
        s4u::Actor::create("sender", host, [&ends, &schedule, mine = &ops] {
            for (const std::uint32_t op : *mine) {
                const Transfer& t = schedule.transfers[op];
                s4u::Mailbox::by_name(ends[t.connection].to->get_name())->put_init(&token, bytes_of(t))->detach();
            }
        });
    }
    started.engine->run();
    return s4u::Engine::get_clock();
}

}  // namespace fabricast::bench
