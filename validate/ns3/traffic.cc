// The same messages as in tests/sim/engines/packet/held_against.hpp, in ns-3: hosts at one switch, packets stored and
// forwarded, queues that never overflow. Prints for each pattern when the last byte has arrived, in ps.

#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdio>
#include <functional>
#include <map>
#include <vector>

using namespace ns3;

namespace {

constexpr uint32_t payload = 4070;  // 4,100 bytes on the wire: UDP, IPv4 and PPP take 30
constexpr uint16_t port = 9;

class Star {
public:
    explicit Star(uint32_t hosts) : received_(hosts) {
        NodeContainer nodes(hosts);
        Ptr<Node> middle = CreateObject<Node>();
        InternetStackHelper internet;
        internet.Install(nodes);
        internet.Install(middle);
        PointToPointHelper cable;
        cable.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        cable.SetDeviceAttribute("Mtu", UintegerValue(9000));
        cable.SetChannelAttribute("Delay", StringValue("500ns"));
        cable.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1000000p"));
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
        for (uint32_t h = 0; h < hosts; ++h) {
            const NetDeviceContainer devices = cable.Install(nodes.Get(h), middle);
            const Ipv4InterfaceContainer ends = addresses.Assign(devices);
            TrafficControlHelper().Uninstall(devices);  // it would drop what waits for long
            addresses.NewNetwork();
            address_.push_back(ends.GetAddress(0));
            Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(h), UdpSocketFactory::GetTypeId());
            socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
            socket->SetRecvCallback([this, h](Ptr<Socket> from) {
                Address sender;
                while (from->RecvFrom(sender)) { arrived(h); }
            });
            sockets_.push_back(socket);
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    void send(uint32_t from, uint32_t to) {
        sockets_[from]->SendTo(Create<Packet>(payload), 0, InetSocketAddress(address_[to], port));
    }

    // When the host has received that many packets in all.
    void after(uint32_t host, uint64_t packets, std::function<void()> then) { waiting_[{host, packets}] = then; }

    int64_t run() {
        Simulator::Run();
        Simulator::Destroy();
        return last_.GetPicoSeconds();
    }

private:
    void arrived(uint32_t host) {
        last_ = Simulator::Now();
        const auto then = waiting_.find({host, ++received_[host]});
        if (then != waiting_.end()) { then->second(); }
    }

    std::vector<Ptr<Socket>> sockets_;
    std::vector<Ipv4Address> address_;
    std::vector<uint64_t> received_;
    std::map<std::pair<uint32_t, uint64_t>, std::function<void()>> waiting_;
    Time last_;
};

// Messages of as many packets, all at once; those of one sender take turns packet by packet.
int64_t at_once(uint32_t hosts, uint32_t packets, const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {
    Star star(hosts);
    Simulator::Schedule(Time(0), [&] {
        for (uint32_t p = 0; p < packets; ++p) {
            for (const auto& [from, to] : pairs) { star.send(from, to); }
        }
    });
    return star.run();
}

// Each host sends to the next one; what it has received it passes on, hosts - 1 times.
int64_t ring(uint32_t hosts, uint32_t packets) {
    Star star(hosts);
    for (uint32_t h = 0; h < hosts; ++h) {
        const std::function<void()> pass_on = [&star, h, hosts, packets] {
            for (uint32_t p = 0; p < packets; ++p) { star.send(h, (h + 1) % hosts); }
        };
        Simulator::Schedule(Time(0), pass_on);
        for (uint64_t step = 1; step + 1 < hosts; ++step) { star.after(h, step * packets, pass_on); }
    }
    return star.run();
}

void print(const char* name, int64_t ps) { std::printf("%s %lld\n", name, static_cast<long long>(ps)); }

}  // namespace

int main() {
    Time::SetResolution(Time::PS);
    std::vector<std::pair<uint32_t, uint32_t>> incast, permutation, all;
    for (uint32_t h = 1; h < 16; ++h) { incast.emplace_back(h, 0); }
    for (uint32_t h = 0; h < 16; ++h) { permutation.emplace_back(h, (5 * h + 3) % 16); }
    for (uint32_t step = 1; step < 16; ++step) {
        for (uint32_t h = 0; h < 16; ++h) { all.emplace_back(h, (h + step) % 16); }
    }
    print("incast", at_once(16, 500, incast));
    print("permutation", at_once(16, 500, permutation));
    print("all-to-all", at_once(16, 100, all));
    print("ring", ring(16, 100));
}
