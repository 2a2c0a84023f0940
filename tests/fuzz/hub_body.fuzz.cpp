// SPDX-License-Identifier: MIT
// Bytes are the body of a request to relay_hub, or a target's answer. Whatever they are, an answer goes
// back: a code, a status that goes with it, and JSON; and no good request is refused.
#include "finding.hpp"

#include "../../examples/common/file_descriptor.hpp"
#include "../../examples/relay_hub/relay/answer.hpp"
#include "../../examples/relay_hub/relay/codes.hpp"
#include "../../examples/relay_hub/relay/relay.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <netinet/in.h>
#include <sys/socket.h>

namespace {

using namespace relay_hub;
using fuzz::require;
using nlohmann::json;

/// Returns true if the body is JSON but for values that nlohmann/json cannot hold: it takes a number
/// out of range and half of a surrogate pair for errors.
bool is_beyond_nlohmann(std::string_view body) {
    try {
        static_cast<void>(json::parse(body));
        return false;
    } catch (const json::exception& error) {
        return error.id == 406 ||
               std::string_view{error.what()}.find("surrogate") != std::string_view::npos;
    }
}

/// What the hub is to read, by building the document that the hub does without.
std::optional<std::string> field(std::string_view body, const char* key) {
    int times = 0;
    int depth = 0;
    const auto watch = [&](int level, json::parse_event_t event, json& parsed) {
        using Event = json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start)
            depth = std::max(depth, level + 1);
        if (event == Event::key && level == 1 && parsed == key) ++times;
        return true;
    };
    if (body.find('\0') != std::string_view::npos) return std::nullopt;
    const json document = json::parse(body, watch, false);
    if (!document.is_object() || times != 1 || depth > 64) return std::nullopt;
    const auto found = document.find(key);
    return found->is_string() ? std::optional{found->get<std::string>()} : std::nullopt;
}

void check_answer(const Reply& reply) {
    const json document = json::parse(reply.body, nullptr, false);
    require(document.is_object(), "an answer that is no JSON object");
    require(document.value("code", json{}) == reply.code, "an answer without its code");
    require(reply.status >= 200 && reply.status <= 599, "an answer without a status");
}

void check_own(const Reply& reply, std::string_view code) {
    require(reply.code == code, "another code than the one that is due");
    require(reply.status == http_status(code), "a status that does not go with the code");
    require(json::parse(reply.body).at("message").is_string(), "an error that says nothing");
    require(reply.body.size() <= 1000, "an error as long as what it is about");
}

/// Nobody listens at its port, so calls fail at once; then its circuit opens, for a day.
class DeadTarget {
  public:
    DeadTarget() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        require(::bind(socket_.get(), generic, size) == 0 &&
                    ::getsockname(socket_.get(), generic, &size) == 0,
                "no port for the target");
        options_.targets.push_back({"CORE", {"127.0.0.1", ntohs(address.sin_port)}, {}});
        options_.targets.back().settings.reset_timeout =
            std::chrono::nanoseconds{std::chrono::hours{24}};
        relay_.emplace(registry_, options_);
    }

    [[nodiscard]] Reply handle(const std::string& body) { return relay_->handle(body, {}); }

  private:
    example::FileDescriptor socket_;
    Options options_;
    Registry registry_;
    std::optional<Relay> relay_;
};

void relay_request(std::string_view body) {
    static DeadTarget hub;
    const Reply reply = hub.handle(std::string{body});
    check_answer(reply);
    if (is_beyond_nlohmann(body)) return;
    const auto target = field(body, "target");
    if (!target) return check_own(reply, code::malformed);
    if (*target != "CORE") return check_own(reply, code::unknown_target);
    check_own(reply, reply.code == code::broken ? code::broken : code::circuit_open);
}

void relay_answer(int status, std::string_view body) {
    const Reply reply = to_reply({CallResult::End::answered, status, std::string{body}, {}}, "CORE");
    if (is_beyond_nlohmann(body)) return;
    check_answer(reply);
    if (status >= 500 && status <= 599) return check_own(reply, code::target_error);
    const auto answered = field(body, "code");
    if (status < 200 || status > 499 || !answered) return check_own(reply, code::broken);
    require(reply.code == *answered && reply.status == status, "an answer that was changed");
    require(reply.body == body, "a body that was changed");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Mostly the beginning that any body has means a request; another first byte is an answer's status.
    constexpr std::array statuses{200, 201, 204, 302, 400, 409, 499, 500, 503, 599, 600, 199, 999, 0};
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    if (text.empty() || text.front() < 'A' ||
        static_cast<std::size_t>(text.front() - 'A') >= statuses.size()) {
        relay_request(text);
    } else {
        relay_answer(statuses[static_cast<std::size_t>(text.front() - 'A')], text.substr(1));
    }
    return 0;
}
