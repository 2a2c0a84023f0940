// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/envelope.hpp"

#include "catch.hpp"

#include <string>
#include <string_view>

namespace tests::examples_relay_hub_envelope {

using relay_hub::Field;
using relay_hub::read_field;

namespace {

void check_value(const std::string& body, const std::string& expected) {
    INFO(body);
    const Field field = read_field(body, "code");
    CHECK(field.problem.empty());
    REQUIRE(field.value);
    CHECK(*field.value == expected);
}

void check_problem(const std::string& body, const std::string& expected) {
    INFO(body);
    const Field field = read_field(body, "code");
    CHECK_FALSE(field.value);
    CHECK(field.problem == expected);
}

std::string with(const std::string& value) { return R"({"more":)" + value + R"(,"code":"0000"})"; }

} // namespace

TEST_CASE("read_field: the value comes back as text") {
    check_value(R"({"code":"0000"})", "0000");
    check_value(" \t\r\n{ \"code\" : \"\" } \n", "");
    check_value(R"({"a":{"code":1},"b":["code"],"code":"x"})", "x");
    check_value(R"({"code":"\"\\\/\b\f\n\r\t"})", "\"\\/\b\f\n\r\t");
    check_value(R"({"code":"\u0041\u00e4\u20ac\ud83d\ude00"})",
                "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
    check_value("{\"code\":\"\xC3\xA4\xF0\x9F\x98\x80\"}", "\xC3\xA4\xF0\x9F\x98\x80");
    check_value(R"({"c\u006fde":"0000"})", "0000");
    check_value("\xEF\xBB\xBF{\"code\":\"0000\"}", "0000");
    check_value(R"({"code\ud800":"1","code":"0000"})", "0000");
}

TEST_CASE("read_field: what is not read may hold any value that JSON can say") {
    for (const char* value : {"1e400",
                              "-1E+400",
                              "1e-400",
                              "123456789012345678901234567890123456789012345678901234567890",
                              "-0",
                              "0.0",
                              "-0.5e0",
                              R"("\ud800")",
                              R"("\udc00")",
                              R"("\udc00\ud800")",
                              R"("\ud800x")",
                              R"("\ud800\n")",
                              R"("\ud800\u0041")",
                              R"("\ud800\ud800")",
                              R"("\u0000")",
                              "true",
                              "false",
                              "null",
                              "[]",
                              "{}",
                              "[1,[2,{}],\"\"]",
                              R"({"a":1,"a":2})",
                              R"({"":0})",
                              "\"\x7F\""})
        check_value(with(value), "0000");
    check_value(with("1" + std::string(100'000, '0')), "0000");
    check_value(R"({"x":1,"x":2,"code":"0000","x":3})", "0000");
    check_value(with(std::string(63, '[') + std::string(63, ']')), "0000");
}

TEST_CASE("read_field: what is no JSON is refused, and the message says where") {
    check_problem("", "not JSON at byte 1");
    check_problem("nope", "not JSON at byte 2");
    check_problem(R"({"code":"0000")", "not JSON at byte 15");
    check_problem(R"({"code":"0000"}x)", "not JSON at byte 16");
    check_problem(std::string(R"({"code":"0000"})") + '\0', "not JSON at byte 16");
    check_problem(std::string("{\"code\":\"00\0\"}", 14), "not JSON at byte 12");
    for (const char* value : {"",
                              "01",
                              "+1",
                              "-",
                              "1.",
                              ".5",
                              "1e",
                              "1e+",
                              "0x1",
                              "1e400x",
                              "NaN",
                              "Infinity",
                              "tru",
                              "truex",
                              "'a'",
                              "\"a",
                              "\"\\x\"",
                              "\"\\u12g4\"",
                              "\"\\ud800\\uZ\"",
                              "\"\\",
                              "\"\t\"",
                              "\"\n\"",
                              "[1,]",
                              "[,1]",
                              "[1 2]",
                              "{\"a\"}",
                              "{\"a\":1,}",
                              "{a:1}",
                              "{\"a\" 1}",
                              "[}",
                              "{]",
                              "1,,2",
                              "\"\xFF\"",
                              "\"\xC0\x80\"",
                              "\"\xE0\x80\x80\"",
                              "\"\xED\xA0\x80\"",
                              "\"\xF4\x90\x80\x80\"",
                              "\"\xF5\x80\x80\x80\"",
                              "\"\xC3\"",
                              "\"\x80\"",
                              "/**/1"}) {
        INFO(value);
        const Field field = read_field(with(value), "code");
        CHECK_FALSE(field.value);
        CHECK(field.problem.starts_with("not JSON at byte "));
    }
}

TEST_CASE("read_field: the field must be there once, and be Unicode text") {
    check_problem("[]", "not a JSON object");
    check_problem("1e400", "not a JSON object");
    check_problem(R"("code")", "not a JSON object");
    check_problem("{}", "no string \"code\" in it");
    check_problem(R"({"a":{"code":"0000"}})", "no string \"code\" in it");
    check_problem(R"({"code":"1","code":"2"})", "more than one \"code\"");
    check_problem(R"({"code":"1","\u0063ode":"2"})", "more than one \"code\"");
    for (const char* value : {"1", "1e400", "null", "[]", "{}"})
        check_problem(std::string{R"({"code":)"} + value + "}", "\"code\" is not a string");
    check_problem(R"({"code":"\ud800"})", "\"code\" is not Unicode text");
    check_problem(R"({"code":"\udc00\ud800"})", "\"code\" is not Unicode text");
}

TEST_CASE("read_field: the depth is bounded") {
    check_problem(with(std::string(64, '[') + std::string(64, ']')), "nested more than 64 deep");
    check_problem(with(std::string(100'000, '[')), "nested more than 64 deep");
}

} // namespace tests::examples_relay_hub_envelope
