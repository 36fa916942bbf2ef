#pragma once
// A part of the program's catalogue, for these tests.

#include "models/catalog.hpp"
#include "models/link.hpp"
#include "tests/support/catalogue.hpp"

namespace fabricast::testing {

inline const Catalog& catalog() { return catalogue(); }

inline const Part& part(std::string_view kind, std::string_view name) { return catalogue().at(kind, name); }

// The share of payload in an endless stream of full packets.
inline double payload_share(const Framing& framing) {
    const auto payload = static_cast<double>(framing.payload.count);
    return payload / (payload + static_cast<double>(framing.header.count));
}

}  // namespace fabricast::testing
