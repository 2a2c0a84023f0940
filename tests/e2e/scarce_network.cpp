// SPDX-License-Identifier: MIT
// Preloaded into the hub: a network that lacks what the test says. The file that E2E_NETWORK names is
// read at each call, and may hold one line "NAME VALUE ...":
//   socket ERRNO, connect ERRNO    the call fails so, for IPv4
//   addresses A B ...              those of the host elsewhere.test
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>

namespace {

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

bool is_told(const std::string& name, std::string& values) {
    const char* const path = std::getenv("E2E_NETWORK");
    if (path == nullptr) return false;
    std::ifstream file{path};
    std::string word;
    return file >> word && word == name && std::getline(file >> std::ws, values);
}

bool fails(const std::string& name) {
    std::string value;
    if (!is_told(name, value)) return false;
    errno = std::atoi(value.c_str());
    return true;
}

} // namespace

extern "C" {

int socket(int family, int type, int protocol) {
    if (family == AF_INET && fails("socket")) return -1;
    return next<decltype(socket)>("socket")(family, type, protocol);
}

int connect(int descriptor, const sockaddr* address, socklen_t length) {
    if (address->sa_family == AF_INET && fails("connect")) return -1;
    return next<decltype(connect)>("connect")(descriptor, address, length);
}

int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** result) {
    const auto real = next<decltype(getaddrinfo)>("getaddrinfo");
    if (host == nullptr || std::strcmp(host, "elsewhere.test") != 0)
        return real(host, service, hints, result);
    std::string values;
    if (!is_told("addresses", values)) return EAI_AGAIN;
    *result = nullptr;
    addrinfo** end = result;
    for (std::size_t at = 0; at < values.size();) {
        const auto space = std::min(values.find(' ', at), values.size());
        if (const int error = real(values.substr(at, space - at).c_str(), service, hints, end))
            return error;
        while (*end != nullptr) end = &(*end)->ai_next;
        at = space + 1;
    }
    return 0;
}

/// A chain of several answers cannot be freed as one.
void freeaddrinfo(addrinfo*) {}

} // extern "C"
