add_executable(test_base
  ${CMAKE_CURRENT_LIST_DIR}/yaml_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/error_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/unit_text_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/units_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/json_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parallel_map_ordered_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/streams_test.cpp
)
target_compile_definitions(test_base PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_base PRIVATE fabricast_catch fabricast_sim)
add_test(NAME base COMMAND test_base)
