// SPDX-License-Identifier: MIT
#include "child_process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace example {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Above the numbers under which a child is passed anything.
constexpr int first_free = 16;

/// What the child needs between fork and exec, prepared before: only system calls are safe there.
struct Preparation {
    const char* program;
    char* const* arguments;
    const char* directory;
    int input;
    int output;
    int errors;
    const std::pair<int, int>* passed;
    std::size_t passed_count;
    pid_t parent;
};

[[noreturn]] void become_program(const Preparation& prepared) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != prepared.parent) ::_exit(127);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(prepared.input, STDIN_FILENO);
    ::dup2(prepared.output, STDOUT_FILENO);
    if (prepared.errors >= 0) ::dup2(prepared.errors, STDERR_FILENO);
    for (std::size_t i = 0; i < prepared.passed_count; ++i)
        ::dup2(prepared.passed[i].first, prepared.passed[i].second);
    if (prepared.directory == nullptr || ::chdir(prepared.directory) == 0)
        ::execv(prepared.program, prepared.arguments);
    ::_exit(127);
}

int check(int result, const char* what) {
    if (result < 0) throw std::system_error{errno, std::generic_category(), what};
    return result;
}

} // namespace

ChildProcess::ChildProcess(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments, const Files& files) {
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    std::array<int, 2> ends{};
    check(::pipe2(ends.data(), O_CLOEXEC), "pipe");
    output_ = FileDescriptor{ends[0]};
    const FileDescriptor write_end{ends[1]};
    const FileDescriptor input{check(::open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null")};
    FileDescriptor errors;
    if (!files.errors.empty())
        errors = FileDescriptor{check(
            ::open(files.errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), "open")};

    // Moved out of each other's way: one of ours may have the number that another is to get.
    std::vector<FileDescriptor> moved;
    std::vector<std::pair<int, int>> passed;
    for (const auto& [ours, theirs] : files.passed) {
        moved.emplace_back(check(::fcntl(ours, F_DUPFD_CLOEXEC, first_free), "fcntl"));
        passed.emplace_back(moved.back().get(), theirs);
    }

    const Preparation prepared{words.front().c_str(),
                               pointers.data(),
                               files.directory.empty() ? nullptr : files.directory.c_str(),
                               input.get(),
                               write_end.get(),
                               errors.get(),
                               passed.data(),
                               passed.size(),
                               ::getpid()};
    pid_ = check(::fork(), "fork");
    if (pid_ == 0) become_program(prepared);
}

ChildProcess::~ChildProcess() {
    if (status_) return;
    send_signal(SIGKILL);
    // Nobody survives SIGKILL, so this ends.
    static_cast<void>(wait(SteadyTime::max()));
}

std::optional<std::string> ChildProcess::read_line(SteadyTime deadline) {
    for (;;) {
        if (const auto end = unread_.find('\n'); end != std::string::npos) {
            std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            return line;
        }
        if (!wait_until(output_.get(), POLLIN, deadline)) return {};
        std::array<char, 512> buffer;
        const ssize_t received = ::read(output_.get(), buffer.data(), buffer.size());
        if (received <= 0) return {};
        unread_.append(buffer.data(), static_cast<std::size_t>(received));
    }
}

void ChildProcess::send_signal(int signal) const noexcept {
    if (!status_) ::kill(pid_, signal);
}

std::optional<int> ChildProcess::wait(SteadyTime deadline) {
    while (!status_) {
        int raw = 0;
        if (::waitpid(pid_, &raw, WNOHANG) == pid_)
            status_ = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
        else if (steady_clock::now() >= deadline)
            return {};
        else
            std::this_thread::sleep_for(1ms);
    }
    return status_;
}

std::filesystem::path own_directory() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

} // namespace example
