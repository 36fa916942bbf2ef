#include "core/arena.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "core/exit_code.hpp"
#include "core/pattern.hpp"

namespace probe {
namespace {

class HostArena final : public Arena {
public:
    explicit HostArena(std::size_t bytes) : bytes_(bytes) {
        constexpr std::size_t page = 4096;
        data_ = static_cast<unsigned char*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
        if (data_ == nullptr) { throw std::bad_alloc(); }
        std::memset(data_, 0, bytes);
    }
    ~HostArena() override { std::free(data_); }
    HostArena(const HostArena&) = delete;
    HostArena& operator=(const HostArena&) = delete;

    void* data() override { return data_; }
    std::size_t bytes() const override { return bytes_; }
    void read(std::size_t offset, void* to, std::size_t bytes) override { std::memcpy(to, data_ + offset, bytes); }
    void write(std::size_t offset, const void* from, std::size_t bytes) override {
        std::memcpy(data_ + offset, from, bytes);
    }

private:
    unsigned char* data_;
    std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Arena> host_arena(std::size_t bytes) { return std::make_unique<HostArena>(bytes); }

void fill(Arena& arena, std::size_t offset, std::size_t bytes, std::uint64_t seed) {
    assert(offset + bytes <= arena.bytes());
    std::vector<unsigned char> staged(bytes);
    fill_pattern(staged.data(), bytes, seed);
    arena.write(offset, staged.data(), bytes);
}

void check(Arena& arena, std::size_t offset, std::size_t bytes, std::uint64_t seed, const std::string& what) {
    assert(offset + bytes <= arena.bytes());
    std::vector<unsigned char> staged(bytes);
    arena.read(offset, staged.data(), bytes);
    if (const auto wrong = first_difference(staged.data(), bytes, seed)) {
        throw WrongData(what + ": wrong data at byte " + std::to_string(*wrong) + " of " + std::to_string(bytes));
    }
}

}  // namespace probe
