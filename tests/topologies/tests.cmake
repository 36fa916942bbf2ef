add_executable(test_topologies
  topologies/clos_test.cpp
  topologies/fabric_test.cpp
  topologies/fabrics_test.cpp
)
target_link_libraries(test_topologies PRIVATE fabricast_catch fabricast_topologies)
add_test(NAME topologies COMMAND test_topologies)

add_executable(test_node_library topologies/node_library_test.cpp)
target_link_libraries(test_node_library PRIVATE fabricast_catch fabricast_sim)
add_test(NAME node_library COMMAND test_node_library)
