#pragma once
// Runs the program in a folder of its own and keeps what it printed.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace fabricast::test {

// A folder for one test, removed at its end.
struct ScratchFolder {
    std::filesystem::path path;
    explicit ScratchFolder(const std::string& name)
        : path(std::filesystem::temp_directory_path() / ("fabricast_" + name)) {
        std::filesystem::remove_all(path);
        std::filesystem::create_directories(path);
    }
    ~ScratchFolder() { std::filesystem::remove_all(path); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return path / name;
    }
};

inline std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

struct Ran {
    int code = -1;  // 128 + signal where one ended it
    std::string out, err;

    std::string first_error_line() const { return err.substr(0, err.find('\n')); }
};

// `arguments` as a shell would split them; run from `folder`.
inline Ran run_program(const std::string& arguments, const std::filesystem::path& folder,
                       const ScratchFolder& scratch) {
    const auto out = scratch.path / "stdout.txt";
    const auto err = scratch.path / "stderr.txt";
    const std::string command = "cd '" + folder.string() + "' && { '" FABRICAST_PROGRAM "' " + arguments + "\n} >'" +
                                out.string() + "' 2>'" + err.string() + "'";
    const int status = std::system(command.c_str());
    Ran ran;
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ran.out = text_of(out);
    ran.err = text_of(err);
    return ran;
}

// The program as a process that can be stopped and killed; its words are dropped. `arguments` as a shell would split
// them.
class Process {
public:
    Process(const std::string& arguments, const std::filesystem::path& folder, const std::string& with = "")
        : pid_(::fork()) {
        if (pid_ == 0) {
            const std::string line = "cd '" + folder.string() + "' && exec " + with + " '" FABRICAST_PROGRAM "' " +
                                     arguments + " >/dev/null 2>&1 </dev/null";
            ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
            ::_exit(127);
        }
    }
    ~Process() { end(SIGKILL); }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    bool running() {
        if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) { pid_ = 0; }
        return pid_ > 0;
    }
    void signal(int number) const { ::kill(pid_, number); }
    // Returns when all its threads stand still, or it has ended: a signal takes a while to reach them.
    void stop() const {
        signal(SIGSTOP);
        siginfo_t reached;
        ::waitid(P_PID, static_cast<id_t>(pid_), &reached, WSTOPPED | WEXITED | WNOWAIT);
    }
    // The exit code, or 128 + the signal; 0 waits. One that has not ended after five minutes hangs and is killed.
    int end(int number) {
        if (pid_ > 0) { signal(number); }
        for (int waited = 0; running(); ++waited) {
            if (waited == 300'000) { signal(SIGKILL); }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    }

private:
    pid_t pid_;
    int status_ = 0;
};

}  // namespace fabricast::test
