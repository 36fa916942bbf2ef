add_executable(test_topologies
  topologies/bill_test.cpp
  topologies/clos_test.cpp
  topologies/counts_test.cpp
  topologies/export_test.cpp
  topologies/fabric_test.cpp
  topologies/fabrics_test.cpp
  topologies/ports_test.cpp
  topologies/routing_tables_test.cpp
  topologies/toy_topology_test.cpp
  topologies/trays_test.cpp
  topologies/trunks_test.cpp
)
target_link_libraries(test_topologies PRIVATE fabricast_catch fabricast_topologies)
add_test(NAME topologies COMMAND test_topologies)

add_executable(test_node_library topologies/node_library_test.cpp topologies/node_parts_test.cpp
  topologies/toy_maker_test.cpp topologies/toy_node_test.cpp)
target_link_libraries(test_node_library PRIVATE fabricast_catch fabricast_sim)
target_compile_definitions(test_node_library PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME node_library COMMAND test_node_library)

# The exported platform, read by SimGrid itself.
find_path(SIMGRID_INCLUDE simgrid/s4u.hpp)
find_library(SIMGRID_LIBRARY simgrid)
if(FABRICAST_SIMGRID AND SIMGRID_INCLUDE AND SIMGRID_LIBRARY)
  add_executable(test_simgrid_platform topologies/simgrid_platform_test.cpp)
  target_include_directories(test_simgrid_platform SYSTEM PRIVATE ${SIMGRID_INCLUDE})
  target_link_libraries(test_simgrid_platform PRIVATE fabricast_topologies ${SIMGRID_LIBRARY})
  add_test(NAME simgrid_platform COMMAND test_simgrid_platform --log=root.threshold:error)
endif()
