// SPDX-License-Identifier: MIT
#include "../../../examples/common/body_framing.hpp"

#include "catch.hpp"

#include <initializer_list>
#include <limits>
#include <string>

namespace tests::examples_common_body_framing {

using example::BodyFraming;
using example::HttpRequest;

namespace {

BodyFraming framing(std::initializer_list<example::HttpFields::Field> fields, int minor_version = 1) {
    HttpRequest request;
    request.minor_version = minor_version;
    for (const auto& [name, value] : fields) request.fields.add(name, value);
    return framing_of(request);
}

int status(std::initializer_list<example::HttpFields::Field> fields, int minor_version = 1) {
    const BodyFraming result = framing(fields, minor_version);
    return result.problem ? result.problem->status : 200;
}

} // namespace

TEST_CASE("BodyFraming: a request without a length has no body", "[http]") {
    CHECK_FALSE(framing({}).has_body());
    CHECK_FALSE(framing({{"Content-Length", "0"}}).has_body());
    CHECK(framing({{"Content-Length", "17"}}).length == 17);
    CHECK(framing({{"content-length", "007"}}).length == 7);
    CHECK(framing({{"Content-Length", "99999999999999999999999"}}).length ==
          std::numeric_limits<std::size_t>::max());
}

TEST_CASE("BodyFraming: a length that is none, or is there twice, is refused", "[http]") {
    for (const char* length :
         {"", "-1", "+1", "1 2", "1,1", "1, 1", "0x1", "1.0", "a", "1a", "\xd9\xa1"}) {
        INFO(length);
        CHECK(status({{"Content-Length", length}}) == 400);
    }
    CHECK(status({{"Content-Length", "17"}, {"Content-Length", "18"}}) == 400);
    CHECK(status({{"Content-Length", "17"}, {"Content-Length", "17"}}) == 400);
}

TEST_CASE("BodyFraming: chunked is the one transfer coding, alone and once", "[http]") {
    for (const char* coding : {"chunked", "Chunked", "CHUNKED", ", chunked ,"}) {
        INFO(coding);
        CHECK(framing({{"Transfer-Encoding", coding}}).is_chunked);
        CHECK(status({{"Transfer-Encoding", coding}}) == 200);
    }
    for (const char* coding :
         {"", ",", "identity", "gzip", "chunked, identity", "chunked, gzip", "chunked, chunked",
          "chunked;q=1", "xchunked", "chunked x", "\"chunked\""}) {
        INFO(coding);
        CHECK(status({{"Transfer-Encoding", coding}}) == 400);
    }
    for (const char* coding :
         {"gzip, chunked", "identity, chunked", "x;a=\"b\", chunked", "gzip,CHUNKED"}) {
        INFO(coding);
        CHECK(status({{"Transfer-Encoding", coding}}) == 501);
    }
}

TEST_CASE("BodyFraming: two headers of transfer codings are one list", "[http]") {
    CHECK(status({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "identity"}}) == 400);
    CHECK(status({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}) == 400);
    CHECK(status({{"Transfer-Encoding", "gzip"}, {"Transfer-Encoding", "chunked"}}) == 501);
}

TEST_CASE("BodyFraming: a transfer coding with a length, or in HTTP/1.0, is refused", "[http]") {
    CHECK(status({{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}) == 400);
    CHECK(status({{"Content-Length", "0"}, {"Transfer-Encoding", "chunked"}}) == 400);
    CHECK(status({{"Transfer-Encoding", "identity"}, {"Content-Length", "5"}}) == 400);
    CHECK(status({{"Transfer-Encoding", "chunked"}}, 0) == 400);
    CHECK(status({{"Content-Length", "5"}}, 0) == 200);
}

} // namespace tests::examples_common_body_framing
