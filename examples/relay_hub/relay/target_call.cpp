// SPDX-License-Identifier: MIT
#include "target_call.hpp"

#include "answer_reader.hpp"
#include "call_deadline.hpp"
#include "target_socket.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace relay_hub {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::string head_for(const Endpoint& endpoint) {
    return "POST /tx HTTP/1.1\r\nHost: " + to_url(endpoint).substr(7) +
           "\r\nUser-Agent: relay_hub\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
           "Content-Length: ";
}

/// How long a connection may be idle, by what the target says of it.
std::chrono::nanoseconds idle_time(const AnswerReader& answer) noexcept {
    const std::chrono::nanoseconds most = ConnectionPool::max_idle;
    return answer.kept_for() ? std::min(most, std::chrono::nanoseconds{*answer.kept_for()} - 1s) : most;
}

} // namespace

/// One call: at first on a kept connection if there is one, then perhaps on a new one.
class TargetClient::Attempt {
  public:
    Attempt(TargetClient& client, const std::string& body, std::chrono::nanoseconds timeout,
            const std::string& more_fields)
        : client_{client}, call_{client.pool_}, begin_{steady_clock::now()}, deadline_{begin_, timeout},
          request_{client.head_ + std::to_string(body.size()) + more_fields + "\r\n\r\n" + body} {}

    CallResult run() {
        const AddressList addresses = client_.addresses_.get();
        if (auto kept = client_.pool_.take(steady_clock::now(), addresses)) {
            const bool is_answered_or_lost = send_on(std::move(*kept));
            if (is_answered_or_lost) return std::move(result_);
        }
        Connected connected = connect_to(addresses, deadline_);
        if (!connected.socket) {
            result_.end = connected.timed_out ? CallResult::End::timed_out : CallResult::End::broken;
            result_.is_unsent = !connected.timed_out;
            result_.detail = std::move(connected.problem);
            result_.took = took();
            return std::move(result_);
        }
        client_.addresses_.connected_to(connected.address);
        static_cast<void>(
            send_on({std::move(connected.socket), connected.address, steady_clock::now()}));
        return std::move(result_);
    }

  private:
    /// @return false: the target did not read it, so it may be sent again
    bool send_on(TargetConnection connection) {
        const Use use = !connection.is_reused    ? Use::first
                        : connection.is_on_trial ? Use::trial
                                                 : Use::again;
        AnswerReader answer;
        Exchange ended;
        try {
            ended = exchange(connection.socket.get(), request_, answer, deadline_, use);
        } catch (...) {
            client_.pool_.lose(connection, steady_clock::now(), false);
            throw;
        }
        const auto now = steady_clock::now();
        if (ended.end == Exchange::End::answered) {
            take_answer(answer, ended);
        } else {
            const bool is_late = ended.end == Exchange::End::timed_out;
            result_.end = is_late ? CallResult::End::timed_out : CallResult::End::broken;
            result_.detail = std::move(ended.problem);
            result_.took = took();
        }
        if (ended.may_be_kept)
            client_.pool_.give_back(std::move(connection), now, idle_time(answer), answer.says_kept());
        else
            client_.pool_.lose(connection, now, ended.was_ended);
        return ended.end != Exchange::End::unread;
    }

    void take_answer(AnswerReader& answer, const Exchange& ended) {
        result_.end = CallResult::End::answered;
        result_.status = answer.status();
        result_.body = std::move(answer.body());
        result_.retry_after = std::move(answer.retry_after());
        result_.took = took(ended.late);
    }

    [[nodiscard]] std::chrono::nanoseconds took(std::chrono::nanoseconds late = {}) const noexcept {
        // Both are times in which the hub was not there; they may be the same.
        const auto all = steady_clock::now() - begin_;
        return std::max(std::chrono::nanoseconds{0}, all - std::max(late, deadline_.lost()));
    }

    TargetClient& client_;
    const ConnectionPool::Call call_;
    const SteadyTime begin_;
    CallDeadline deadline_;
    const std::string request_;
    CallResult result_;
};

TargetClient::TargetClient(const Endpoint& endpoint, std::size_t max_connections)
    : endpoint_{endpoint}, head_{head_for(endpoint)}, addresses_{endpoint}, pool_{max_connections} {}

CallResult TargetClient::post_tx(const std::string& body, std::chrono::nanoseconds timeout,
                                 std::optional<std::chrono::milliseconds> time_left) {
    const std::string field =
        time_left ? "\r\nX-Timeout-Ms: " + std::to_string(time_left->count()) : std::string{};
    CallResult result = Attempt{*this, body, timeout, field}.run();
    if (result.end != CallResult::End::answered)
        addresses_.refresh(steady_clock::now(), TargetAddresses::max_age_after_failure);
    return result;
}

void TargetClient::tidy() noexcept {
    const auto now = steady_clock::now();
    addresses_.refresh(now, TargetAddresses::max_age);
    try {
        pool_.tidy(now, addresses_.get());
    } catch (const std::bad_alloc&) { // the next time is soon
    }
}

} // namespace relay_hub
