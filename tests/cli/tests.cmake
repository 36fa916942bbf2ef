# The program as its users see it: exit codes, first lines of messages, files whole or absent.
add_executable(test_cli
  ${CMAKE_CURRENT_LIST_DIR}/bad_scenarios_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/catalog_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cluster_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/compare_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/diagnose_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/import_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/outputs_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/plan_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/run_ranks_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/run_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/shell_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/study_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/sweep_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/topo_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/version_test.cpp
)
target_compile_definitions(test_cli PRIVATE
  FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  FABRICAST_PROGRAM="$<TARGET_FILE:fabricast>"
)
target_link_libraries(test_cli PRIVATE fabricast_catch fabricast_sim)
add_dependencies(test_cli fabricast)
add_test(NAME cli COMMAND test_cli)
