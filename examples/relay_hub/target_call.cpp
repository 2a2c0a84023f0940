// SPDX-License-Identifier: MIT
#include "target_call.hpp"

#include "../common/deadline_stream.hpp"
#include "../common/file_descriptor.hpp"
#include "../common/wait_until.hpp"

#include <httplib.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <netdb.h>

namespace relay_hub {
namespace {

using example::SteadyTime;

constexpr std::size_t max_head = 8 * 1024;
constexpr std::size_t max_answer = 1024 * 1024;
constexpr std::size_t framing = 64 * 1024;

/// An httplib client on a DeadlineStream. Both overridden functions are httplib's own points of
/// variation: its TLS client is made of them.
class DeadlineClient final : public httplib::ClientImpl {
  public:
    DeadlineClient(const Address& target, SteadyTime deadline)
        : ClientImpl{target.endpoint.host, target.endpoint.port}, target_{target}, deadline_{deadline} {
        set_decompress(false);
    }

    CallResult post(const std::string& body) {
        httplib::Request request;
        request.method = "POST";
        request.path = "/tx";
        request.body = body;
        request.headers.emplace("Content-Type", "application/json");
        request.response_handler = [this](const httplib::Response&) {
            stream_->set_budget(max_answer + framing);
            return true;
        };
        CallResult result;
        request.content_receiver = [&](const char* data, std::size_t size, std::uint64_t,
                                       std::uint64_t) {
            const bool fits = size <= max_answer - result.body.size();
            if (fits)
                result.body.append(data, size);
            else
                problem_ = "the answer is too large";
            return fits;
        };
        httplib::Response response;
        httplib::Error error = httplib::Error::Success;
        if (send(request, response, error)) {
            result.end = CallResult::End::answered;
            result.status = response.status;
        } else {
            result.end = timed_out_ ? CallResult::End::timed_out : CallResult::End::broken;
            result.detail =
                problem_.empty() ? "the connection broke or the answer is not HTTP" : problem_;
        }
        return result;
    }

  private:
    bool create_and_connect_socket(Socket& socket, httplib::Error& error) override {
        error = httplib::Error::Connection;
        example::FileDescriptor descriptor{
            ::socket(target_.socket_address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (!descriptor) return fail(errno);
        const int yes = 1;
        ::setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        const int connected =
            ::connect(descriptor.get(), reinterpret_cast<const sockaddr*>(&target_.socket_address),
                      target_.length);
        if (connected != 0 && errno != EINPROGRESS) return fail(errno);
        if (connected != 0 && !example::wait_until(descriptor.get(), POLLOUT, deadline_)) {
            timed_out_ = true;
            problem_ = "no connection in time";
            return false;
        }
        int outcome = 0;
        socklen_t size = sizeof outcome;
        ::getsockopt(descriptor.get(), SOL_SOCKET, SO_ERROR, &outcome, &size);
        if (outcome != 0) return fail(outcome);
        error = httplib::Error::Success;
        socket.sock = descriptor.release();
        return true;
    }

    bool process_socket(const Socket& socket, std::function<bool(httplib::Stream&)> exchange) override {
        stream_.emplace(socket.sock, deadline_, max_head);
        const bool ok = exchange(*stream_);
        timed_out_ = stream_->timed_out();
        if (timed_out_) problem_ = "no complete answer in time";
        if (stream_->over_budget()) problem_ = "the answer is too large";
        return ok;
    }

    bool fail(int error) {
        problem_ = "cannot connect: " + std::generic_category().message(error);
        return false;
    }

    const Address& target_;
    const SteadyTime deadline_;
    std::optional<example::DeadlineStream> stream_;
    bool timed_out_ = false;
    std::string problem_;
};

} // namespace

Address look_up(const Endpoint& endpoint) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error =
        ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
    if (error != 0)
        throw std::invalid_argument{"no address for host '" + endpoint.host +
                                    "': " + ::gai_strerror(error)};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, &::freeaddrinfo};
    Address result;
    result.endpoint = endpoint;
    result.length = found->ai_addrlen;
    std::memcpy(&result.socket_address, found->ai_addr, found->ai_addrlen);
    return result;
}

CallResult post_tx(const Address& target, const std::string& body, std::chrono::nanoseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    return DeadlineClient{target, deadline}.post(body);
}

} // namespace relay_hub
