// SPDX-License-Identifier: MIT
#include "browser.hpp"

#include "../../examples/common/wait_until.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace e2e {
namespace {

using namespace std::chrono_literals;
using example::FileDescriptor;
using std::chrono::steady_clock;

constexpr auto browser_patience = 30s;

// The numbers that Chromium takes for --remote-debugging-pipe.
constexpr int its_input = 3;
constexpr int its_output = 4;

std::pair<FileDescriptor, FileDescriptor> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error{errno, std::generic_category(), "pipe"};
    return {FileDescriptor{ends[0]}, FileDescriptor{ends[1]}};
}

std::vector<std::string> arguments(const std::filesystem::path& profile) {
    std::vector<std::string> result{"--headless=new",
                                    "--remote-debugging-pipe",
                                    "--user-data-dir=" + profile.string(),
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--disable-dev-shm-usage",
                                    "--disable-extensions",
                                    "--disable-gpu",
                                    "--disable-sync",
                                    "--hide-scrollbars",
                                    "--no-proxy-server"};
    // Chromium's sandbox does not work for root.
    if (::geteuid() == 0) result.emplace_back("--no-sandbox");
    result.emplace_back("about:blank");
    return result;
}

std::string from_base64(std::string_view text) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos) break; // the padding
        bits = bits << 6U | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        result.push_back(static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU));
    }
    return result;
}

} // namespace

Browser::Browser(const std::string& program) {
    auto [input, to_browser] = make_pipe();
    auto [from_browser, output] = make_pipe();
    to_browser_ = std::move(to_browser);
    from_browser_ = std::move(from_browser);
    process_ = std::make_unique<example::ChildProcess>(
        program, arguments(profile_.path()),
        example::ChildProcess::Files{
            profile_.path() / "errors", {}, {{input.get(), its_input}, {output.get(), its_output}}});

    const json target =
        exchange({{"method", "Target.createTarget"}, {"params", {{"url", "about:blank"}}}});
    const json attached =
        exchange({{"method", "Target.attachToTarget"},
                  {"params", {{"targetId", target.at("targetId")}, {"flatten", true}}}});
    session_ = attached.at("sessionId").get<std::string>();
    for (const char* domain : {"Page", "Runtime", "Network", "Log", "Accessibility"})
        call(std::string{domain} + ".enable");
    set_language("en-US");
}

Browser::~Browser() {
    try {
        send(json{{"id", ++last_id_}, {"method", "Browser.close"}}.dump());
    } catch (const std::exception&) {
        // It is gone already.
    }
    // Its other processes end with it; then nothing writes to the profile any more.
    static_cast<void>(process_->wait(steady_clock::now() + 5s));
}

json Browser::call(const std::string& method, const json& parameters) {
    return exchange({{"method", method}, {"params", parameters}, {"sessionId", session_}});
}

json Browser::exchange(json message) {
    const int id = ++last_id_;
    const std::string method = message.at("method").get<std::string>();
    message["id"] = id;
    send(message.dump());
    const auto deadline = steady_clock::now() + browser_patience;
    for (;;) {
        json answer = receive(deadline);
        if (!answer.contains("id")) {
            note(answer);
        } else if (answer.at("id") == id) {
            if (answer.contains("error"))
                throw std::runtime_error{method + ": " + answer.at("error").dump()};
            return std::move(answer.at("result"));
        }
    }
}

void Browser::send(const std::string& text) const {
    std::string_view rest{text.c_str(), text.size() + 1}; // the zero ends it
    while (!rest.empty()) {
        const ssize_t written = ::write(to_browser_.get(), rest.data(), rest.size());
        if (written <= 0) throw std::runtime_error{"the browser takes no command"};
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

json Browser::receive(example::SteadyTime deadline) {
    for (;;) {
        if (const auto end = unread_.find('\0'); end != std::string::npos) {
            json message = json::parse(unread_.substr(0, end));
            unread_.erase(0, end + 1);
            return message;
        }
        std::array<char, 65536> buffer;
        if (!example::wait_until(from_browser_.get(), POLLIN, deadline))
            throw std::runtime_error{"the browser does not answer"};
        const ssize_t count = ::read(from_browser_.get(), buffer.data(), buffer.size());
        if (count <= 0) throw std::runtime_error{"the browser has ended"};
        unread_.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

void Browser::note(const json& event) {
    const std::string method = event.at("method").get<std::string>();
    const json& parameters = event.at("params");
    if (method == "Page.loadEventFired") {
        is_loaded_ = true;
    } else if (method == "Network.requestWillBeSent") {
        requests_.push_back(parameters.at("request").at("url").get<std::string>());
    } else if (method == "Runtime.exceptionThrown") {
        complaints_.push_back(parameters.at("exceptionDetails").dump());
    } else if (method == "Runtime.consoleAPICalled" && parameters.at("type") != "log") {
        complaints_.push_back(parameters.at("args").dump());
    } else if (method == "Log.entryAdded" && parameters.at("entry").at("level") != "verbose") {
        complaints_.push_back(parameters.at("entry").at("text").get<std::string>() + " " +
                              parameters.at("entry").value("url", std::string{}));
    }
}

void Browser::open(const std::string& url) {
    is_loaded_ = false;
    call("Page.navigate", {{"url", url}});
    const auto deadline = steady_clock::now() + browser_patience;
    while (!is_loaded_) note(receive(deadline));
}

json Browser::evaluate(const std::string& expression) {
    const json result =
        call("Runtime.evaluate",
             {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (result.contains("exceptionDetails"))
        throw std::runtime_error{expression + ": " + result.at("exceptionDetails").dump()};
    return result.at("result").value("value", json{});
}

bool Browser::sees(const std::string& expression) {
    const auto deadline = steady_clock::now() + browser_patience;
    while (evaluate(expression) != true) {
        if (steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(20ms);
    }
    return true;
}

void Browser::press(const std::string& key) {
    const int number = key == "Tab" ? 9 : key == "Enter" ? 13 : 27;
    json event{{"type", "keyDown"}, {"key", key}, {"code", key}, {"windowsVirtualKeyCode", number}};
    if (key == "Enter") event["text"] = "\r";
    call("Input.dispatchKeyEvent", event);
    event.erase("text");
    event["type"] = "keyUp";
    call("Input.dispatchKeyEvent", event);
}

void Browser::resize(int width, int height) {
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(const std::string& what, const std::string& value) {
    std::erase_if(preferences_, [&](const auto& preference) { return preference.first == what; });
    preferences_.emplace_back(what, value);
    json features = json::array();
    for (const auto& [name, chosen] : preferences_)
        features.push_back({{"name", name}, {"value", chosen}});
    call("Emulation.setEmulatedMedia", {{"features", features}});
}

void Browser::set_language(const std::string& language) {
    call("Emulation.setUserAgentOverride", {{"userAgent", ""}, {"acceptLanguage", language}});
}

std::string Browser::screenshot(int height) {
    json options{{"format", "png"}, {"captureBeyondViewport", true}};
    if (height > 0)
        options["clip"] = {{"x", 0},
                           {"y", 0},
                           {"width", evaluate("document.documentElement.clientWidth")},
                           {"height", height},
                           {"scale", 1}};
    return from_base64(call("Page.captureScreenshot", options).at("data").get<std::string>());
}

} // namespace e2e
