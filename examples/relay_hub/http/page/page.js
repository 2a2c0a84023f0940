// SPDX-License-Identifier: MIT
"use strict";

const byId = (id) => document.getElementById(id);
const commands = ["force_open", "disable", "reset"];
const worstFirst = ["OPEN", "FORCED_OPEN", "HALF_OPEN", "DISABLED", "METRICS_ONLY", "CLOSED"];
const shownChanges = 5;
const silence = 4000; // ms without news after which the connection counts as lost

// --- Words ------------------------------------------------------------------------------------------------------
let language = "en";

function fill(text, values) {
    return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? values[key] : whole));
}
const say = (key, values = {}) => fill(texts[language][key], values);
const stateName = (state) => texts[language].states[state] || state;
const percent = (rate) => `${Math.round(rate * 1000) / 10} %`;

function reasonOf(change) {
    const text = texts[language].reasons[change.reason];
    if (!text) return change.reason;
    return fill(text, {
        failures: change.failures, calls: change.calls,
        rate: percent(change.failure_rate || 0), slow_rate: percent(change.slow_rate || 0),
    });
}

function duration(ms) {
    const s = Math.max(0, Math.floor(ms / 1000));
    if (s < 60) return say("seconds", { s });
    if (s < 3600) return say("minutes", { m: Math.floor(s / 60), s: s % 60 });
    if (s < 86400) return say("hours", { h: Math.floor(s / 3600), m: Math.floor(s / 60) % 60 });
    return say("days", { d: Math.floor(s / 86400), h: Math.floor(s / 3600) % 24 });
}
// In a rule, "0.5 s" is not "0 s".
const exactly = (seconds) => (Number.isInteger(seconds) ? duration(seconds * 1000) : say("seconds", { s: seconds }));

// The log's clock, so that both can be read side by side. The date where it is not today's.
function clockTime(utc, now) {
    const time = utc.slice(11, 19);
    return utc.slice(0, 10) === now.slice(0, 10) ? time : `${utc.slice(5, 10)} ${time}`;
}

// --- Elements: touched only where something changed, since a screen reader may be reading them ------------------
function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}
function setAttribute(element, name, value) {
    if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}
function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    return made;
}
function sign(state) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    svg.setAttribute("class", "sign");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `#sign-${state}`);
    svg.append(use);
    return svg;
}

// --- What the hub says ------------------------------------------------------------------------------------------
let report = null;
let receivedAt = 0; // performance.now()
const cards = new Map();
const elapsed = () => performance.now() - receivedAt;
// The hub's clock, by the hub's own words: this machine's may be wrong.
const hubNow = () => Date.parse(report.now) + elapsed();

function receive(text) {
    const before = report;
    report = JSON.parse(text);
    receivedAt = performance.now();
    if (before) announceChanges(before);
    draw();
}

function announceChanges(before) {
    const news = [];
    for (const [name, target] of Object.entries(report.targets)) {
        const old = before.targets[name];
        const newest = target.transitions[0];
        if (!old || !newest || target.generation === old.generation) continue;
        // By its number: two changes may come in the same millisecond.
        if (old.transitions[0] && old.transitions[0].generation === newest.generation) continue;
        news.push(say("news", { name, state: stateName(newest.to), reason: reasonOf(newest) }));
    }
    if (news.length > 0) byId("news").textContent = news.join(" ");
}

// --- A card -----------------------------------------------------------------------------------------------------
function makeCard(name) {
    const card = byId("card").content.firstElementChild.cloneNode(true);
    card.id = `target-${name}`;
    card.querySelector("h3").id = `name-${name}`;
    card.querySelector("h3").textContent = name;
    card.querySelector("h3").tabIndex = -1;
    card.querySelector("article").setAttribute("aria-labelledby", `name-${name}`);
    for (const command of commands) {
        const button = element("button");
        button.type = "button";
        button.dataset.command = command;
        // Not `disabled`, which would take the focus away from who has just pressed it.
        button.addEventListener("click", () => {
            if (button.ariaDisabled !== "true") ask(command, name);
        });
        card.querySelector(".commands").append(button);
    }
    // By name, as the hub sorts them: cards that moved about could not be found again.
    const after = [...cards.keys()].filter((other) => other > name).sort()[0];
    byId("cards").insertBefore(card, after ? cards.get(after) : null);
    cards.set(name, card);
    translate(card);
    return card;
}

