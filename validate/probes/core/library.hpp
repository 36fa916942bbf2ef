#pragma once
// A library of the driver's, found when the program runs, whose functions are called by their names.

#include <dlfcn.h>

namespace probe {

class Library {
public:
    static constexpr int absent = -1;  // no result of NVML or the CUDA driver

    explicit Library(const char* file) : handle_(dlopen(file, RTLD_NOW)) {}

    bool found() const { return handle_ != nullptr; }

    // The types of the arguments must be those of the function's parameters. `absent` without library or function.
    template <typename... Arguments> int call(const char* name, Arguments... arguments) const {
        void* function = found() ? dlsym(handle_, name) : nullptr;
        return function == nullptr ? absent : reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
    }

private:
    void* handle_;  // kept for the process's life, as the driver's contexts are
};

}  // namespace probe
