#pragma once
// An array of which only the parts in use take memory: its addresses are reserved, and blocks without any in use go
// back to the system. So whatever has a number keeps its place, and what has ended costs nothing.

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace fabricast::inline packet {

template <class T> class Sparse {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Sparse() = default;
    explicit Sparse(std::size_t size) : size_(size), claims_(size * sizeof(T) / block + 1, 0) {
        void* const memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, flags, -1, 0);
        if (memory == MAP_FAILED) { throw std::bad_alloc(); }
        data_ = static_cast<T*>(memory);
    }
    ~Sparse() {
        if (data_ != nullptr) { ::munmap(data_, bytes()); }
    }
    Sparse(Sparse&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(other.size_), claims_(std::move(other.claims_)) {}
    Sparse& operator=(Sparse&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(claims_, other.claims_);
        return *this;
    }

    [[gnu::always_inline]] T& operator[](std::size_t i) { return data_[i]; }
    [[gnu::always_inline]] const T& operator[](std::size_t i) const { return data_[i]; }
    T* data() { return data_; }
    std::size_t size() const { return size_; }

    // From here on these entries are in use; they are zero.
    void claim(std::size_t begin, std::size_t count) {
        for_each_block(begin, count, [&](std::size_t b) { ++claims_[b]; });
    }
    // These entries, which were claimed together, are not needed any more.
    void release(std::size_t begin, std::size_t count) {
        for_each_block(begin, count, [&](std::size_t b) {
            if (--claims_[b] == 0) { ::madvise(reinterpret_cast<std::byte*>(data_) + b * block, block, MADV_DONTNEED); }
        });
    }

private:
    static constexpr std::size_t block = 65536;  // a multiple of the size of a page
    static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

    std::size_t bytes() const { return claims_.size() * block; }
    template <class Visit> void for_each_block(std::size_t begin, std::size_t count, Visit&& visit) {
        if (count == 0) { return; }
        const std::size_t last = ((begin + count) * sizeof(T) - 1) / block;
        for (std::size_t b = begin * sizeof(T) / block; b <= last; ++b) { visit(b); }
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::vector<std::uint32_t> claims_;  // of each block
};

}  // namespace fabricast::inline packet
