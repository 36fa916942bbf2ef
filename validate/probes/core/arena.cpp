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
    explicit HostArena(std::size_t bytes)
        : data_(static_cast<unsigned char*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)), std::free),
          bytes_(bytes) {
        if (data_ == nullptr) { throw std::bad_alloc(); }
        std::memset(data(), 0, bytes);
    }

    void* data() override { return data_.get(); }
    std::size_t bytes() const override { return bytes_; }
    void read(std::size_t offset, void* to, std::size_t bytes) override {
        std::memcpy(to, data_.get() + offset, bytes);
    }
    void write(std::size_t offset, const void* from, std::size_t bytes) override {
        std::memcpy(data_.get() + offset, from, bytes);
    }

private:
    static constexpr std::size_t page = 4096;

    std::unique_ptr<unsigned char, void (*)(void*)> data_;
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