function drawCard(card, name, target) {
    setAttribute(card, "data-state", target.state);
    setAttribute(card.querySelector(".state use"), "href", `#sign-${target.state}`);
    setText(card.querySelector(".state strong"), stateName(target.state));
    setText(card.querySelector(".state small"), language === "en" ? "" : target.state);
    setText(card.querySelector(".meaning"), texts[language].meanings[target.state] || "");
    setText(card.querySelector(".since"), clockTime(target.since, report.now));
    setAttribute(card.querySelector(".since"), "datetime", target.since);
    drawMeters(card, target);
    drawSpark(card, name, target.recent);
    drawChanges(card, target.transitions);
    for (const button of card.querySelectorAll(".commands button")) {
        const command = button.dataset.command;
        setText(button, say(command));
        setAttribute(button, "aria-label", say("command_label", { command: say(command), name }));
        const inForce = { force_open: "FORCED_OPEN", disable: "DISABLED" }[command] === target.state;
        setAttribute(button, "aria-disabled", !mayCommand() || inForce);
    }
    drawTimes(card, target);
}

// What moves between two events.
function drawTimes(card, target) {
    setText(card.querySelector(".age"), duration(hubNow() - Date.parse(target.since)));
    const next = card.querySelector(".next");
    const left = Math.max(0, target.retry_after_ms - elapsed());
    const waits = target.state === "OPEN" && left > 0;
    next.classList.toggle("counts", waits);
    card.classList.toggle("waits", waits);
    if (waits) {
        const whole = hubNow() - Date.parse(target.opened_at) + left;
        card.querySelector(".wait i").style.width = `${(100 * left) / whole}%`;
    }
    const [what, when] = nextOf(target, left);
    setText(next.querySelector("dt"), what);
    setText(next.querySelector("dd"), when);
}

function nextOf(target, left) {
    switch (target.state) {
    case "OPEN":
        return [say("next_probe"), left > 0 ? say("next_in", { time: duration(left + 999) }) : say("next_call")];
    case "HALF_OPEN":
        return [say("probing"), say("probes_out", { count: target.probes_in_flight })];
    case "CLOSED":
        return [say("opens"), rulesOf(target.policy)];
    default:
        return [say("ends"), say("until_reset")];
    }
}

function rulesOf(policy) {
    if (policy.type === "consecutive_failures")
        return fill(texts[language].reasons.consecutive_failures, { failures: policy.threshold });
    const rules = [say("opens_failed", { rate: percent(policy.failure_rate) })];
    const slow = policy.slow_calls;
    if (slow) rules.push(say("opens_slow", { rate: percent(slow.rate), time: exactly(slow.longer_than) }));
    return rules.join("\n");
}

