add_executable(test_io
  ${CMAKE_CURRENT_LIST_DIR}/yaml_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/units_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/json_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/streams_test.cpp
)
target_compile_definitions(test_io PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_io PRIVATE fabricast_catch fabricast_sim)
add_test(NAME io COMMAND test_io)
