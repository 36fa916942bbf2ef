#pragma once
// A handle of a C library that is closed by one of its functions.

#include <memory>
#include <type_traits>

namespace probe {

template <auto Close> struct Closer {
    template <typename Handle> void operator()(Handle handle) const { Close(handle); }
};
template <typename Handle, auto Close> using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Closer<Close>>;

}  // namespace probe
