// SPDX-License-Identifier: MIT
// The hub's page in a real browser.
#include "browser.hpp"
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace tests::e2e_page {

using namespace e2e;

namespace {

const std::string core = "document.getElementById('target-CORE')";

std::string quoted(const std::string& text) { return json(text).dump(); }

/// Whether CORE's card is in that state, for the eye and for programs.
std::string core_is(const std::string& state, const std::string& words) {
    return "(() => { const card = " + core +
           "; return card !== null && card.dataset.state === " + quoted(state) +
           " && card.querySelector('.state strong').textContent === " + quoted(words) + "; })()";
}

std::string text_of(const std::string& selector) {
    return "document.querySelector(" + quoted(selector) + ").textContent";
}

/// A hub with its page open in a browser.
class PageRig : public Rig {
  public:
    explicit PageRig(const Words& options = {}) {
        start_hub(options);
        browser.resize(1280, 900);
    }
    void open() {
        browser.open(hub().url() + "/");
        REQUIRE(browser.sees("document.querySelectorAll('.card').length === 2"));
    }
    void fail_core(int times) {
        set("CORE", {{"mode", "fail"}});
        for (int i = 0; i < times; ++i) REQUIRE(call("CORE").code() == "E500");
    }
    /// The page asked the hub and nobody else, and the browser found nothing wrong with it.
    void check_clean() {
        CHECK_FALSE(browser.requests().empty());
        for (const std::string& url : browser.requests()) {
            INFO(url);
            CHECK(url.starts_with(hub().url() + "/"));
        }
        for (const std::string& complaint : browser.complaints()) FAIL_CHECK(complaint);
    }

    Browser browser{E2E_CHROMIUM};
};

/// The texts that stand out too little: less than WCAG's AA asks for. Also what a screen reader cannot
/// name. As a list.
constexpr const char* faint_texts = R"js((() => {
    const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = parse(getComputedStyle(e).backgroundColor);
            if (colour.length < 4 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const faint = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
        if (element.closest('.unseen, .skip, script, noscript')) continue;
        const style = getComputedStyle(element);
        const [a, b] = [light(parse(style.color)), light(ground(element))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) faint.push(`${walker.currentNode.textContent}: ${ratio.toFixed(2)}`);
    }
    return faint;
})())js";

/// What assistive technology is told of the page: a role and a name for each node.
std::vector<std::pair<std::string, std::string>> accessible_nodes(Browser& browser) {
    std::vector<std::pair<std::string, std::string>> result;
    const json tree = browser.call("Accessibility.getFullAXTree");
    for (const json& node : tree.at("nodes")) {
        if (node.value("ignored", false)) continue;
        const json name = node.value("name", json::object()).value("value", json(""));
        result.emplace_back(node.at("role").at("value").get<std::string>(), name.get<std::string>());
    }
    return result;
}

/// Goes there by keyboard, and by no other way.
void tab_to(Browser& browser, const std::string& selector) {
    for (int i = 0; i < 60; ++i) {
        if (browser.evaluate("document.activeElement.matches(" + quoted(selector) + ")") == true)
            return;
        browser.press("Tab");
    }
    FAIL("no key leads to " << selector);
}

bool has(const std::vector<std::pair<std::string, std::string>>& nodes, const std::string& role,
         const std::string& name) {
    return std::find(nodes.begin(), nodes.end(), std::pair{role, name}) != nodes.end();
}

} // namespace

