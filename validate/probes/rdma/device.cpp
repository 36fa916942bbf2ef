// Verbs by libibverbs and librdmacm.

#include <infiniband/verbs.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "core/control.hpp"
#include "core/ending.hpp"
#include "core/machine.hpp"
#include "rdma/verbs.hpp"

namespace probe {
namespace {

constexpr int timeout_ms = 5000;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

// rdma-cm's calls return -1 and set errno; verbs' calls return the errno itself.
void require(int code, const std::string& what) {
    if (code > 0) { errno = code; }
    if (code != 0) { fail(what); }
}

struct IdCloser {
    void operator()(rdma_cm_id* id) const {
        if (id->qp != nullptr) {
            rdma_disconnect(id);
            rdma_destroy_qp(id);
        }
        rdma_destroy_id(id);
    }
};
using Id = std::unique_ptr<rdma_cm_id, IdCloser>;

// Without an event channel every call waits for its own event.
Id new_id() {
    rdma_cm_id* id = nullptr;
    require(rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP), "rdma_create_id");
    return Id(id);
}

// The HCA takes as many reads in flight as it says, and the consumer of a slow receive is waited for without end.
rdma_conn_param connection(ibv_context* context) {
    ibv_device_attr attributes = {};
    require(ibv_query_device(context, &attributes), "ibv_query_device");
    const auto reads = static_cast<std::uint8_t>(std::clamp(attributes.max_qp_rd_atom, 1, 16));
    rdma_conn_param param = {};
    param.responder_resources = reads;
    param.initiator_depth = reads;
    param.retry_count = 7;
    param.rnr_retry_count = 7;
    return param;
}

class Pair final : public QueuePair {
public:
    Pair(Id id, int inline_bytes) : id_(std::move(id)), inline_bytes_(inline_bytes) {}

    int inline_bytes() const override { return inline_bytes_; }

    void post(const WorkRequest& request) override {
        ibv_sge piece = {request.local_address, request.bytes, request.local_key};
        ibv_send_wr work = {};
        work.sg_list = &piece;
        work.num_sge = 1;
        work.send_flags = IBV_SEND_SIGNALED;
        if (request.inlined) { work.send_flags |= IBV_SEND_INLINE; }
        work.opcode = request.operation == Operation::send  ? IBV_WR_SEND
                      : request.operation == Operation::put ? IBV_WR_RDMA_WRITE
                                                            : IBV_WR_RDMA_READ;
        work.wr.rdma.remote_addr = request.remote_address;
        work.wr.rdma.rkey = request.remote_key;
        ibv_send_wr* bad = nullptr;
        require(ibv_post_send(id_->qp, &work, &bad), "ibv_post_send");
    }

    void post_receive(std::uint64_t address, std::uint32_t bytes, std::uint32_t local_key) override {
        ibv_sge piece = {address, bytes, local_key};
        ibv_recv_wr work = {};
        work.sg_list = &piece;
        work.num_sge = 1;
        ibv_recv_wr* bad = nullptr;
        require(ibv_post_recv(id_->qp, &work, &bad), "ibv_post_recv");
    }

    std::optional<Completion> poll() override {
        for (ibv_cq* queue : {id_->send_cq, id_->recv_cq}) {
            ibv_wc work = {};
            const int n = ibv_poll_cq(queue, 1, &work);
            if (n < 0) { fail("ibv_poll_cq"); }
            if (n == 1) {
                return Completion{queue == id_->recv_cq, work.status == IBV_WC_SUCCESS, ibv_wc_status_str(work.status)};
            }
        }
        return std::nullopt;
    }

private:
    Id id_;
    int inline_bytes_;
};

class Hca final : public Verbs {
public:
    Hca() {
        int count = 0;
        ibv_device** devices = ibv_get_device_list(&count);
        if (devices != nullptr) { ibv_free_device_list(devices); }
        if (count == 0) { throw NotHere("no HCA: this machine has no RDMA device"); }
    }

    std::string listen(const std::string& address) override {
        listener_ = new_id();
        const Addresses own = resolve(address, "0");
        require(rdma_bind_addr(listener_.get(), own->ai_addr), "rdma_bind_addr " + address);
        require(rdma_listen(listener_.get(), 64), "rdma_listen");
        return std::to_string(ntohs(rdma_get_src_port(listener_.get()))) + (address.empty() ? "" : " " + address);
    }

    std::unique_ptr<QueuePair> accept(const QueueCapacity& capacity) override {
        rdma_cm_id* raw = nullptr;
        require(rdma_get_request(listener_.get(), &raw), "rdma_get_request");
        return make_queue_pair(Id(raw), capacity, rdma_accept, "rdma_accept");
    }

