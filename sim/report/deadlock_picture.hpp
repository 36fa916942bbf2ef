#pragma once
// Ports that wait for each other, as a picture.

#include <string>

namespace fabricast {

// An SVG of the links that are quoted in `message`, the text of the packet engine's CannotEnd. A deadlock is drawn as a
// circle in the order of waiting, any other message as a column of boxes.
std::string deadlock_picture(const std::string& message);

}  // namespace fabricast