TEST_CASE("Page: shows a whole outage as it happens") {
    PageRig rig{{"--reset-timeout", "2", "--fail-threshold", "3"}};
    Browser& browser = rig.browser;
    rig.open();
    REQUIRE(browser.sees(core_is("CLOSED", "CLOSED")));
    CHECK(browser.sees(text_of("#headline h2") + " === 'All 2 circuits are closed'"));
    CHECK(browser.sees("document.getElementById('link').dataset.link === 'live'"));
    CHECK(browser.evaluate(text_of("#news")) == "");
    CHECK(browser.evaluate(core + ".querySelector('.changes').textContent") ==
          "None since the hub started");

    rig.fail_core(3);
    REQUIRE(browser.sees(core_is("OPEN", "OPEN")));
    CHECK(browser.sees("/^in [12] s$/.test(" + core + ".querySelector('.next dd').textContent)"));
    CHECK(browser.evaluate(core + ".querySelector('.changes li').textContent")
              .get<std::string>()
              .ends_with("CLOSED → OPEN 3 failures in a row"));
    CHECK(browser.evaluate(text_of("#headline h2")) == "1 of 2 circuits not closed");
    CHECK(browser.evaluate(text_of("#headline a")) == "CORE OPEN");
    CHECK(browser.evaluate("document.title") == "CORE OPEN – relay hub");
    CHECK(browser.evaluate(text_of("#news")) == "CORE: OPEN, 3 failures in a row.");
    CHECK(browser.evaluate("document.getElementById('target-CLAIM').dataset.state") == "CLOSED");
    for (int i = 0; i < 2; ++i) REQUIRE(rig.call("CORE").code() == "E904");
    CHECK(browser.sees(core + ".querySelector('.key.refused').textContent === '2 refused'"));
    CHECK(browser.evaluate(core + ".querySelector('.key.failed').textContent") == "3 failed");

    // The wait is over, and nobody calls: that is not the same as being probed.
    CHECK(browser.sees(core + ".querySelector('.next dd').textContent === 'with the next call'"));
    CHECK(browser.evaluate(core + ".dataset.state") == "OPEN");

    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1500}});
    auto probe = rig.call_at_once("CORE", 1);
    REQUIRE(browser.sees(core_is("HALF_OPEN", "HALF OPEN")));
    CHECK(browser.sees(core + ".querySelector('.next dd').textContent === '1 under way'"));
    CHECK(probe.front().get().code() == "0000");
    REQUIRE(browser.sees(core_is("CLOSED", "CLOSED")));
    CHECK(browser.sees(text_of("#headline h2") + " === 'All 2 circuits are closed'"));
    CHECK(browser.evaluate(text_of("#news")) == "CORE: CLOSED, the probes succeeded.");
    CHECK(browser.evaluate(core + ".querySelectorAll('.changes li').length") == 3);
    rig.check_clean();
}

TEST_CASE("Page: shows two changes of the same millisecond, one after the other") {
    PageRig rig;
    Browser& browser = rig.browser;
    rig.open();
    REQUIRE(rig.command("CORE", "force-open").status == 200);
    REQUIRE(browser.sees(core_is("FORCED_OPEN", "FORCED OPEN")));
    CHECK(browser.evaluate(text_of("#news")) == "CORE: FORCED OPEN, forced open by command.");
    // The next event, as it would be if a reset had come at once.
    CHECK(browser.evaluate(R"js((() => {
        const next = structuredClone(report);
        const { CORE } = next.targets;
        CORE.state = "CLOSED";
        CORE.generation += 1;
        CORE.transitions.unshift({ ...CORE.transitions[0], from: "FORCED_OPEN", to: "CLOSED", reason: "reset",
            generation: CORE.generation });
        receive(JSON.stringify(next));
        return document.getElementById("news").textContent;
    })())js") == "CORE: CLOSED, reset by command.");
    rig.check_clean();
}

TEST_CASE("Page: a visitor in the middle of an outage sees how it began") {
    PageRig rig{{"--reset-timeout", "600", "--fail-threshold", "3"}};
    REQUIRE(rig.call("CORE").code() == "0000");
    rig.fail_core(3);
    rig.open();
    REQUIRE(rig.browser.sees(core_is("OPEN", "OPEN")));
    CHECK(rig.browser.evaluate(core + ".querySelectorAll('.changes li').length") == 1);
    CHECK(rig.browser.evaluate(core + ".querySelector('.key.succeeded').textContent") == "1 succeeded");
    CHECK(rig.browser.evaluate(core + ".querySelector('.spark .failed').getAttribute('d')") != "");
    // A screen reader hears of what changes, not of what there is to read anyway.
    CHECK(rig.browser.evaluate(text_of("#news")) == "");
    rig.check_clean();
}

