add_executable(test_validate
  validate/curve_test.cpp
  validate/derive_test.cpp
  validate/measurement_test.cpp
)
target_link_libraries(test_validate PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_validate PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME validate COMMAND test_validate)
