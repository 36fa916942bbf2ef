#include "ucx/ucx_link.hpp"

#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "core/arena.hpp"
#include "core/ending.hpp"
#include "core/exchange.hpp"
#include "core/owned.hpp"

namespace probe {
namespace {

constexpr ucp_tag_t message_tag = 0xFAB;

void require(ucs_status_t status, const char* what) {
    if (status == UCS_ERR_NO_DEVICE) { throw NotHere(std::string(what) + ": " + ucs_status_string(status)); }
    if (status != UCS_OK) { throw std::runtime_error(std::string(what) + ": " + ucs_status_string(status)); }
}

using Context = Owned<ucp_context_h, ucp_cleanup>;
using Worker = Owned<ucp_worker_h, ucp_worker_destroy>;

Context open_context(std::string transports, const std::string& devices) {
    std::replace(transports.begin(), transports.end(), '+', ',');
    if (std::getenv("UCX_LOG_LEVEL") == nullptr) {
        ucs_global_opts_set_value("LOG_LEVEL", "fatal");  // what fails is told once, by the probe
    }
    ucp_config_t* config = nullptr;
    require(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    ucs_status_t status = ucp_config_modify(config, "TLS", transports.c_str());
    if (status == UCS_OK && !devices.empty()) { status = ucp_config_modify(config, "NET_DEVICES", devices.c_str()); }
    ucp_params_t params = {};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_RMA;
    ucp_context_h context = nullptr;
    if (status == UCS_OK) { status = ucp_init(&params, config, &context); }
    ucp_config_release(config);
    require(status, ("UCX with transports '" + transports + "'").c_str());
    return Context(context);
}

Worker open_worker(ucp_context_h context) {
    ucp_worker_params_t params = {};
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    params.thread_mode = UCS_THREAD_MODE_SINGLE;
    ucp_worker_h worker = nullptr;
    require(ucp_worker_create(context, &params, &worker), "ucp_worker_create");
    return Worker(worker);
}

// An arena that the other end may put to and get from.
class Shared {
public:
    Shared(ucp_context_h context, const LinkSettings& settings)
        : context_(context),
          arena_(settings.gpu ? gpu_arena(settings.gpu_index, settings.bytes) : host_arena(settings.bytes)) {
        ucp_mem_map_params_t params = {};
        params.field_mask =
            UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
        params.address = arena_->data();
        params.length = arena_->bytes();
        params.memory_type = settings.gpu ? UCS_MEMORY_TYPE_CUDA : UCS_MEMORY_TYPE_HOST;
        require(ucp_mem_map(context_, &params, &handle_), "ucp_mem_map");
    }
    ~Shared() { ucp_mem_unmap(context_, handle_); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    Arena& arena() const { return *arena_; }
    unsigned char* at(std::size_t offset) const { return static_cast<unsigned char*>(arena_->data()) + offset; }

    // Address and key, for the other end.
    std::string card() const {
        void* key = nullptr;
        std::size_t bytes = 0;
        require(ucp_rkey_pack(context_, handle_, &key, &bytes), "ucp_rkey_pack");
        std::string text = std::to_string(reinterpret_cast<std::uintptr_t>(arena_->data())) + ' ';
        text.append(static_cast<const char*>(key), bytes);
        ucp_rkey_buffer_release(key);
        return text;
    }

private:
    ucp_context_h context_;
    std::unique_ptr<Arena> arena_;
    ucp_mem_h handle_ = nullptr;
};

// The other end's arena.
struct Remote {
    std::uint64_t address = 0;
    ucp_rkey_h key = nullptr;
};

// Counts what ended; the callbacks' user data.
struct Tally {
    std::uint64_t ended = 0;
    ucs_status_t status = UCS_OK;

    void end(ucs_status_t how) {
        ++ended;
        status = status == UCS_OK ? how : status;
    }
};

void on_sent(void* request, ucs_status_t status, void* tally) {
    static_cast<Tally*>(tally)->end(status);
    ucp_request_free(request);
}

void on_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* /*info*/, void* tally) {
    on_sent(request, status, tally);
}

class Connected final : public Link {
public:
    Connected(Control& control, const LinkSettings& settings, const std::string& devices)
        : depth_(settings.depth),
          context_(open_context(settings.variant, devices)),
          outgoing_(context_.get(), settings),
          incoming_(context_.get(), settings),
          worker_(open_worker(context_.get())) {
        connect(control);
    }

    ~Connected() override {
        ucp_rkey_destroy(peer_outgoing_.key);
        ucp_rkey_destroy(peer_incoming_.key);
        close_endpoint();
    }

    Arena& outgoing() override { return outgoing_.arena(); }
    Arena& incoming() override { return incoming_.arena(); }
    int depth() const override { return depth_; }

    void post(Operation operation, std::size_t offset, std::size_t bytes) override {
        const ucp_request_param_t param = request(sends_);
        const auto call = [&] {
            switch (operation) {
                case Operation::send:
                    return ucp_tag_send_nbx(endpoint_, outgoing_.at(offset), bytes, message_tag, &param);
                case Operation::put:
                    return ucp_put_nbx(endpoint_, outgoing_.at(offset), bytes, peer_incoming_.address + offset,
                                       peer_incoming_.key, &param);
                case Operation::get: break;
            }
            return ucp_get_nbx(endpoint_, incoming_.at(offset), bytes, peer_outgoing_.address + offset,
                               peer_outgoing_.key, &param);
        };
        settle(call(), sends_);
    }

    void post_receive(std::size_t offset, std::size_t bytes) override {
        ucp_request_param_t param = request(receives_);
        param.cb.recv = on_received;
        constexpr ucp_tag_t whole_tag = ~ucp_tag_t{0};
        settle(ucp_tag_recv_nbx(worker_.get(), incoming_.at(offset), bytes, message_tag, whole_tag, &param), receives_);
    }

    void progress() override {
        ucp_worker_progress(worker_.get());
        for (const Tally* tally : {&sends_, &receives_, &flushes_}) { require(tally->status, "a transfer failed"); }
    }

    std::uint64_t completed() const override { return sends_.ended; }
    std::uint64_t received() const override { return receives_.ended; }

    void start_flush() override {
        const ucp_request_param_t param = request(flushes_);
        ++flushes_started_;
        settle(ucp_ep_flush_nbx(endpoint_, &param), flushes_);
    }
    bool flushed() const override { return flushes_.ended == flushes_started_; }

    // The lanes, as UCX names them.
    std::string description() const override {
        char* text = nullptr;
        std::size_t bytes = 0;
        std::FILE* out = open_memstream(&text, &bytes);
        ucp_ep_print_info(endpoint_, out);
        std::fclose(out);
        std::istringstream lines(text == nullptr ? "" : text);
        std::free(text);
        std::string found;
        for (std::string line; std::getline(lines, line);) {
            // "#                 lane[0]:  0:tcp/lo.0 md[0] -> ..."
            std::istringstream parts(line);
            std::string hash, lane, wire;
            if (parts >> hash >> lane >> wire && lane.rfind("lane[", 0) == 0) {
                found += (found.empty() ? "" : " ") + wire.substr(wire.find(':') + 1);
            }
        }
        return found;
    }

private:
    static ucp_request_param_t request(Tally& tally) {
        ucp_request_param_t param = {};
        param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
        param.cb.send = on_sent;
        param.user_data = &tally;
        return param;
    }

    // A call that ended at once never calls back.
    static void settle(ucs_status_ptr_t request, Tally& tally) {
        if (!UCS_PTR_IS_PTR(request)) { tally.end(UCS_PTR_STATUS(request)); }
    }

    void connect(Control& control) {
        ucp_address_t* address = nullptr;
        std::size_t bytes = 0;
        require(ucp_worker_get_address(worker_.get(), &address, &bytes), "ucp_worker_get_address");
        const std::string own(reinterpret_cast<const char*>(address), bytes);
        ucp_worker_release_address(worker_.get(), address);
        control.send(own);
        const std::string peer = control.receive();
        ucp_ep_params_t params = {};
        params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
        params.address = reinterpret_cast<const ucp_address_t*>(peer.data());
        require(ucp_ep_create(worker_.get(), &params, &endpoint_), "ucp_ep_create");
        control.send(outgoing_.card());
        control.send(incoming_.card());
        peer_outgoing_ = unpack(control.receive());
        peer_incoming_ = unpack(control.receive());
        control.barrier();
    }

    Remote unpack(const std::string& card) const {
        const std::size_t blank = card.find(' ');
        if (blank == std::string::npos) { throw PeerLost("the peer sent no memory key"); }
        Remote remote;
        remote.address = std::strtoull(card.c_str(), nullptr, 10);
        require(ucp_ep_rkey_unpack(endpoint_, card.data() + blank + 1, &remote.key), "ucp_ep_rkey_unpack");
        return remote;
    }

    // Ends what is on the way; a peer that is gone is not waited for beyond a second.
    void close_endpoint() {
        ucp_request_param_t param = {};
        void* closing = ucp_ep_close_nbx(endpoint_, &param);
        if (!UCS_PTR_IS_PTR(closing)) { return; }
        const double until = steady_seconds() + 1;
        while (ucp_request_check_status(closing) == UCS_INPROGRESS && steady_seconds() < until) {
            ucp_worker_progress(worker_.get());
        }
        ucp_request_free(closing);
    }

    int depth_;
    Context context_;
    Shared outgoing_, incoming_;
    Worker worker_;
    ucp_ep_h endpoint_ = nullptr;
    Remote peer_outgoing_, peer_incoming_;
    Tally sends_, receives_, flushes_;
    std::uint64_t flushes_started_ = 0;
};

}  // namespace

std::unique_ptr<Link> connect_ucx(Control& control, const LinkSettings& settings, const std::string& devices) {
    return std::make_unique<Connected>(control, settings, devices);
}

std::string ucx_version() { return ucp_get_version_string(); }

}  // namespace probe
