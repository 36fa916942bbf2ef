#pragma once
// Ring buffers of values that start small and double: the less memory the engine touches, the faster it is.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace fabricast::inline packet {

// A queue that only one thread uses.
template <class T> class Fifo {
public:
    bool empty() const { return head_ == tail_; }
    std::uint32_t size() const { return tail_ - head_; }
    T& front() { return slots_[head_ & mask_]; }
    const T& front() const { return slots_[head_ & mask_]; }
    const T& at(std::uint32_t i) const { return slots_[(head_ + i) & mask_]; }
    void pop() { ++head_; }
    void push(const T& value) { add() = value; }
    // The entry behind all others, which the caller writes.
    [[gnu::always_inline]] T& add() {
        if (size() == capacity_) { grow(); }
        return slots_[tail_++ & mask_];
    }
    // Before the entries at the back that come after it.
    template <class After> void insert(const T& value, After&& after) {
        push(value);
        std::uint32_t place = tail_ - 1;
        for (; place != head_ && after(slots_[(place - 1) & mask_], value); --place) {
            slots_[place & mask_] = slots_[(place - 1) & mask_];
        }
        slots_[place & mask_] = value;
    }
    std::uint32_t capacity() const { return capacity_; }
    // Calls visit(entry), oldest first.
    template <class Visit> void for_each(Visit&& visit) {
        for (std::uint32_t i = head_; i != tail_; ++i) { visit(slots_[i & mask_]); }
    }

private:
    void grow() {
        const std::uint32_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
        std::unique_ptr<T[]> slots(new T[capacity]);
        const std::uint32_t count = size();
        for (std::uint32_t i = 0; i < count; ++i) { slots[i] = at(i); }
        slots_ = std::move(slots);
        capacity_ = capacity;
        mask_ = capacity - 1;
        head_ = 0;
        tail_ = count;
    }

    std::unique_ptr<T[]> slots_;
    std::uint32_t capacity_ = 0, mask_ = 0, head_ = 0, tail_ = 0;
};

// A queue from one thread to another. What is pushed in a window is due in a later one, so neither thread waits for the
// other. A reader that still sees an old block finds in it all that it may read. Outgrown blocks are kept until the
// end; together they are smaller than the last one.
template <class T> class LinkRing {
public:
    LinkRing() = default;
    ~LinkRing() {
        for (Block block = block_.load(); block.exists();) { free(std::exchange(block, *block.before())); }
    }
    LinkRing(const LinkRing&) = delete;
    LinkRing& operator=(const LinkRing&) = delete;

    // Reader.
    bool empty() const { return head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire); }
    [[gnu::always_inline]] const T& front() const {
        return block_.load(std::memory_order_acquire)[head_.load(std::memory_order_relaxed)];
    }
    void pop() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
    // Has the caches bring the next entries, whether or not there are any.
    [[gnu::always_inline]] void prefetch() const {
        const Block block = block_.load(std::memory_order_relaxed);  // none, too, may be asked for
        const std::uint32_t head = head_.load(std::memory_order_relaxed);
        for (const std::uint32_t next : {head, head + std::uint32_t{64 / sizeof(T)}}) {
            __builtin_prefetch(reinterpret_cast<const void*>(block.address(next)));
        }
    }
    // Passes the entries to `take`, oldest first, until it returns false.
    template <class Take> void pop_while(Take&& take) {
        std::uint32_t head = head_.load(std::memory_order_relaxed);
        const std::uint32_t tail = tail_.load(std::memory_order_acquire);
        if (head == tail) { return; }
        const Block block = block_.load(std::memory_order_acquire);
        while (head != tail && take(block[head])) { ++head; }
        head_.store(head, std::memory_order_release);
    }

    // Writer. `write` is given the entry behind all others.
    template <class Write> [[gnu::always_inline]] void push_written(Write&& write) {
        Block block = block_.load(std::memory_order_relaxed);
        const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
        if (!block.exists() || !block.holds(tail - head_.load(std::memory_order_acquire))) {
            block = grow(block, tail);
        }
        write(block[tail]);
        tail_.store(tail + 1, std::memory_order_release);
    }
    [[gnu::always_inline]] void push(const T& value) {
        push_written([&](T& entry) { entry = value; });
    }

    // Before the entries that are later, none of which the reader may take in this window; it may look at their times.
    [[gnu::cold]] void insert(T value) {
        push(value);
        const Block block = block_.load(std::memory_order_relaxed);
        const std::uint32_t head = head_.load(std::memory_order_acquire);
        std::uint32_t at = tail_.load(std::memory_order_relaxed) - 1;
        for (; at != head && block[at - 1].time > value.time; --at) { block[at].become(block[at - 1]); }
        block[at].become(value);
    }

    // Calls visit(entry), oldest first, while neither thread runs.
    template <class Visit> void for_each(Visit&& visit) {
        const Block block = block_.load();
        for (std::uint32_t i = head_.load(); i != tail_.load(); ++i) { visit(block[i]); }
    }

    std::uint32_t capacity() const {
        const Block block = block_.load();
        return block.exists() ? block.capacity() : 0;
    }

private:
    // Slots, after them the block that these outgrew. The address and the binary logarithm of how many slots there are
    // share one word: whoever has read it knows where an entry is without waiting for memory that the other thread
    // writes.
    struct Block {
        static constexpr std::uintptr_t alignment = 32;  // as many bytes as a logarithm has values
        std::uintptr_t word = 0;

        bool exists() const { return word != 0; }
        std::uintptr_t slots() const { return word & ~(alignment - 1); }
        unsigned log() const { return static_cast<unsigned>(word & (alignment - 1)); }
        std::uint32_t capacity() const { return 1U << log(); }
        bool holds(std::uint32_t entries) const { return entries >> log() == 0; }  // and one more
        std::uintptr_t address(std::uint32_t i) const { return slots() + (i & (capacity() - 1)) * sizeof(T); }
        T& operator[](std::uint32_t i) const { return *reinterpret_cast<T*>(address(i)); }
        Block* before() const { return reinterpret_cast<Block*>(slots() + capacity() * sizeof(T)); }
    };
    static_assert(alignof(T) <= Block::alignment && sizeof(T) % alignof(Block) == 0);

    static void free(Block block) {
        ::operator delete (reinterpret_cast<void*>(block.slots()), std::align_val_t{Block::alignment});
    }

    [[gnu::noinline]] Block grow(Block old, std::uint32_t tail) {
        const unsigned log = old.exists() ? old.log() + 1 : 3;
        void* const memory =
            ::operator new ((std::size_t{1} << log) * sizeof(T) + sizeof(Block), std::align_val_t{Block::alignment});
        const Block block{reinterpret_cast<std::uintptr_t>(memory) | log};
        new (block.before()) Block(old);
        for (std::uint32_t i = head_.load(std::memory_order_acquire); old.exists() && i != tail; ++i) {
            block[i] = old[i];
        }
        block_.store(block, std::memory_order_release);
        return block;
    }

    std::atomic<Block> block_{};
    std::atomic<std::uint32_t> tail_{0};
    std::atomic<std::uint32_t> head_{0};
};

}  // namespace fabricast::inline packet
