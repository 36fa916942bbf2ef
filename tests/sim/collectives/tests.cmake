add_executable(test_collectives
  ${CMAKE_CURRENT_LIST_DIR}/algorithms_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/chunking_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lowering_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/search_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tuning_test.cpp
)
target_link_libraries(test_collectives PRIVATE fabricast_catch fabricast_sim)
add_test(NAME collectives COMMAND test_collectives)
