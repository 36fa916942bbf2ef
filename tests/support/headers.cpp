// Compiled for the header that goes before it (tests/CMakeLists.txt).
