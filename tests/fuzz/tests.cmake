# Every reader over its corpus, and by libFuzzer where the build is Clang's with sanitizers (./dev fuzz has one with
# coverage of the rooms too). What a fuzzer found stays in the corpus, so every build reads it again.
add_executable(fabricast-fuzz
  ${CMAKE_CURRENT_LIST_DIR}/main.cpp
  ${CMAKE_CURRENT_LIST_DIR}/random_scenario.cpp
  ${CMAKE_CURRENT_LIST_DIR}/readers.cpp
)
target_compile_definitions(fabricast-fuzz PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(fabricast-fuzz PRIVATE fabricast_sweep fabricast_site fabricast_curves fmt::fmt)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_FLAGS MATCHES "address")
  target_compile_definitions(fabricast-fuzz PRIVATE FABRICAST_LIBFUZZER)
  target_compile_options(fabricast-fuzz PRIVATE -fsanitize=fuzzer-no-link)
  target_link_options(fabricast-fuzz PRIVATE -fsanitize=fuzzer)
endif()
add_test(NAME fuzz COMMAND ${CMAKE_CURRENT_LIST_DIR}/fuzz.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:fabricast-fuzz>)
