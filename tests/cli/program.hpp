#pragma once
// Runs the program in a folder of its own and keeps what it printed.

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

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

}  // namespace fabricast::test
