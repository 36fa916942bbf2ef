#pragma once
// Protobuf's wire format, read field by field: all that the few messages of a trace need, and every error knows its
// byte. Source: protobuf.dev/programming-guides/encoding.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/gzip.hpp"

namespace fabricast {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t value = 0;   // of varint, fixed32, fixed64: the bits
    std::string_view content;  // of bytes: a text, a message, packed values
};

// Where a message was found, for errors.
struct WireRecord {
    std::shared_ptr<const std::string> file;
    std::uint64_t number = 0;  // of the message in its file, from 0
};

// The fields of one message in the order written; `origin` is where its first byte stands in the file. Views into what
// it is given.
class WireMessage {
public:
    WireMessage(std::string_view bytes, std::uint64_t origin, const WireRecord& record)
        : bytes_(bytes), origin_(origin), record_(&record) {}

    // False at the end. Throws InputError where the bytes are no field.
    bool next(WireField& field);
    // The message inside a field that next() gave out.
    WireMessage inside(const WireField& field) const;
    [[noreturn]] void fail(const std::string& message) const;

    // The next bare varint: packed lists hold nothing else.
    std::uint64_t varint();
    bool at_end() const { return at_ == bytes_.size(); }

private:
    std::uint64_t fixed(std::size_t size);

    std::string_view bytes_;
    std::uint64_t origin_;
    const WireRecord* record_;
    std::size_t at_ = 0;
};

// A file of messages, each behind its length as a varint.
class WireFile {
public:
    explicit WireFile(InputFile& file);

    // False at the end of the file. Throws InputError with record and byte where the file stops inside a message.
    bool next();
    WireMessage message() const { return {bytes_, origin_, record_}; }  // until the next next()
    const WireRecord& record() const { return record_; }

private:
    [[noreturn]] void fail(const std::string& message) const;
    int byte();

    InputFile& file_;
    std::string buffer_, bytes_;
    WireRecord record_;
    std::size_t used_ = 0;
    std::uint64_t taken_ = 0, origin_ = 0;
    bool first_ = true;
};

}  // namespace fabricast
