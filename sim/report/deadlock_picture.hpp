#pragma once
// Ports that wait for each other, as a picture.

#include <string>

namespace fabricast {

// An SVG of the links that `message`, CannotEnd's of the packet engine, names between quotes: a deadlock as a circle in
// the order of waiting, others as a row.
std::string deadlock_picture(const std::string& message);

}  // namespace fabricast
