add_executable(test_study
  ${CMAKE_CURRENT_LIST_DIR}/draws_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/parts_list_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/study_test.cpp
)
target_compile_definitions(test_study PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_study PRIVATE fabricast_catch fabricast_sim)
add_test(NAME study COMMAND test_study)
