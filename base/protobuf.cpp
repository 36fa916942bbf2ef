#include "base/protobuf.hpp"

#include <fmt/core.h>

#include "base/error.hpp"

namespace fabricast::inline base {

namespace {

constexpr std::uint64_t most_message_bytes = std::uint64_t{64} << 20U;
constexpr int longest_varint = 10;

[[noreturn]] void refuse(const WireRecord& record, std::uint64_t byte, const std::string& message) {
    throw InputError({record.file}, fmt::format("record {}, byte {}: {}", record.number, byte, message));
}

}  // namespace

void WireMessage::fail(const std::string& message) const { refuse(*record_, origin_ + at_, message); }

std::uint64_t WireMessage::varint() {
    std::uint64_t value = 0;
    for (int i = 0; i < longest_varint; ++i) {
        if (at_ == bytes_.size()) { fail("the message ends inside a number"); }
        const auto byte = static_cast<unsigned char>(bytes_[at_++]);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << static_cast<unsigned>(7 * i);
        if ((byte & 0x80U) == 0) { return value; }
    }
    fail("a number of more than 10 bytes");
}

std::uint64_t WireMessage::fixed(std::size_t size) {
    if (bytes_.size() - at_ < size) { fail("the message ends inside a number"); }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    }
    at_ += size;
    return value;
}

bool WireMessage::next(WireField& field) {
    if (at_end()) { return false; }
    const std::uint64_t tag = varint();
    field.number = static_cast<std::uint32_t>(tag >> 3U);
    field.value = 0;
    field.content = {};
    if (tag >> 3U == 0 || tag >> 3U > 536'870'911) { fail("no field has the number " + std::to_string(tag >> 3U)); }
    field.type = static_cast<WireType>(tag & 7U);
    switch (field.type) {
        case WireType::varint: field.value = varint(); return true;
        case WireType::fixed64: field.value = fixed(8); return true;
        case WireType::fixed32: field.value = fixed(4); return true;
        case WireType::bytes: {
            const std::uint64_t size = varint();
            if (size > bytes_.size() - at_) {
                fail(fmt::format("a field of {} bytes where {} are left", size, bytes_.size() - at_));
            }
            field.content = bytes_.substr(at_, static_cast<std::size_t>(size));
            at_ += static_cast<std::size_t>(size);
            return true;
        }
    }
    fail("unknown wire type " + std::to_string(tag & 7U));
}

WireMessage WireMessage::inside(const WireField& field) const {
    return {field.content, origin_ + static_cast<std::uint64_t>(field.content.data() - bytes_.data()), *record_};
}

WireFile::WireFile(InputFile& file) : file_(file) {
    record_.file = std::make_shared<const std::string>(file.path().string());
}

void WireFile::fail(const std::string& message) const { refuse(record_, taken_, message); }

bool WireFile::next() {
    record_.number += first_ ? 0 : 1;
    first_ = false;
    std::uint64_t size = 0;
    for (int i = 0;; ++i) {
        char next = 0;
        const bool ended = file_.read(&next, 1) == 0;
        if (ended && i == 0) { return false; }
        taken_ += ended ? 0 : 1;
        if (ended || i == longest_varint) { fail("the length of a message is not a number"); }
        const auto byte = static_cast<unsigned char>(next);
        size |= static_cast<std::uint64_t>(byte & 0x7FU) << static_cast<unsigned>(7 * i);
        if ((byte & 0x80U) == 0) { break; }
    }
    if (size > most_message_bytes) {
        fail(fmt::format("a message of {} bytes (at most {})", size, most_message_bytes));
    }
    origin_ = taken_;
    bytes_ = read_start(file_, static_cast<std::size_t>(size));
    taken_ += bytes_.size();
    if (bytes_.size() < size) { fail(fmt::format("the file ends inside a message of {} bytes", size)); }
    return true;
}

}  // namespace fabricast::inline base
