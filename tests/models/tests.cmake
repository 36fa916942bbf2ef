add_executable(test_models
  models/catalog_files_test.cpp
  models/catalog_fuzz_test.cpp
  models/catalog_reader_test.cpp
  models/catalog_schema_test.cpp
  models/catalog_text_test.cpp
  models/device_part_test.cpp
  models/ethernet_test.cpp
  models/infiniband_test.cpp
  models/library_test.cpp
  models/link_properties_test.cpp
  models/nvlink_test.cpp
  models/pcie_test.cpp
  models/toy_link_family_test.cpp
)
target_compile_definitions(test_models PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_models PRIVATE fabricast_catch fabricast_sim)
add_test(NAME models COMMAND test_models)
