#include "base/protobuf.hpp"

#include <algorithm>
#include <memory>

#include "base/input_error.hpp"

namespace fabricast {

namespace {

constexpr std::uint64_t most_message_bytes = std::uint64_t{64} << 20U;
constexpr std::size_t block_bytes = std::size_t{1} << 16U;
constexpr int longest_varint = 10;

[[noreturn]] void refuse(const WireRecord& record, std::uint64_t byte, const std::string& message) {
    throw InputError({record.file},
                     "record " + std::to_string(record.number) + ", byte " + std::to_string(byte) + ": " + message);
}

}  // namespace

void WireMessage::fail(const std::string& message) const { refuse(*record_, origin_ + at_, message); }

std::uint64_t WireMessage::varint() {
    std::uint64_t value = 0;
    for (int i = 0; i < longest_varint; ++i) {
        if (at_ == bytes_.size()) {
            fail("the message ends inside a number");
        }
        const auto byte = static_cast<unsigned char>(bytes_[at_++]);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << static_cast<unsigned>(7 * i);
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
    fail("a number of more than 10 bytes");
}

std::uint64_t WireMessage::fixed(std::size_t size) {
    if (bytes_.size() - at_ < size) {
        fail("the message ends inside a number");
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    }
    at_ += size;
    return value;
}

bool WireMessage::next(WireField& field) {
    if (at_end()) {
        return false;
    }
    const std::uint64_t tag = varint();
    field.number = static_cast<std::uint32_t>(tag >> 3U);
    field.value = 0;
    field.content = {};
    if (tag >> 3U == 0 || tag >> 3U > 536'870'911) {
        fail("no field has the number " + std::to_string(tag >> 3U));
    }
    switch (tag & 7U) {
        case 0:
            field.type = WireType::varint;
            field.value = varint();
            return true;
        case 1:
            field.type = WireType::fixed64;
            field.value = fixed(8);
            return true;
        case 5:
            field.type = WireType::fixed32;
            field.value = fixed(4);
            return true;
        case 2: {
            field.type = WireType::bytes;
            const std::uint64_t size = varint();
            if (size > bytes_.size() - at_) {
                fail("a field of " + std::to_string(size) + " bytes where " + std::to_string(bytes_.size() - at_) +
                     " are left");
            }
            field.content = bytes_.substr(at_, static_cast<std::size_t>(size));
            at_ += static_cast<std::size_t>(size);
            return true;
        }
        default:
            fail("unknown wire type " + std::to_string(tag & 7U));
    }
}

WireMessage WireMessage::inside(const WireField& field) const {
    return {field.content, origin_ + static_cast<std::uint64_t>(field.content.data() - bytes_.data()), *record_};
}

WireFile::WireFile(InputFile& file) : file_(file) {
    record_.file = std::make_shared<const std::string>(file.path().string());
}

void WireFile::fail(const std::string& message) const { refuse(record_, taken_, message); }

int WireFile::byte() {
    if (used_ == buffer_.size()) {
        buffer_.resize(block_bytes);
        buffer_.resize(file_.read(buffer_.data(), buffer_.size()));
        used_ = 0;
        if (buffer_.empty()) {
            return -1;
        }
    }
    ++taken_;
    return static_cast<unsigned char>(buffer_[used_++]);
}

bool WireFile::next() {
    record_.number += first_ ? 0 : 1;
    first_ = false;
    std::uint64_t size = 0;
    for (int i = 0;; ++i) {
        const int b = byte();
        if (b < 0 && i == 0) {
            return false;
        }
        if (b < 0 || i == longest_varint) {
            fail("the length of a message is no number");
        }
        size |= static_cast<std::uint64_t>(b & 0x7F) << static_cast<unsigned>(7 * i);
        if ((b & 0x80) == 0) {
            break;
        }
    }
    if (size > most_message_bytes) {
        fail("a message of " + std::to_string(size) + " bytes (at most " + std::to_string(most_message_bytes) + ")");
    }
    origin_ = taken_;
    bytes_.clear();
    while (bytes_.size() < size) {
        const int b = byte();
        if (b < 0) {
            fail("the file ends inside a message of " + std::to_string(size) + " bytes");
        }
        const std::size_t more = std::min(buffer_.size() - used_, static_cast<std::size_t>(size) - bytes_.size() - 1);
        bytes_.push_back(static_cast<char>(b));
        bytes_.append(buffer_, used_, more);
        used_ += more;
        taken_ += more;
    }
    return true;
}

}  // namespace fabricast
