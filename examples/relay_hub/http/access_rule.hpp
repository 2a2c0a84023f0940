// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_ACCESS_RULE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_ACCESS_RULE_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relay_hub {

/// Who may use a route.
enum class Access : std::uint8_t {
    reading, ///< whoever reaches the hub: what a page of another origin asks for, it cannot read
    calling, ///< the same, but no page of another origin: the request does or holds something
    control, ///< who sits at this machine, and means it
};

/// What the rule looks at. Each header as often as it is there.
struct RequestFacts {
    std::string peer; ///< the address that the connection comes from
    std::vector<std::string> host;
    std::vector<std::string> origin;
    std::vector<std::string> fetch_site; ///< Sec-Fetch-Site: browsers set it, and no page can
    std::vector<std::string> content_type;
    std::vector<std::string> control; ///< X-Relay-Hub-Control
};

/// Whether a request may be served, by where it comes from. There are no users and no cookies: who
/// reaches the hub may ask, and who runs programs on its machine may command.
///
/// What is left to guard against is a browser on that machine, whose pages come from anywhere:
///
/// - A page of another origin may send simple requests. To a control route it must send a header and a
///   content type that are not simple, so the browser asks first, and the hub never allows it.
/// - A name that is made to mean 127.0.0.1 after its page was loaded has that page's origin. The
///   browser still sends the name as Host, and here it is none of ours.
///
/// **Threads.** A value.
class AccessRule {
  public:
    /// @param listening  the host that the hub listens on, as it was told
    explicit AccessRule(std::string_view listening) : listening_{in_lower_case(listening)} {}

    struct Refusal {
        int status = 403;
        std::string_view text; ///< empty: it may be served
    };

    [[nodiscard]] Refusal refusal(Access access, const RequestFacts& request) const {
        const bool is_control = access == Access::control;
        if (is_control && !is_loopback_address(request.peer))
            return {403, "control is for clients on the hub's own machine"};
        // On other addresses the hub has names that it does not know, and readers from elsewhere.
        if ((is_control || is_loopback(listening_)) && !has_own_host(request.host, is_control))
            return {403, "the header Host is not a name of this hub"};
        if (access == Access::reading) return {};
        if (!is_own_origin(request)) return {403, "the request comes from a page of another origin"};
        if (!is_control) return {};
        if (!is_once(request.control, "1"))
            return {403, "the header X-Relay-Hub-Control: 1 is missing"};
        if (!is_json(request.content_type)) return {415, "the Content-Type is not application/json"};
        return {};
    }

  private:
    using Values = std::vector<std::string>;

    [[nodiscard]] static std::string in_lower_case(std::string_view text) {
        std::string result{text};
        for (char& c : result)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return result;
    }

    [[nodiscard]] static bool is_once(const Values& values, std::string_view value) {
        return values.size() == 1 && values.front() == value;
    }

    /// Of an address in numbers, as a socket tells it.
    [[nodiscard]] static bool is_loopback_address(std::string_view address) {
        constexpr std::string_view mapped = "::ffff:"; // an IPv4 client of an IPv6 socket
        if (address.starts_with(mapped)) address.remove_prefix(mapped.size());
        const auto is_ipv4 = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
        return address == "::1" ||
               (address.starts_with("127.") && std::ranges::all_of(address, is_ipv4));
    }

    [[nodiscard]] static bool is_loopback(std::string_view host) {
        return host == "localhost" || is_loopback_address(host);
    }

    /// Splits `name`, `name:port`, `[v6]` or `[v6]:port`. @return the name; empty: it is none of these
    [[nodiscard]] static std::string_view name_of(std::string_view host) {
        const bool has_brackets = host.starts_with('[');
        const auto end = std::min(host.find(has_brackets ? ']' : ':'), host.size());
        const std::string_view name = has_brackets ? host.substr(1, end - 1) : host.substr(0, end);
        std::string_view rest = host.substr(end);
        if (has_brackets && !rest.empty()) rest.remove_prefix(1);
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const bool has_port =
            rest.size() > 1 && rest.front() == ':' && std::ranges::all_of(rest.substr(1), is_digit);
        const bool is_closed = !has_brackets || end != host.size();
        return is_closed && (rest.empty() || has_port) ? name : std::string_view{};
    }

    /// The port is not compared: a forwarded one is another, and a page cannot choose it either.
    [[nodiscard]] bool has_own_host(const Values& hosts, bool is_required) const {
        if (hosts.empty()) return !is_required;
        if (hosts.size() != 1) return false;
        const std::string host = in_lower_case(hosts.front());
        const std::string_view name = name_of(host);
        return name == "localhost" || name == "127.0.0.1" || name == "::1" ||
               (!name.empty() && name == listening_);
    }

    /// A browser tells the origin of the page, and most of them whether that is ours.
    [[nodiscard]] static bool is_own_origin(const RequestFacts& request) {
        if (!request.fetch_site.empty() && !is_once(request.fetch_site, "same-origin") &&
            !is_once(request.fetch_site, "none"))
            return false;
        if (request.origin.empty()) return true;
        return request.origin.size() == 1 && request.host.size() == 1 &&
               in_lower_case(request.origin.front()) == "http://" + in_lower_case(request.host.front());
    }

    [[nodiscard]] static bool is_json(const Values& content_types) {
        if (content_types.size() != 1) return false;
        std::string type = in_lower_case(content_types.front());
        type.resize(std::min(type.find(';'), type.size()));
        while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
        return type == "application/json";
    }

    std::string listening_;
};

} // namespace relay_hub

#endif
