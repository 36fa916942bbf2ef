add_executable(test_collectives
  ${CMAKE_CURRENT_LIST_DIR}/algorithms_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/chunking_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/environment_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/evidence_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lowering_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_launch_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_pairs_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_rests_on_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/release_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/search_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/toy_algorithm_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/tuning_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/between_nodes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/ll128_between_nodes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mixed_nodes_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/msccl_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/posting_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rccl_rings_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/windows_test.cpp
)
target_link_libraries(test_collectives PRIVATE fabricast_catch fabricast_sim)
add_test(NAME collectives COMMAND test_collectives)

add_executable(test_every_fabric ${CMAKE_CURRENT_LIST_DIR}/every_fabric_test.cpp)
target_link_libraries(test_every_fabric PRIVATE fabricast_catch fabricast_sim)
add_test(NAME every_fabric_flow COMMAND test_every_fabric "every collective ends in flow*")
add_test(NAME every_fabric_packet COMMAND test_every_fabric "every collective ends in packet*")