TEST_CASE("Page: is in the browser's language, and in the other one on request") {
    PageRig rig{{"--fail-threshold", "1", "--reset-timeout", "600"}};
    Browser& browser = rig.browser;
    rig.fail_core(1);
    browser.set_language("zh-CN");
    rig.open();
    REQUIRE(browser.sees(core_is("OPEN", "断开")));
    CHECK(browser.evaluate(core + ".querySelector('.state small').textContent") == "OPEN");
    CHECK(browser.evaluate("document.documentElement.lang") == "zh-Hans");
    CHECK(browser.evaluate(core + ".querySelector('.changes .why').textContent") == "连续失败 1 次");
    browser.evaluate("document.querySelector('.languages [lang=en]').click()");
    REQUIRE(browser.sees(core_is("OPEN", "OPEN")));
    CHECK(browser.evaluate("document.documentElement.lang") == "en");
    CHECK(browser.evaluate("document.querySelector('.languages [lang=en]').ariaPressed") == "true");
    // It is remembered.
    rig.open();
    REQUIRE(browser.sees(core_is("OPEN", "OPEN")));
    // Whatever one language says, the other says too, with the same things filled in.
    CHECK(browser.evaluate(R"js((() => {
        const shape = (entry) => typeof entry === 'string'
            ? [...entry.matchAll(/\{\w+\}/g)].map(String).sort().join()
            : Object.entries(entry).map(([key, value]) => [key, shape(value)]).sort();
        return JSON.stringify(shape(texts.en)) === JSON.stringify(shape(texts.zh));
    })())js") == true);
    // And the page has a use for all of it.
    CHECK(browser.evaluate(R"js((() => {
        const page = document.documentElement.outerHTML;
        const named = ['connecting', 'live', 'polling', 'lost', 'succeeded', 'failed', 'refused',
            ...commands.flatMap((command) => [command, `ask_${command}`, `about_${command}`])];
        return Object.keys(texts.en).filter((key) => typeof texts.en[key] === 'string' && !named.includes(key)
            && !['say("', 'data-text="', 'data-label="'].some((use) => page.includes(`${use}${key}"`)));
    })())js") == json::array());
    rig.check_clean();
}

TEST_CASE("Page: stands out in light and dark, and fits narrow screens") {
    PageRig rig{{"--fail-threshold", "1", "--reset-timeout", "600"}};
    Browser& browser = rig.browser;
    rig.fail_core(1);
    rig.open();
    REQUIRE(browser.sees(core_is("OPEN", "OPEN")));
    json grounds = json::array();
    for (const char* scheme : {"light", "dark"}) {
        browser.prefer("prefers-color-scheme", scheme);
        REQUIRE(
            browser.sees("matchMedia('(prefers-color-scheme: " + std::string{scheme} + ")').matches"));
        grounds.push_back(browser.evaluate("getComputedStyle(document.body).backgroundColor"));
        for (const char* state :
             {"CLOSED", "OPEN", "HALF_OPEN", "FORCED_OPEN", "DISABLED", "METRICS_ONLY"}) {
            INFO(scheme << ' ' << state);
            CHECK(browser.evaluate("(() => { for (const e of document.querySelectorAll('.card')) "
                                   "e.dataset.state = '" +
                                   std::string{state} + "'; return " + faint_texts + "; })()") ==
                  json::array());
            CHECK(browser.evaluate("document.getElementById('sign-" + std::string{state} +
                                   "') !== null") == true);
        }
    }
    CHECK(grounds.at(0) != grounds.at(1));
    for (const int width : {320, 400, 768, 1920}) {
        browser.resize(width, 800);
        INFO(width);
        CHECK(browser.sees("document.documentElement.clientWidth === " + std::to_string(width)));
        CHECK(browser.evaluate("document.documentElement.scrollWidth") == width);
    }
    browser.prefer("prefers-reduced-motion", "reduce");
    CHECK(browser.sees("[...document.querySelectorAll('*')].every((e) => "
                       "parseFloat(getComputedStyle(e).transitionDuration) === 0)"));
    rig.check_clean();
}