function metersOf(target) {
    const { judged, policy, state } = target;
    const meters = [];
    const limited = target.max_inflight < 1e9;
    meters.push({
        label: target.adaptive ? say("in_flight_learned") : say("in_flight"), part: target.in_flight, whole: limited ? target.max_inflight : 0,
        value: limited ? say("of", { part: target.in_flight, whole: target.max_inflight })
            : say("no_limit", { value: target.in_flight }),
        full: limited && target.in_flight >= target.max_inflight,
    });
    if (target.queue) {
        const part = target.waiting;
        const whole = target.queue.max_queued;
        meters.push({ label: say("waiting"), part, whole, value: say("of", { part, whole }), full: part >= whole });
    }
    if (target.rate_limit) {
        const { permits, per, burst = permits } = target.rate_limit;
        const left = target.permits_available;
        meters.push({
            label: say("rate_limit", { permits, time: exactly(per) }), part: burst - left, whole: burst,
            value: say("permits_left", { part: left, whole: burst }), full: left === 0,
        });
    }
    if (state === "HALF_OPEN") {
        const part = judged.calls - judged.failures;
        const whole = target.half_open.successes_to_close;
        meters.push({ label: say("probes_succeeded"), part, whole, value: say("of", { part, whole }) });
        return meters;
    }
    const stands = state === "OPEN" || state === "FORCED_OPEN";
    const title = (what) => (stands && judged.calls > 0 ? say("opened_on", { what }) : what);
    if (policy.type === "consecutive_failures") {
        meters.push({
            label: title(say("run")), part: judged.failures, whole: policy.threshold,
            value: say("of", { part: judged.failures, whole: policy.threshold }),
            full: judged.failures >= policy.threshold,
        });
        return meters;
    }
    meters.push(rateMeter(title(say("failure_rate")), judged, judged.failure_rate, policy.failure_rate, policy));
    if (policy.slow_calls) {
        const label = say("slow_rate", { time: exactly(policy.slow_calls.longer_than) });
        meters.push(rateMeter(title(label), judged, judged.slow_rate, policy.slow_calls.rate, policy));
    }
    return meters;
}

function rateMeter(label, judged, rate, limit, policy) {
    if (rate === null)
        return {
            label, part: 0, whole: 1, mark: limit,
            value: say("too_few", { part: judged.calls, whole: policy.minimum_calls }),
        };
    return {
        label, part: rate, whole: 1, mark: limit, full: rate >= limit,
        value: say("limit", { value: percent(rate), limit: percent(limit) }),
    };
}

function drawMeters(card, target) {
    const place = card.querySelector(".meters");
    const meters = metersOf(target);
    while (place.children.length > meters.length) place.lastElementChild.remove();
    meters.forEach((meter, at) => {
        const shown = place.children[at] || place.appendChild(byId("meter").content.firstElementChild.cloneNode(true));
        const track = shown.querySelector(".track");
        setText(shown.querySelector(".label"), meter.label);
        setText(shown.querySelector(".value"), meter.value);
        setAttribute(track, "aria-label", meter.label);
        setAttribute(track, "aria-valuemax", meter.whole || 1);
        setAttribute(track, "aria-valuenow", Math.min(meter.part, meter.whole || 1));
        setAttribute(track, "aria-valuetext", meter.value);
        shown.classList.toggle("full", Boolean(meter.full));
        track.querySelector("i").style.width = `${meter.whole ? Math.min(100, (100 * meter.part) / meter.whole) : 0}%`;
        track.querySelector("b").style.left = `${100 * (meter.mark === undefined ? 1 : meter.mark)}%`;
        track.querySelector("b").hidden = meter.mark === undefined;
    });
}

// Calls that were made stand on the axis, those that failed on top of the others; refusals hang below it.
function drawSpark(card, name, recent) {
    const axis = 26;
    const below = 40 - axis;
    const steps = recent.succeeded.length;
    const up = recent.succeeded.map((count, at) => count + recent.failed[at]);
    const scale = Math.max(4 / axis, Math.max(...up) / axis, Math.max(...recent.refused) / below);
    const paths = { succeeded: "", failed: "", refused: "" };
    const width = 90 / steps;
    const bar = (at, y, height) => (height > 0
        ? `M${at * width} ${y.toFixed(2)}h${width * 0.8}v${height.toFixed(2)}h-${width * 0.8}z` : "");
    for (let at = 0; at < steps; ++at) {
        const good = recent.succeeded[at] / scale;
        const bad = recent.failed[at] / scale;
        paths.succeeded += bar(at, axis - good, good);
        paths.failed += bar(at, axis - good - bad, bad);
        paths.refused += bar(at, axis, recent.refused[at] / scale);
    }
    const sums = {};
    for (const kind of Object.keys(paths)) {
        setAttribute(card.querySelector(`.spark .${kind}`), "d", paths[kind]);
        sums[kind] = say(kind, { count: recent[kind].reduce((sum, count) => sum + count, 0).toLocaleString(language) });
        setText(card.querySelector(`.key.${kind}`), sums[kind]);
    }
    const time = duration(steps * recent.step_seconds * 1000).replace(/ 0 \S+$/, "");
    setText(card.querySelector(".span"), say("recent", { time }));
    setAttribute(card.querySelector(".spark"), "aria-label", say("recent_label", { name, time, ...sums }));
}

