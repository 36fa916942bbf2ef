# A site's own files: every sample, forms of it as mail and terminals leave them, planted faults, round trips, speed.
add_executable(test_discovery
  discovery/contradictions_test.cpp
  discovery/device_parts_test.cpp
  discovery/faults_test.cpp
  discovery/formats_test.cpp
  discovery/matrix_test.cpp
  discovery/simgrid_test.cpp
  discovery/plan_faults_test.cpp
  discovery/readers_test.cpp
  discovery/round_trip_test.cpp
)
target_link_libraries(test_discovery PRIVATE fabricast_site fabricast_catch)
target_compile_definitions(test_discovery PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME discovery COMMAND test_discovery)

# In a program of its own: it prints a table, and takes the samples' time.
add_executable(test_site_samples discovery/samples_test.cpp)
target_link_libraries(test_site_samples PRIVATE fabricast_site fabricast_catch)
target_compile_definitions(test_site_samples PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME site_samples COMMAND test_site_samples)
