#include "cli/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "base/input_error.hpp"
#include "base/nearest_word.hpp"
#include "cli/command.hpp"

namespace fabricast::cli {

std::size_t terminal_width(int descriptor) {
    winsize size{};
    const bool known = ::isatty(descriptor) == 1 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0;
    return known ? size.ws_col : 0;
}

bool coloured(const std::string& when, int descriptor) {
    const std::vector<std::string> words = {"auto", "always", "never"};
    if (!when.empty() && std::ranges::find(words, when) == words.end()) {
        throw UsageError(error_message("--color", shown(when), joined(words), nearest_word(when, words)));
    }
    if (when == "always" || when == "never") { return when == "always"; }
    // no-color.org: any value but the empty one.
    const char* none = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    return (none == nullptr || *none == '\0') && kind != nullptr && std::string_view(kind) != "dumb" &&
           ::isatty(descriptor) == 1;
}

void end_with_reader() {
    std::signal(SIGPIPE, [](int) { ::_exit(0); });
}

void outlive_reader() { std::signal(SIGPIPE, SIG_IGN); }

bool reader_gone() {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace fabricast::cli
