// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"

#include <stdexcept>

namespace e2e {
namespace {

using example::JsonClient;

json checked(HttpAnswer answer) {
    if (answer.status != 200) throw std::runtime_error{"HTTP status " + std::to_string(answer.status)};
    return std::move(answer.body);
}

ShortRun run_to_its_end(const std::filesystem::path& path, const Words& options) {
    const example::TemporaryDirectory directory;
    const auto errors = directory.path() / "errors";
    example::ChildProcess process{path, options, {errors, directory.path()}};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    ShortRun result{-1, {}, {}};
    while (const auto line = process.read_line(deadline)) result.output += *line + "\n";
    result.status = process.wait(deadline).value_or(-1);
    result.errors = example::read_text_file(errors);
    return result;
}

} // namespace

std::filesystem::path program(const std::string& name) {
    return std::filesystem::path{E2E_PROGRAMS} / name;
}

Rig::Rig()
    : core_{program("target_simulator"), {"--port", "0", "--name", "CORE"}, directory() / "core.err"},
      claim_{
          program("target_simulator"), {"--port", "0", "--name", "CLAIM"}, directory() / "claim.err"} {}

void Rig::start_hub(const Words& options, const std::filesystem::path& log_file) {
    Words all{"--listen",      "127.0.0.1:0",
              "--target",      "CORE=" + core_.url(),
              "--target",      "CLAIM=" + claim_.url(),
              "--breaker-log", (log_file.empty() ? log() : log_file).string()};
    all.insert(all.end(), options.begin(), options.end());
    hub_.reset();
    hub_ = std::make_unique<Service>(program("relay_hub"), all, directory() / "hub.err");
}

void Rig::start_hub_with(const json& config, Words options) {
    write_config(config.dump());
    options.insert(options.end(), {"--config", (directory() / "hub.json").string()});
    start_hub(options);
}

void Rig::write_config(const std::string& text) {
    example::write_text_file(directory() / "hub.json", text);
}

HttpAnswer Rig::configure(const std::string& body) {
    return JsonClient{hub_->port()}.post("/admin/config", body, control());
}

HttpAnswer Rig::call(const std::string& target) { return post(json{{"target", target}}.dump()); }

HttpAnswer Rig::post(const std::string& body) { return JsonClient{hub_->port()}.post("/tx", body); }

std::vector<std::future<HttpAnswer>> Rig::call_at_once(const std::string& target, std::size_t count) {
    std::vector<std::future<HttpAnswer>> answers;
    for (std::size_t i = 0; i < count; ++i)
        answers.push_back(std::async(std::launch::async, [this, target] { return call(target); }));
    return answers;
}

HttpAnswer Rig::command(const std::string& target, const std::string& command) {
    return JsonClient{hub_->port()}.post("/targets/" + target + "/" + command, "{}", control());
}

void Rig::set(const std::string& target_name, const json& behaviour) {
    checked(JsonClient{target(target_name).port()}.post("/_ctl", behaviour));
}

json Rig::stats(const std::string& target_name) {
    return checked(JsonClient{target(target_name).port()}.get("/_stats"));
}

json Rig::report(const std::string& target) {
    return checked(JsonClient{hub_->port()}.get("/targets")).at("targets").at(target);
}

json Rig::health() { return checked(JsonClient{hub_->port()}.get("/healthz")); }

HttpAnswer Rig::readiness() { return JsonClient{hub_->port()}.get("/readyz"); }

std::string Rig::hub_errors() const { return example::read_text_file(directory() / "hub.err"); }

ShortRun run_program(const std::string& name, const Words& options) {
    return run_to_its_end(program(name), options);
}

ShortRun run_hub_with_open_files(int limit, Words options) {
    options.insert(options.begin(),
                   {"-c", "ulimit -n " + std::to_string(limit) + " && exec \"$0\" \"$@\"",
                    program("relay_hub").string()});
    return run_to_its_end("/bin/sh", options);
}

} // namespace e2e
