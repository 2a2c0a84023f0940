// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_LIVE_CONFIG_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_LIVE_CONFIG_HPP

#include "config_changes.hpp"
#include "given.hpp"

#include <functional>
#include <mutex>
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
/// change while the hub runs; and whatever `apply` throws. Then nothing has changed.
class LiveConfig {
  public:
    /// @param apply  puts new options into force, all or none
    LiveConfig(Given given, Options options, std::function<void(const Options&)> apply);

    [[nodiscard]] bool has_file() const noexcept { return !given_.config.empty(); }

    /// Reads the config file again. @return what has changed
    std::vector<Change> read_file();
    /// Takes this text for the config file's, until the file is read again. @return what has changed
    std::vector<Change> take(std::string_view text);

  private:
    std::vector<Change> change_locked(const ConfigFile& file, const std::string& name);

    const Given given_;
    const std::function<void(const Options&)> apply_;
    std::mutex mutex_;
    Options options_; // guarded by mutex_
};

} // namespace relay_hub

#endif
