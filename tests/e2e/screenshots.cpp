// SPDX-License-Identifier: MIT
// Takes the pictures of docs/operating.md: a hub with four targets under load, one of which dies and
// comes back, seen in a real browser. `cmake -P cmake/screenshots.cmake` runs it.
#include "browser.hpp"
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace e2e;
using namespace std::chrono_literals;

/// Calls a target again and again, a little more and a little less often, until it ends.
class Load {
  public:
    /// @param pause     between two calls, on average
    /// @param mishaps   one in so many calls fails; 0: none
    Load(Rig& rig, std::string target, int simulator, std::chrono::milliseconds pause, int mishaps)
        : caller_{[this, &rig, target = std::move(target), simulator, pause, mishaps] {
              example::JsonClient control{simulator};
              for (int i = 1; !is_over_; ++i) {
                  const bool fails = mishaps > 0 && i % mishaps == 0;
                  if (fails) control.post("/_ctl", json{{"mode", "fail"}});
                  static_cast<void>(rig.call(target));
                  if (fails) control.post("/_ctl", json{{"mode", "normal"}});
                  std::this_thread::sleep_for(pause * (6 + (i / 9) % 5 + (i * 7) % 4) / 10);
              }
          }} {}
    ~Load() {
        is_over_ = true;
        caller_.join();
    }
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

  private:
    std::atomic<bool> is_over_ = false;
    std::thread caller_;
};

class Photographer {
  public:
    Photographer(Rig& rig, std::filesystem::path into) : into_{std::move(into)} {
        browser_.resize(wide, 100);
        browser_.open(rig.hub().url() + "/");
        // A port of the moment would make every picture differ from the one before.
        browser_.evaluate("document.getElementById('address').textContent = '127.0.0.1:9200'");
    }

    void await(const std::string& state) {
        if (!browser_.sees("document.getElementById('target-CORE')?.dataset.state === '" + state + "'"))
            throw std::runtime_error{"the page never showed CORE as " + state};
    }

    /// @param height  of the picture; 0: the whole page
    void take(const std::string& name, const std::string& scheme, const std::string& language = "en",
              int width = wide, int height = 0) {
        browser_.resize(width, 100);
        browser_.prefer("prefers-color-scheme", scheme);
        browser_.evaluate("document.querySelector('.languages [lang=" + language + "]').click()");
        save(name, height);
    }

    void take_question(const std::string& name, const std::string& command, const std::string& scheme) {
        browser_.resize(wide, 560);
        browser_.prefer("prefers-color-scheme", scheme);
        browser_.evaluate("document.querySelector(\"[aria-label='" + command + "']\").click()");
        save(name, 560);
        browser_.press("Escape");
    }

  private:
    void save(const std::string& name, int height) {
        browser_.evaluate("new Promise((done) => setTimeout(done, 400))"); // bars move for so long
        const auto file = into_ / (name + ".png");
        example::write_text_file(file, browser_.screenshot(height));
        std::cout << file.string() << std::endl;
    }

    static constexpr int wide = 940;

    std::filesystem::path into_;
    Browser browser_{E2E_CHROMIUM};
};

void take_pictures(const std::filesystem::path& into) {
    Rig rig;
    const Words port{"--port", "0"};
    Service settlement{program("target_simulator"), port, rig.directory() / "settlement.err"};
    Service notifications{program("target_simulator"), port, rig.directory() / "notifications.err"};
    json config = json::parse(example::read_text_file(E2E_EXAMPLES "/relay_hub/services.json"));
    json& targets = config["targets"];
    targets["CORE"] = {
        {"policy", targets["CORE"]["policy"]}, {"reset_timeout", 20}, {"half_open", {{"probes", 3}}}};
    targets["CLAIM"].erase("url");
    targets["SETTLEMENT"]["url"] = settlement.url();
    targets["NOTIFICATIONS"]["url"] = notifications.url();
    rig.start_hub_with(config);

    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 40}});
    const Load core_load{rig, "CORE", rig.target("CORE").port(), 150ms, 0};
    const Load more_core_load{rig, "CORE", rig.target("CORE").port(), 210ms, 0};
    const Load claim_load{rig, "CLAIM", rig.target("CLAIM").port(), 330ms, 0};
    const Load settlement_load{rig, "SETTLEMENT", settlement.port(), 600ms, 23};
    const Load notifications_load{rig, "NOTIFICATIONS", notifications.port(), 90ms, 9};
    Photographer photographer{rig, into};
    photographer.await("CLOSED");
    std::this_thread::sleep_for(150s); // there is a history, then
    photographer.take("page-normal-light", "light");
    photographer.take("page-normal-dark", "dark");

    rig.set("CORE", {{"mode", "fail"}});
    photographer.await("OPEN");
    std::this_thread::sleep_for(7s);
    photographer.take("page-open-light", "light");
    photographer.take("page-open-dark", "dark");
    photographer.take("page-open-narrow", "dark", "en", 400, 860);

    photographer.take_question("page-command-light", "Force open CORE", "light");

    // It answers again, slowly at first.
    photographer.await("HALF_OPEN");
    photographer.await("OPEN");
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 2500}});
    photographer.await("HALF_OPEN");
    std::this_thread::sleep_for(300ms);
    photographer.take("page-half-open-light", "light");
    photographer.take("page-half-open-dark", "dark");
    photographer.await("CLOSED");
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 40}});
    std::this_thread::sleep_for(8s);
    photographer.take("page-recovered-light", "light");
    photographer.take("page-recovered-chinese", "dark", "zh");
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) throw std::invalid_argument{"usage: dashpot-page-screenshots DIRECTORY"};
        take_pictures(argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "dashpot-page-screenshots: " << error.what() << '\n';
        return 1;
    }
}
