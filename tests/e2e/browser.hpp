// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_BROWSER_HPP
#define DASHPOT_TESTS_E2E_BROWSER_HPP

#include "../../examples/common/child_process.hpp"
#include "../../examples/common/file_descriptor.hpp"
#include "../../examples/common/temporary_directory.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace e2e {

using nlohmann::json;

/// A Chromium without a window, and one tab of it, driven by the DevTools protocol through a pipe. Ends
/// with this object.
///
/// **Errors.** std::runtime_error where the browser or the page's script reports one, or where nothing
/// is answered within half a minute.
class Browser {
  public:
    explicit Browser(const std::string& program);
    ~Browser();
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;

    /// A command of the protocol, to the tab. @return its result
    json call(const std::string& method, const json& parameters = json::object());

    /// Opens the page there and waits until it is loaded.
    void open(const std::string& url);

    /// The value of an expression of JavaScript.
    json evaluate(const std::string& expression);
    /// Polls until the expression is true. @return false: it was not, within half a minute
    [[nodiscard]] bool sees(const std::string& expression);

    /// Presses a key: "Tab", "Enter" or "Escape".
    void press(const std::string& key);

    /// How wide and high the tab is.
    void resize(int width, int height);
    /// What the user prefers, {"prefers-color-scheme", "dark"} for one.
    void prefer(const std::string& what, const std::string& value);
    /// The user's language, "zh-CN" for one. For pages opened from now on.
    void set_language(const std::string& language);

    /// The page as a PNG, from its top, so wide as the tab. @param height  0: to its end
    [[nodiscard]] std::string screenshot(int height = 0);

    /// The URL of each request that a page of this tab made or tried to.
    [[nodiscard]] const std::vector<std::string>& requests() const { return requests_; }
    /// What the console shows as a warning or an error, violations of a page's policy among them.
    [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

  private:
    json exchange(json message);
    void send(const std::string& text) const;
    [[nodiscard]] json receive(example::SteadyTime deadline);
    void note(const json& event);

    example::TemporaryDirectory profile_;
    example::FileDescriptor to_browser_;
    example::FileDescriptor from_browser_;
    std::unique_ptr<example::ChildProcess> process_;
    std::string unread_;
    int last_id_ = 0;
    std::string session_;
    bool is_loaded_ = false;
    std::vector<std::pair<std::string, std::string>> preferences_;
    std::vector<std::string> requests_;
    std::vector<std::string> complaints_;
};

} // namespace e2e

#endif