TEST_CASE("Page: assistive technology finds its parts, and a name for each") {
    PageRig rig{{"--fail-threshold", "3", "--reset-timeout", "600"}};
    Browser& browser = rig.browser;
    rig.fail_core(3);
    rig.open();
    REQUIRE(browser.sees(core_is("OPEN", "OPEN")));
    const auto nodes = accessible_nodes(browser);
    for (const char* role : {"banner", "main", "contentinfo"}) {
        INFO(role);
        CHECK(std::count_if(nodes.begin(), nodes.end(),
                            [&](const auto& node) { return node.first == role; }) == 1);
    }
    CHECK(has(nodes, "navigation", "More of this hub"));
    CHECK(has(nodes, "article", "CORE"));
    CHECK(has(nodes, "heading", "CORE"));
    CHECK(has(nodes, "meter", "Failures in a row, when it opened"));
    CHECK(has(nodes, "link", "CORE OPEN"));
    for (const char* name : {"Force open CORE", "Disable CORE", "Reset CORE", "Reset CLAIM", "English"})
        CHECK(has(nodes, "button", name));
    CHECK(std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
        return node.first == "image" && node.second.find("3 failed") != std::string::npos;
    }));
    for (const auto& [role, name] : nodes) {
        if (role != "button" && role != "link" && role != "meter" && role != "image") continue;
        INFO(role);
        CHECK_FALSE(name.empty());
    }
    // Numbers move every second: none of them is in what is read out by itself.
    CHECK(browser.evaluate("[...document.querySelectorAll('[aria-live], [role=status], [role=alert]')]"
                           ".map((e) => e.id).join()") == "news,alarm,ask-problem");
    rig.check_clean();
}

TEST_CASE("Page: commands a circuit, by keyboard") {
    PageRig rig;
    Browser& browser = rig.browser;
    rig.open();
    REQUIRE(browser.sees(core_is("CLOSED", "CLOSED")));
    const std::string button = "[aria-label='Force open CORE']";
    tab_to(browser, button);
    browser.press("Enter");
    REQUIRE(browser.sees("document.getElementById('ask').open"));
    CHECK(browser.evaluate(text_of("#ask-title")) == "Force CORE open?");
    CHECK(has(accessible_nodes(browser), "dialog", "Force CORE open?"));
    // Who asked by mistake gets out at once, and is back where they were.
    CHECK(browser.evaluate("document.activeElement.id") == "ask-no");
    browser.press("Escape");
    CHECK(browser.sees("!document.getElementById('ask').open"));
    CHECK(browser.sees("document.activeElement.matches(" + quoted(button) + ")"));
    CHECK(rig.report("CORE").at("state") == "CLOSED");

    browser.press("Enter");
    tab_to(browser, "#ask-yes");
    browser.press("Enter");
    REQUIRE(browser.sees(core_is("FORCED_OPEN", "FORCED OPEN")));
    CHECK(rig.report("CORE").at("state") == "FORCED_OPEN");
    CHECK(rig.report("CLAIM").at("state") == "CLOSED");
    CHECK(browser.sees("!document.getElementById('ask').open"));
    CHECK(browser.sees("document.activeElement.matches(" + quoted(button) + ")"));
    CHECK(browser.evaluate("document.activeElement.ariaDisabled") == "true");
    CHECK(browser.sees(core + ".querySelector('.next dd').textContent === 'until somebody resets it'"));

    tab_to(browser, "[aria-label='Reset CORE']");
    browser.press("Enter");
    tab_to(browser, "#ask-yes");
    browser.press("Enter");
    REQUIRE(browser.sees(core_is("CLOSED", "CLOSED")));
    CHECK(rig.report("CORE").at("state") == "CLOSED");
    CHECK(browser.evaluate(core + ".querySelectorAll('.changes li').length") == 2);
    rig.check_clean();
}

TEST_CASE("Page: shows thresholds as they are changed") {
    PageRig rig;
    rig.start_hub_with({{"fail_threshold", 5}});
    rig.open();
    CHECK(rig.browser.sees(core + ".querySelector('.next dd').textContent === '5 failures in a row'"));
    const json changed{{"policy",
                        {{"type", "count_window"},
                         {"failure_rate", 0.25},
                         {"slow_calls", {{"longer_than", 1.5}, {"rate", 0.5}}}}},
                       {"max_inflight", 7}};
    REQUIRE(example::JsonClient{rig.hub().port()}
                .post("/admin/config", changed.dump(), Rig::control())
                .status == 200);
    CHECK(rig.browser.sees(core + ".querySelector('.next dd').textContent === "
                                  "'25 % failed\\n50 % slower than 1.5 s'"));
    CHECK(rig.browser.evaluate(core + ".querySelector('.meter .value').textContent") == "0 of 7");
    CHECK(rig.browser.evaluate(core + ".querySelectorAll('.meter .value')[1].textContent") ==
          "0 of 10 calls needed");
    CHECK(rig.browser.evaluate(core + ".querySelectorAll('.meter').length") == 3);
    rig.check_clean();
}