function drawChanges(card, transitions) {
    const place = card.querySelector(".changes");
    const key = language + report.now.slice(0, 10) + transitions.slice(0, shownChanges).map((change) => change.generation).join();
    if (place.dataset.key === key) return;
    place.dataset.key = key;
    place.replaceChildren();
    if (transitions.length === 0) place.append(element("li", "why", say("no_changes")));
    for (const change of transitions.slice(0, shownChanges)) {
        const line = element("li");
        const time = element("time", "", clockTime(change.at, report.now));
        time.dateTime = change.at;
        const what = element("span");
        const arrow = element("span", "change");
        arrow.dataset.state = change.to;
        arrow.append(sign(change.to), `${stateName(change.from)} → ${stateName(change.to)}`);
        what.append(arrow, " ", element("span", "why", reasonOf(change)));
        line.append(time, what);
        place.append(line);
    }
}

// --- The whole page ---------------------------------------------------------------------------------------------
function draw() {
    const entries = Object.entries(report.targets);
    for (const [name, card] of cards)
        if (!(name in report.targets)) {
            card.remove();
            cards.delete(name);
        }
    for (const [name, target] of entries) drawCard(cards.get(name) || makeCard(name), name, target);
    byId("unprotected").hidden = report.protection;
    drawHeadline(entries);
}

function drawHeadline(entries) {
    const rank = ([, target]) => worstFirst.indexOf(target.state);
    const trouble = entries.filter(([, target]) => target.state !== "CLOSED").sort((a, b) => rank(a) - rank(b));
    const worst = trouble.length > 0 ? trouble[0][1].state : "CLOSED";
    const headline = trouble.length > 0 ? say("in_trouble", { count: trouble.length, all: entries.length })
        : entries.length === 1 ? say("one_well") : say("all_well", { count: entries.length });
    setText(byId("headline").querySelector("h2"), headline);
    setAttribute(byId("headline"), "data-worst", worst);
    const list = byId("headline").querySelector("ul");
    const key = language + trouble.map(([name, target]) => name + target.state).join();
    if (list.dataset.key !== key) {
        list.dataset.key = key;
        list.replaceChildren(...trouble.map(([name, target]) => {
            const link = element("a");
            link.href = `#name-${name}`;
            link.dataset.state = target.state;
            link.append(sign(target.state), `${name} ${stateName(target.state)}`);
            const item = element("li");
            item.append(link);
            return item;
        }));
    }
    const inTitle = trouble.map(([name, target]) => `${name} ${stateName(target.state)}`).join(", ");
    const title = inTitle ? `${inTitle} – relay hub` : "relay hub";
    if (document.title !== title) document.title = title;
}

function translate(root) {
    for (const found of root.querySelectorAll("[data-text]")) setText(found, say(found.dataset.text));
    for (const found of root.querySelectorAll("[data-label]")) setAttribute(found, "aria-label", say(found.dataset.label));
}

function speak(chosen) {
    language = chosen;
    document.documentElement.lang = chosen === "zh" ? "zh-Hans" : "en";
    for (const button of document.querySelectorAll(".languages button"))
        setAttribute(button, "aria-pressed", button.lang === chosen);
    translate(document);
    showLink(link);
    if (report) draw();
}

// --- Staying up to date -----------------------------------------------------------------------------------------
let link = "connecting";
let source = null;
let heardAt = performance.now();

