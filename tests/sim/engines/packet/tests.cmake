add_executable(test_packet
  ${CMAKE_CURRENT_LIST_DIR}/agreement_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/allocations.cpp
  ${CMAKE_CURRENT_LIST_DIR}/barrier_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sparse_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/stealable_range_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/closed_form_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/congestion_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/control_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/held_against_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lanes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pcie_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pfc_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ranks_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rerouting_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/reuse_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/steady_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sequence_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sharing_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/trimming_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/two_adapters_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/window_test.cpp
)
target_link_libraries(test_packet PRIVATE fabricast_catch fabricast_sim)
# TSan has nothing to say of one thread: it runs the tests that are tagged.
if(CMAKE_CXX_FLAGS MATCHES "fsanitize=thread")
  set(threaded "[threads]")
endif()
add_test(NAME packet COMMAND test_packet ${threaded})
if(CMAKE_BUILD_TYPE STREQUAL "Release")  # once: it has nothing of ours but the times
  add_test(NAME ns3 COMMAND ${PROJECT_SOURCE_DIR}/validate/ns3/compare.sh)
  set_tests_properties(ns3 PROPERTIES SKIP_RETURN_CODE 77)
endif()
# It replaces operator new for the whole program: beside other sources the compiler sees memory freed otherwise than allocated.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/allocations.cpp TARGET_DIRECTORY test_packet
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
