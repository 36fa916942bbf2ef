#include "sim/scenario/transfer_keys.hpp"

#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

Rows<HostConditions> host_rows() {
    using H = HostConditions;
    return {
        flag_key("acs", &H::acs, "PCIe access control redirects peer traffic to the root."),
        flag_key("iommu", &H::iommu, "DMA addresses are translated."),
        flag_key("ats", &H::ats, "Devices keep translations, so that PCIe switches pass peer traffic in spite of ACS."),
        flag_key("virtualised", &H::virtualised, "GPUs are passed through to a guest."),
        flag_key("p2p_clique", &H::p2p_clique, "The hypervisor tells the guest which GPUs are peers."),
        flag_key("relaxed_ordering", &H::relaxed_ordering, "PCIe writes of an adapter may pass each other."),
        flag_key("peer_memory", &H::peer_memory, "nvidia_peermem or dma-buf: adapters may register GPU memory."),
        flag_key("rdma", &H::rdma, "The verbs stack is there; without it, the kernel's."),
        flag_key("pinned", &H::pinned, "User buffers in host memory are page-locked."),
        flag_key("huge_pages", &H::huge_pages, "Buffers stand on pages of 2 MiB."),
        flag_key("registration_cache", &H::registration_cache, "A buffer is registered once, not with each message."),
        flag_key("offloads", &H::offloads, "TSO and GRO of the kernel's stack."),
        within(size_key("locked_memory", &H::locked_memory, "`ulimit -l`.", "unlimited"), Bytes{1},
               Bytes{std::int64_t{1} << 60}),
        within(size_key("mtu", &H::mtu, "Of IP, or of an RDMA path.", "the link's; 1500 B for the kernel's stack"),
               Bytes{256}, Bytes{9000}),
        within(size_key("mss", &H::mss, "Payload of a TCP segment on the wire, at most; no more than the MTU leaves.",
                        "what the MTU leaves"),
               Bytes{48}, Bytes{8960}),
        time_key("interrupt_delay", &H::interrupt_delay,
                 "How long an adapter holds a packet's interrupt back (ethtool rx-usecs); kernel stacks pay it.", "0"),
        whole_key("qps", &H::qps, 1, 1024, "Queue pairs or sockets of one transfer."),
        whole_key("cores", &H::cores, 1, 512, "Cores that the kernel's stack may use at either end."),
        word_key("numa", &H::numa, NumaPlace::far,
                 "Whose memory staging takes: the socket's beside the GPU or the farthest."),
        word_key("nic", &H::nic, NumaPlace::far,
                 "Which adapter either end takes: that beside it, or the farthest (of the wrong socket)."),
    };
}

}  // namespace

std::vector<Key> transfer_keys() {
    using W = TransferWorkload;
    Rows<W> rows = {
        required(text_key("from", &W::from, "Who sends: `node0.gpu0`, `node0.memory1`.")),
        required(text_key("to", &W::to, "Who receives.")),
        text_key("transport", &W::transport,
                 "`auto`: the best that hardware and conditions allow; else a part of kind `data-path`."),
        text_key("messaging", &W::messaging, "Software that issues the messages: a part of kind `messaging`.",
                 "the transport's usual one"),
        word_key("direction", &W::direction, Direction::both_ways,
                 "The bandwidth of one direction, or of both at once."),
        word_key("operation", &W::operation, TransferOperation::read,
                 "What the initiator does with the other's memory."),
        texts_key("concurrent", &W::concurrent,
                  "Other pairs that do the same at the same time, as `node0.gpu1 -> node0.memory0`."),
        whole_key(
            "window", &W::window, 1, 4096,
            "Messages in flight for the bandwidth; fewer, two at least, where their pieces would be more than 20,000.",
            "as the messaging's own benchmark does"),
    };
    append(rows, map_keys<W>("host", &W::host, "How the machines are set up.", host_rows()));
    return workload_keys("transfer", std::move(rows));
}

}  // namespace fabricast::inline scenario
