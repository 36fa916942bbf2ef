// Preloaded into the program (LD_PRELOAD): makes one call of a kind fail, as a full disk or a dying one would.
//   FAULT_CALL=open|write|fsync|rename|renamed|flock|malloc  FAULT_NTH=N (from 1)  FAULT_ERRNO=NUMBER
//   `renamed` has happened all the same, as when the answer of a server is lost; FAULT_CALL=clock: the date jumps to
//   and fro whenever it is asked for FAULT_IN=FOLDER: only files below it that are written; allocations count from the
//   first file below it that is read FAULT_MARK=FILE: made when the call failed

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" void* __libc_malloc(std::size_t size);  // NOLINT: glibc's name for the real one

namespace {

constexpr int most_files = 4096;
std::atomic<bool> ours[most_files];  // descriptors of files below FAULT_IN that are written
std::atomic<bool> armed{false};
std::atomic<long> calls{0};

template <class Function> Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

const char* word(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

// Whether this call of that kind is to fail; sets errno.
bool fails(const char* call) {
    if (std::strcmp(word("FAULT_CALL"), call) != 0 || ++calls != std::atol(word("FAULT_NTH"))) { return false; }
    const int mark = real<int(const char*, int, ...)>("open")(word("FAULT_MARK"), O_CREAT | O_WRONLY, 0666);
    if (mark >= 0) { real<int(int)>("close")(mark); }
    errno = std::atoi(word("FAULT_ERRNO"));
    return true;
}

// Seconds by which the date is off now.
time_t jump() {
    if (std::strcmp(word("FAULT_CALL"), "clock") != 0) { return 0; }
    return (++calls % 2 == 0 ? 1 : -1) * 86400 * calls;
}

bool within(const char* path) {
    const char* const folder = word("FAULT_IN");
    return *folder != '\0' && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool watched(int file) { return file >= 0 && file < most_files && ours[file]; }

int opened(const char* name, const char* path, int flags, mode_t mode) {
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (within(path) && writes && fails("open")) { return -1; }
    const int file = real<int(const char*, int, ...)>(name)(path, flags, mode);
    if (file >= 0 && file < most_files) { ours[file] = within(path) && writes; }
    if (within(path) && !writes) { armed = true; }
    return file;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return opened("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return opened("open64", path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
    if (within(path)) { armed = true; }
    return real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t write(int file, const void* data, size_t size) {
    if (watched(file) && fails("write")) { return -1; }
    return real<ssize_t(int, const void*, size_t)>("write")(file, data, size);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t at) {
    if (watched(file) && fails("write")) { return -1; }
    return real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(file, data, size, at);
}

int fsync(int file) { return watched(file) && fails("fsync") ? -1 : real<int(int)>("fsync")(file); }
int fdatasync(int file) { return watched(file) && fails("fsync") ? -1 : real<int(int)>("fdatasync")(file); }

int rename(const char* from, const char* to) {
    if (within(to) && fails("rename")) { return -1; }
    const int renamed = real<int(const char*, const char*)>("rename")(from, to);
    return within(to) && fails("renamed") ? -1 : renamed;
}

int flock(int file, int operation) {
    return watched(file) && fails("flock") ? -1 : real<int(int, int)>("flock")(file, operation);
}

int clock_gettime(clockid_t clock, timespec* now) {
    const int got = real<int(clockid_t, timespec*)>("clock_gettime")(clock, now);
    if (clock == CLOCK_REALTIME) { now->tv_sec += jump(); }
    return got;
}

time_t time(time_t* now) {
    timespec precise{};
    clock_gettime(CLOCK_REALTIME, &precise);
    if (now != nullptr) { *now = precise.tv_sec; }
    return precise.tv_sec;
}

int gettimeofday(timeval* now, void*) {
    now->tv_sec = time(nullptr);
    now->tv_usec = 0;
    return 0;
}

void* malloc(size_t size) { return armed && fails("malloc") ? nullptr : __libc_malloc(size); }

}  // extern "C"
