#include "discovery/format.hpp"
#include "tests/support/catch.hpp"
