add_executable(test_report ${CMAKE_CURRENT_LIST_DIR}/fabric_page_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/assertion_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/columns_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/html_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/film_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet_picture_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/report_test.cpp
)
target_compile_definitions(test_report PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_report PRIVATE fabricast_catch fabricast_sim)
add_test(NAME report COMMAND test_report)
