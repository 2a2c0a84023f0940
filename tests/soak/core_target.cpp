// SPDX-License-Identifier: MIT
#include "core_target.hpp"

#include "../../examples/common/json_client.hpp"

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace soak {
namespace {

using namespace std::chrono_literals;
using e2e::Victim;

constexpr std::size_t crooked_threads = 4;

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

void send_garbage(const Victim& victim, std::size_t which) {
    switch (which % 5) {
    case 0: victim.send("SSH-2.0-OpenSSH_9.2\r\n"); break;
    case 1: victim.send(std::string("\0\xff\x01\r\n\r\n\x80", 8)); break;
    case 2: victim.send(e2e::http_answer("<html>hello</html>")); break;
    case 3: victim.send(head + "Content-Length: 15\r\n\r\n{\"code\":"); break;
    default: break; // not a byte
    }
}

void trickle(const Victim& victim, std::size_t which) {
    if (which % 2 == 0) {
        victim.send(head);
        victim.send_for_ever("X-More: 1\r\n", 20ms);
    } else {
        victim.send(head + "Content-Length: 1000000\r\n\r\n");
        victim.send_for_ever(" ", 20ms);
    }
}

void flood(const Victim& victim, std::size_t which) {
    victim.send(which % 2 == 0 ? head + "\r\n" : head + "X-Long: ");
    victim.send_for_ever(std::string(64 * 1024, 'x'), 0ms);
}

} // namespace

std::string_view to_string(Trouble trouble) noexcept {
    switch (trouble) {
    case Trouble::none: return "well";
    case Trouble::rejects: return "rejects";
    case Trouble::fails: return "fails";
    case Trouble::slow: return "slow";
    case Trouble::hangs: return "hangs";
    case Trouble::dead: return "dead";
    case Trouble::resets: return "resets";
    case Trouble::garbage: return "garbage";
    case Trouble::trickles: return "trickles";
    case Trouble::floods: return "floods";
    }
    return "unknown";
}

CoreTarget::CoreTarget(std::filesystem::path simulator, std::filesystem::path errors, int port)
    : simulator_{std::move(simulator)}, errors_{std::move(errors)}, port_{port} {
    become(Trouble::none);
}

void CoreTarget::become(Trouble trouble) {
    switch (trouble) {
    case Trouble::none:
    case Trouble::rejects:
    case Trouble::fails:
    case Trouble::slow:
    case Trouble::hangs: return simulate(trouble);
    case Trouble::dead:
        crooked_.reset();
        service_.reset(); // with SIGKILL
        return;
    case Trouble::resets:
    case Trouble::garbage:
    case Trouble::trickles:
    case Trouble::floods: return be_crooked(trouble);
    }
}

void CoreTarget::simulate(Trouble trouble) {
    crooked_.reset();
    if (!service_)
        service_ = std::make_unique<example::Service>(
            simulator_, std::vector<std::string>{"--port", std::to_string(port_)}, errors_);
    const char* const mode = trouble == Trouble::rejects ? "reject"
                             : trouble == Trouble::fails ? "fail"
                             : trouble == Trouble::slow  ? "slow"
                             : trouble == Trouble::hangs ? "hang"
                                                         : "normal";
    example::JsonClient client{port_};
    if (client.post("/_ctl", nlohmann::json{{"mode", mode}, {"delay_ms", 80}}).status != 200)
        throw std::runtime_error{"CORE does not do as it is told"};
}

void CoreTarget::be_crooked(Trouble trouble) {
    service_.reset();
    crooked_.reset();
    const auto next = std::make_shared<std::atomic<std::size_t>>(0);
    crooked_ = std::make_unique<e2e::CrookedTarget>(
        [trouble, next](const Victim& victim) {
            const std::size_t which = (*next)++;
            if (trouble == Trouble::resets) return victim.reset_at_end();
            if (trouble == Trouble::garbage) return send_garbage(victim, which);
            if (trouble == Trouble::trickles) return trickle(victim, which);
            flood(victim, which);
        },
        port_, crooked_threads);
}

} // namespace soak
