// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_LIVE_CONFIG_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_LIVE_CONFIG_HPP

#include "config_changes.hpp"
#include "given.hpp"

#include "../../common/unattended.hpp"

#include <dashpot/core/clock.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relay_hub {

/// The options that are in force, and the way to others: all of them or none.
///
/// **Contract.** A new config is read, checked and compared before anything changes. What differs is
/// then applied, and written to standard error, a line for each field. The command line goes on to
/// count as it did at the start.
/// **Threads.** Every member may be called from any thread at any time; changes are made one after the
/// other.
/// **Errors.** std::invalid_argument says what is wrong with the config, CannotChange what cannot
/// change while the hub runs; and whatever `apply` throws. Then nothing has changed. A file on a mount
/// that does not answer is given up after some seconds.
class LiveConfig {
  public:
    /// What became of the configs that came since the start.
    struct Reloads {
        std::uint64_t accepted = 0;
        std::uint64_t refused = 0;
        dashpot::Instant last_accepted{}; ///< The start's config is the first.
        std::optional<dashpot::Instant> last_refused;
        bool is_last_refused = false; ///< The last one that came, and not one before it.
    };

    /// @param apply  puts new options into force, all or none
    LiveConfig(Given given, Options options, std::function<void(const Options&)> apply);

    [[nodiscard]] bool has_file() const noexcept { return !given_.config.empty(); }
    [[nodiscard]] const std::string& file_name() const noexcept { return given_.config; }

    /// Reads the config file again. @return what has changed
    std::vector<Change> read_file();
    /// Takes this text for the config file's, until the file is read again. @return what has changed
    std::vector<Change> take(std::string_view text);

    [[nodiscard]] Reloads reloads() const;

    /// Ends all waiting for a file that cannot be read now, for good.
    void stop() noexcept { reader_.stop(); }

  private:
    template <class Read>
    std::vector<Change> change(const std::string& name, Read read);
    std::vector<Change> change_locked(const ConfigFile& file, const std::string& name);
    ConfigFile file_in_time();

    const Given given_;
    const std::function<void(const Options&)> apply_;
    example::Unattended reader_;
    std::mutex mutex_;
    Options options_; // guarded by mutex_
    mutable std::mutex reloads_mutex_;
    Reloads reloads_; // guarded by reloads_mutex_
};

} // namespace relay_hub

#endif