TEST_CASE("Page: shows the limits that a target has, and none that it has not") {
    PageRig rig;
    rig.start_hub_with({{"targets",
                         {{"CORE",
                           {{"max_inflight", 4},
                            {"queue", {{"max_queued", 6}}},
                            {"rate_limit", {{"permits", 2}, {"per", 3600}, {"burst", 5}}}}},
                          {"CLAIM", {{"adaptive", {{"initial", 30}}}}}}}});
    static_cast<void>(rig.call("CORE"));
    rig.open();
    const auto meters = [&](const std::string& card) {
        return rig.browser.evaluate("[..." + card +
                                    ".querySelectorAll('.meter')].map((e) => e.querySelector('.label')"
                                    ".textContent + ': ' + e.querySelector('.value').textContent)");
    };
    const std::string last = ".querySelector('.meter:last-child .value').textContent";
    REQUIRE(rig.browser.sees(core + last + " === '0 of 5'"));
    CHECK(meters(core) == json{"In flight: 0 of 4", "Waiting: 0 of 6",
                               "2 calls per 1 h 0 min: 4 of 5 left", "Failures in a row: 0 of 5"});
    const std::string claim = "document.getElementById('target-CLAIM')";
    CHECK(meters(claim) == json{"In flight, limit learned: 0 of 30", "Failures in a row: 0 of 5"});
    rig.check_clean();
}

TEST_CASE("Page: says so where a command was not carried out") {
    PageRig rig;
    Browser& browser = rig.browser;
    rig.open();
    CHECK(rig.hub().stop(std::chrono::seconds{30}) == 0);
    browser.evaluate("document.querySelector(\"[aria-label='Disable CORE']\").click()");
    browser.evaluate("document.getElementById('ask-yes').click()");
    CHECK(browser.sees(text_of("#ask-problem") + " === 'The hub did not do it: no answer'"));
    CHECK(browser.evaluate("document.getElementById('ask').open") == true);
}

TEST_CASE("Page: says that the hub does not answer, and when it does again") {
    PageRig rig;
    Browser& browser = rig.browser;
    rig.open();
    REQUIRE(browser.sees("document.getElementById('link').dataset.link === 'live'"));
    rig.hub().process().send_signal(SIGSTOP);
    REQUIRE(browser.sees("document.getElementById('link').dataset.link === 'lost'"));
    CHECK(browser.evaluate("document.getElementById('stale').hidden") == false);
    CHECK(browser.evaluate(text_of("#alarm"))
              .get<std::string>()
              .starts_with("No connection to the hub."));
    rig.hub().process().send_signal(SIGCONT);
    REQUIRE(browser.sees("document.getElementById('link').dataset.link === 'live'"));
    CHECK(browser.evaluate("document.getElementById('stale').hidden") == true);
    CHECK(browser.evaluate(text_of("#alarm")) == "");
    rig.check_clean();
}

TEST_CASE("Page: asks now and then where there is no stream left for it") {
    PageRig rig{{"--fail-threshold", "1", "--reset-timeout", "600"}};
    Browser& browser = rig.browser;
    std::vector<RawConnection> others;
    for (int i = 0; i < 8; ++i) {
        others.emplace_back(rig.hub().port());
        REQUIRE(others.back().send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        REQUIRE(others.back().receive("data: ").starts_with("HTTP/1.1 200 "));
    }
    rig.open();
    CHECK(browser.sees("document.getElementById('link').dataset.link === 'polling'"));
    rig.fail_core(1);
    CHECK(browser.sees(core_is("OPEN", "OPEN")));
    others.clear();
    CHECK(browser.sees("document.getElementById('link').dataset.link === 'live'"));
}

TEST_CASE("Page: its policy keeps everything else out") {
    PageRig rig;
    rig.open();
    rig.browser.evaluate("(() => { const image = new Image(); image.src = 'http://127.0.0.1:9/'; "
                         "document.body.append(image); })()");
    CHECK(eventually([&] {
        rig.browser.evaluate("1");
        const auto& complaints = rig.browser.complaints();
        return std::any_of(complaints.begin(), complaints.end(), [](const std::string& complaint) {
            return complaint.find("Content Security Policy") != std::string::npos &&
                   complaint.find("'http://127.0.0.1:9/'") != std::string::npos;
        });
    }));
}

} // namespace tests::e2e_page
