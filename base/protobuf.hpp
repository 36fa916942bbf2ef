#pragma once
// Reads Protobuf's wire format field by field: enough for the few messages of a trace. Every error states the byte.
// Source: protobuf.dev/programming-guides/encoding.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/gzip.hpp"

namespace fabricast::inline base {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::varint;
    std::uint64_t value = 0;   // for varint, fixed32, fixed64: the bits
    std::string_view content;  // for bytes: a text, a message or packed values
};

// Where a message was found, for errors.
struct WireRecord {
    std::shared_ptr<const std::string> file;
    std::uint64_t number = 0;  // index of the message in its file, from 0
};

// Iterates over the fields of one message in the order written. `origin` is the position of the message's first byte in
// the file. Holds views: `bytes` and `record` must outlive this.
class WireMessage {
public:
    WireMessage(std::string_view bytes, std::uint64_t origin, const WireRecord& record)
        : bytes_(bytes), origin_(origin), record_(&record) {}

    // False at the end. Throws InputError if the bytes are not a field.
    bool next(WireField& field);
    // The message inside a field that next() returned.
    WireMessage inside(const WireField& field) const;
    [[noreturn]] void fail(const std::string& message) const;

    // The next varint without a field tag, as in packed lists.
    std::uint64_t varint();
    bool at_end() const { return at_ == bytes_.size(); }

private:
    std::uint64_t fixed(std::size_t size);

    std::string_view bytes_;
    std::uint64_t origin_;
    const WireRecord* record_;
    std::size_t at_ = 0;
};

// A file of messages, each preceded by its length as a varint.
class WireFile {
public:
    explicit WireFile(InputFile& file);

    // False at the end of the file. Throws InputError with record and byte, if a length is invalid or above 64 MiB or
    // the file ends inside a message.
    bool next();
    WireMessage message() const { return {bytes_, origin_, record_}; }  // valid until the next call of next()
    const WireRecord& record() const { return record_; }

private:
    [[noreturn]] void fail(const std::string& message) const;

    InputFile& file_;
    std::string bytes_;
    WireRecord record_;
    std::uint64_t taken_ = 0, origin_ = 0;
    bool first_ = true;
};

}  // namespace fabricast::inline base
