#include "sim/scenario/transfer_keys.hpp"

#include "sim/scenario/rows.hpp"

namespace fabricast {

namespace {

using namespace rows;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define TRANSFER(member) \
    [](auto& scenario) -> auto& { return std::get<TransferWorkload>(scenario.workload).member; }
// NOLINTEND(bugprone-macro-parentheses)

std::vector<Key> host_keys() {
    return {
        map_key("workload.host", "How the machines are set up."),
        flag_key("workload.host.acs", TRANSFER(host.acs), "PCIe access control redirects peer traffic to the root."),
        flag_key("workload.host.iommu", TRANSFER(host.iommu), "DMA addresses are translated."),
        flag_key("workload.host.ats", TRANSFER(host.ats),
                 "Devices keep translations, so that PCIe switches pass peer traffic in spite of ACS."),
        flag_key("workload.host.virtualised", TRANSFER(host.virtualised), "GPUs are passed through to a guest."),
        flag_key("workload.host.p2p_clique", TRANSFER(host.p2p_clique),
                 "The hypervisor tells the guest which GPUs are peers."),
        flag_key("workload.host.relaxed_ordering", TRANSFER(host.relaxed_ordering),
                 "PCIe writes of an adapter may pass each other."),
        flag_key("workload.host.peer_memory", TRANSFER(host.peer_memory),
                 "nvidia_peermem or dma-buf: adapters may register GPU memory."),
        flag_key("workload.host.rdma", TRANSFER(host.rdma), "The verbs stack is there; without it, the kernel's."),
        flag_key("workload.host.pinned", TRANSFER(host.pinned), "User buffers in host memory are page-locked."),
        flag_key("workload.host.huge_pages", TRANSFER(host.huge_pages), "Buffers stand on pages of 2 MiB."),
        flag_key("workload.host.registration_cache", TRANSFER(host.registration_cache),
                 "A buffer is registered once, not with each message."),
        flag_key("workload.host.offloads", TRANSFER(host.offloads), "TSO and GRO of the kernel's stack."),
        within(size_key("workload.host.locked_memory", TRANSFER(host.locked_memory), "`ulimit -l`.", "unlimited"),
               Bytes{1}, Bytes{std::int64_t{1} << 60}),
        within(size_key("workload.host.mtu", TRANSFER(host.mtu), "Of IP, or of an RDMA path.",
                        "the link's; 1500 B for the kernel's stack"),
               Bytes{256}, Bytes{9000}),
        within(size_key("workload.host.mss", TRANSFER(host.mss),
                        "Payload of a TCP segment on the wire, at most; no more than the MTU leaves.",
                        "what the MTU leaves"),
               Bytes{48}, Bytes{8960}),
        time_key("workload.host.interrupt_delay", TRANSFER(host.interrupt_delay),
                 "How long an adapter holds a packet's interrupt back (ethtool rx-usecs); kernel stacks pay it.", "0"),
        whole_key("workload.host.qps", TRANSFER(host.qps), 1, 1024, "Queue pairs or sockets of one transfer."),
        whole_key("workload.host.cores", TRANSFER(host.cores), 1, 512,
                  "Cores that the kernel's stack may use at either end."),
        word_key("workload.host.numa", TRANSFER(host.numa), NumaPlace::far,
                 "Whose memory staging takes: the socket's beside the GPU or the farthest."),
        word_key("workload.host.nic", TRANSFER(host.nic), NumaPlace::far,
                 "Which adapter either end takes: that beside it, or the farthest (of the wrong socket)."),
    };
}

}  // namespace

std::vector<Key> transfer_keys() {
    std::vector<Key> keys = {
        required(text_key("workload.from", TRANSFER(from), "Who sends: `node0.gpu0`, `node0.memory1`.")),
        required(text_key("workload.to", TRANSFER(to), "Who receives.")),
        text_key("workload.transport", TRANSFER(transport),
                 "`auto`: the best that hardware and conditions allow; else a part of kind `data-path`."),
        text_key("workload.messaging", TRANSFER(messaging),
                 "Software that issues the messages: a part of kind `messaging`.", "the transport's usual one"),
        word_key("workload.direction", TRANSFER(direction), Direction::both_ways,
                 "The bandwidth of one direction, or of both at once."),
        word_key("workload.operation", TRANSFER(operation), TransferOperation::read,
                 "What the initiator does with the other's memory."),
        texts_key("workload.concurrent", TRANSFER(concurrent),
                  "Other pairs that do the same at the same time, as `node0.gpu1 -> node0.memory0`."),
        whole_key(
            "workload.window", TRANSFER(window), 1, 4096,
            "Messages in flight for the bandwidth; fewer, two at least, where their pieces would be more than 20,000.",
            "as the messaging's own benchmark does"),
    };
    append(keys, host_keys());
    for (Key& key : keys) {
        key.of_kind = "transfer";
    }
    return keys;
}

#undef TRANSFER

}  // namespace fabricast
