add_executable(test_topologies
  topologies/clos_test.cpp
  topologies/fabric_test.cpp
)
target_link_libraries(test_topologies PRIVATE fabricast_catch fabricast_topologies)
add_test(NAME topologies COMMAND test_topologies)
