add_executable(test_structure structure/structure_test.cpp structure/walk_test.cpp
  structure/source_tree.cpp)
target_compile_definitions(test_structure PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_structure PRIVATE fabricast_catch fabricast_flags)
add_test(NAME structure COMMAND test_structure)