    std::unique_ptr<QueuePair> connect(const std::string& host, const std::string& where,
                                       const QueueCapacity& capacity) override {
        std::istringstream in(where);
        int port = 0;
        std::string address;
        in >> port >> address;
        if (port < 1 || port > 65535) { throw std::runtime_error("the peer listens nowhere: " + where.substr(0, 80)); }
        if (address.empty()) { address = host; }
        const Addresses there = resolve(address, std::to_string(port));
        Id id = new_id();
        require(rdma_resolve_addr(id.get(), nullptr, there->ai_addr, timeout_ms), "no RDMA route to " + address);
        require(rdma_resolve_route(id.get(), timeout_ms), "rdma_resolve_route");
        return make_queue_pair(std::move(id), capacity, rdma_connect, "rdma_connect");
    }

    Region register_memory(void* data, std::size_t bytes) override {
        return region_of(ibv_reg_mr(domain_, data, bytes, access), reinterpret_cast<std::uintptr_t>(data),
                         "ibv_reg_mr");
    }

    Region register_dma_buf(int descriptor, std::size_t bytes, std::uint64_t address) override {
#ifdef PROBES_HAVE_DMABUF
        return region_of(ibv_reg_dmabuf_mr(domain_, 0, bytes, address, descriptor, access), address,
                         "ibv_reg_dmabuf_mr");
#else
        (void)descriptor, (void)bytes, (void)address;
        throw std::runtime_error("built with an rdma-core older than 34: no dma-buf");
#endif
    }

    void deregister(const Region& region) override { ibv_dereg_mr(static_cast<ibv_mr*>(region.handle)); }

    Section facts() const override {
        const std::string name = ibv_get_device_name(context_->device);
        std::string parts = ", , firmware ";
        ibv_device_attr device = {};
        if (ibv_query_device(context_, &device) == 0) {
            parts = ", vendor " + std::to_string(device.vendor_id) + " part " + std::to_string(device.vendor_part_id) +
                    ", firmware " + device.fw_ver;
        }
        std::string layer;
        int mtu_bytes = 0;
        ibv_port_attr port = {};
        if (ibv_query_port(context_, port_, &port) == 0) {
            layer = port.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand";
            mtu_bytes = 128 << static_cast<int>(port.active_mtu);  // the enumeration counts 256 as 1
        }
        const std::string folder = "/sys/class/infiniband/" + name;
        char target[512] = {};
        const ssize_t n = readlink((folder + "/device").c_str(), target, sizeof target - 1);
        const std::string device_path = n > 0 ? target : "";
        return {words("nic", name + parts),
                words("network", layer + " " + first_line(folder + "/ports/" + std::to_string(port_) + "/rate")),
                count("mtu_bytes", static_cast<std::uint64_t>(mtu_bytes)),
                words("nic_pci", device_path.substr(device_path.rfind('/') + 1)),
                {"nic_numa_node", std::to_string(numa_node(folder + "/device")), true}};
    }

private:
    static constexpr int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

    std::unique_ptr<QueuePair> make_queue_pair(Id id, const QueueCapacity& capacity,
                                               int (*finish)(rdma_cm_id*, rdma_conn_param*), const char* call) {
        const int inlined = create_queue_pair(*id, capacity);
        rdma_conn_param param = connection(id->verbs);
        require(finish(id.get(), &param), call);
        return std::make_unique<Pair>(std::move(id), inlined);
    }

    // In rdma-cm's default domain of the device. Returns the inline bytes granted.
    int create_queue_pair(rdma_cm_id& id, const QueueCapacity& capacity) {
        for (int inlined : {capacity.inline_bytes, 0}) {
            ibv_qp_init_attr attributes = {};
            attributes.cap = {static_cast<std::uint32_t>(capacity.sends), static_cast<std::uint32_t>(capacity.receives),
                              1, 1, static_cast<std::uint32_t>(inlined)};
            attributes.qp_type = IBV_QPT_RC;
            if (rdma_create_qp(&id, nullptr, &attributes) == 0) {
                context_ = id.verbs;
                domain_ = id.pd;
                port_ = id.port_num;
                return inlined == 0 ? 0 : static_cast<int>(attributes.cap.max_inline_data);
            }
        }
        fail("rdma_create_qp");
    }

    static Region region_of(ibv_mr* memory, std::uint64_t address, const char* call) {
        if (memory == nullptr) {
            throw std::runtime_error(std::string(call) + ": " + std::strerror(errno) +
                                     " (is `ulimit -l` large enough, and nvidia-peermem loaded for GPU memory?)");
        }
        return {address, memory->length, memory->lkey, memory->rkey, memory};
    }

    Id listener_;
    // Of the last connection; rdma-cm owns both.
    ibv_context* context_ = nullptr;
    ibv_pd* domain_ = nullptr;
    std::uint8_t port_ = 1;
};

}  // namespace

std::unique_ptr<Verbs> open_verbs() { return std::make_unique<Hca>(); }

}  // namespace probe
