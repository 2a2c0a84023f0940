// SPDX-License-Identifier: MIT
#include "page_routes.hpp"

#include "page.hpp"

#include "../../common/connection.hpp"

#include <memory>
#include <string>

namespace relay_hub {
namespace {

using example::HttpRequest;
using example::HttpResponse;

/// The page may run its own script, use its own style, talk to this hub, and nothing else; and nobody
/// may put it into a frame, where a click could be stolen.
std::string content_security_policy() {
    return "default-src 'none'; script-src " + std::string{page::script_hash} + "; style-src " +
           std::string{page::style_hash} +
           "; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'";
}

void show_page(const HttpRequest&, HttpResponse& response) {
    static const std::string policy = content_security_policy();
    response.fields.set("Content-Security-Policy", policy);
    response.fields.set("Referrer-Policy", "no-referrer");
    response.fields.set("Cache-Control", "no-cache");
    response.set_body(std::string{page::html}, "text/html; charset=utf-8");
}

void stream_events(EventFeed& feed, HttpResponse& response) {
    const std::shared_ptr<EventFeed::Stream> stream = feed.open(example::Connection::current());
    if (!stream) {
        response.status = 503;
        response.fields.set("Retry-After", "5");
        response.set_body(R"({"message":"as many streams as there may be: try GET /targets"})",
                          "application/json");
        return;
    }
    response.content_type = "text/event-stream";
    response.stream = [stream](example::BodyWriter& writer) { return stream->run(writer); };
}

} // namespace

void add_page_routes(Routes& routes, EventFeed& feed) {
    routes.get("/", Access::reading, show_page);
    routes.get("/events", Access::calling,
               [&feed](const HttpRequest&, HttpResponse& response) { stream_events(feed, response); });
}

} // namespace relay_hub
