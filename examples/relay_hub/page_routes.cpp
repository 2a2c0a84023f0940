// SPDX-License-Identifier: MIT
#include "page_routes.hpp"

#include "page.hpp"

#include "../common/connection.hpp"

#include <memory>
#include <string>

namespace relay_hub {
namespace {

using httplib::Request;
using httplib::Response;

/// The page may run its own script, use its own style, talk to this hub, and nothing else; and nobody
/// may put it into a frame, where a click could be stolen.
std::string content_security_policy() {
    return "default-src 'none'; script-src " + std::string{page::script_hash} + "; style-src " +
           std::string{page::style_hash} +
           "; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'";
}

void show_page(const Request&, Response& response) {
    static const std::string policy = content_security_policy();
    response.set_header("Content-Security-Policy", policy);
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cache-Control", "no-cache");
    response.set_content(page::html.data(), page::html.size(), "text/html; charset=utf-8");
}

void stream_events(EventFeed& feed, Response& response) {
    const std::shared_ptr<EventFeed::Stream> stream = feed.open(example::Connection::current());
    if (!stream) {
        response.status = 503;
        response.set_header("Retry-After", "5");
        response.set_content(R"({"message":"as many streams as there may be: try GET /targets"})",
                             "application/json");
        return;
    }
    response.set_header("Cache-Control", "no-store");
    response.set_chunked_content_provider(
        "text/event-stream",
        [stream](std::size_t, httplib::DataSink& sink) { return stream->send_next(sink); });
}

} // namespace

void add_page_routes(httplib::Server& server, EventFeed& feed) {
    server.Get("/", show_page);
    server.Get("/events",
               [&feed](const Request&, Response& response) { stream_events(feed, response); });
}

} // namespace relay_hub
