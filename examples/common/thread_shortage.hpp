// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_THREAD_SHORTAGE_HPP
#define DASHPOT_EXAMPLES_COMMON_THREAD_SHORTAGE_HPP

#include "file_descriptor.hpp"

#include <cstddef>
#include <mutex>

namespace example {

/// How many jobs wait for a thread that does not exist, in a form that can be polled.
///
/// An idle connection holds a thread and waits in poll(). By watching this as well it learns that
/// somebody needs the thread more, and leaves: one connection for one job, no more.
///
/// **Threads.** Every member may be called from any thread at any time.
class ThreadShortage {
  public:
    ThreadShortage();

    /// Readable while more jobs wait than threads are on the way to them.
    [[nodiscard]] int descriptor() const noexcept { return signal_.get(); }

    /// A job was queued that no thread is free for.
    void job_waits();

    /// An idle connection offers its thread. @return true: it is needed, close the connection
    [[nodiscard]] bool leave();

    /// The calling thread took a job, or found none: it is no longer on the way.
    void settle(bool took_waiting_job);

  private:
    void update_locked();

    FileDescriptor signal_;
    std::mutex mutex_;
    std::size_t waiting_ = 0; // jobs; guarded by mutex_
    std::size_t on_way_ = 0;  // threads; guarded by mutex_
    bool is_raised_ = false;  // guarded by mutex_
};

} // namespace example

#endif