function showLink(now) {
    const was = link;
    link = now;
    setAttribute(byId("link"), "data-link", now);
    setText(byId("link").querySelector("span"), say(now));
    document.body.classList.toggle("lost", now === "lost");
    byId("stale").hidden = now !== "lost" || !report;
    const text = now === "lost" && report ? say("stale", { time: clockTime(report.now, report.now) }) : "";
    setText(byId("stale"), text);
    if (was !== now && now === "lost") byId("alarm").textContent = text || say("lost");
    if (was === "lost" && now !== "lost") {
        byId("alarm").textContent = "";
        byId("news").textContent = say("back");
    }
}

function hear(text, by) {
    heardAt = performance.now();
    receive(text);
    showLink(by);
}

function listen() {
    source = new EventSource("/events");
    source.onmessage = (event) => hear(event.data, "live");
    // A browser tries again by itself where the connection broke, but not where the hub has no stream left.
    source.onerror = () => {
        if (source.readyState === EventSource.CLOSED) source = null;
    };
}

async function poll() {
    try {
        const answer = await fetch("/targets", { cache: "no-store" });
        if (answer.ok) hear(await answer.text(), "polling");
    } catch (error) {
        // The watch below sees that nothing was heard.
    }
}

let turn = 0;
function tick() {
    if (!source) {
        // Four times a second: ask every 2 s, and every 5 s whether there is a stream again.
        if (turn % 8 === 0) poll();
        if (++turn % 20 === 0) listen();
    } else {
        turn = 0;
    }
    if (performance.now() - heardAt > silence) showLink("lost");
    if (!report || link === "lost") return;
    setText(byId("clock"), `${new Date(hubNow()).toISOString().slice(11, 19)} UTC`);
    for (const [name, card] of cards) drawTimes(card, report.targets[name]);
}

// --- Commands ---------------------------------------------------------------------------------------------------
// The hub decides; this only spares people buttons that cannot work.
const mayCommand = () => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
let asked = null;

function ask(command, name) {
    asked = { command, name };
    byId("ask-title").textContent = say(`ask_${command}`, { name });
    byId("ask-text").textContent = say(`about_${command}`, { name });
    byId("ask-problem").textContent = "";
    byId("ask-yes").textContent = say(command);
    byId("ask").showModal();
    byId("ask-no").focus();
}

async function carryOut() {
    const { command, name } = asked;
    let problem = say("no_answer");
    try {
        const answer = await fetch(`/targets/${encodeURIComponent(name)}/${command.replace("_", "-")}`, {
            method: "POST",
            headers: { "Content-Type": "application/json", "X-Relay-Hub-Control": "1" },
            body: "{}",
            signal: AbortSignal.timeout(10000),
        });
        if (answer.ok) {
            byId("ask").close();
            byId("news").textContent = say("done", { command: say(command), name });
            return;
        }
        const body = await answer.json().catch(() => ({}));
        problem = body.message || `HTTP ${answer.status}`;
    } catch (error) {
        // As it stands: no answer.
    }
    byId("ask-problem").textContent = say("not_done", { why: problem });
}

function chosenLanguage() {
    try {
        const kept = localStorage.getItem("language");
        if (kept in texts) return kept;
    } catch (error) {
        // Storage may be forbidden; then the browser's language is as good a guess.
    }
    return navigator.language.startsWith("zh") ? "zh" : "en";
}

for (const button of document.querySelectorAll(".languages button"))
    button.addEventListener("click", () => {
        speak(button.lang);
        try {
            localStorage.setItem("language", button.lang);
        } catch (error) {
            // It is forgotten, then.
        }
    });
byId("ask-no").addEventListener("click", () => byId("ask").close());
byId("ask-yes").addEventListener("click", carryOut);
byId("address").textContent = location.host;
byId("local").hidden = mayCommand();
speak(chosenLanguage());
listen();
setInterval(tick, 250);
