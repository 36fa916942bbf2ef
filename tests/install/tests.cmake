# Seconds; ./dev deb and ./dev wheel make the packages and try them.
# Not under a sanitizer: a C program has not loaded its runtime.
if(TARGET fabricast AND NOT CMAKE_CXX_FLAGS MATCHES "fsanitize")
  add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/install.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
endif()
