add_executable(test_validate
  validate/accuracy_test.cpp
  validate/compare_test.cpp
  validate/curve_test.cpp
  validate/default_algorithm_test.cpp
  validate/derive_network_test.cpp
  validate/derive_software_test.cpp
  validate/derive_test.cpp
  validate/deviations_test.cpp
  validate/foreign_test.cpp
  validate/intervals_test.cpp
  validate/measurement_test.cpp
  validate/one_gpu_test.cpp
  validate/planner_test.cpp
)
target_link_libraries(test_validate PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_validate PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME validate COMMAND test_validate)

# Transfers between two devices.
add_executable(test_transfer validate/transfer_test.cpp)
target_link_libraries(test_transfer PRIVATE fabricast_validate fabricast_catch)
add_test(NAME transfer COMMAND test_transfer)

# Claims of the first documents.
add_executable(test_claims validate/claims_test.cpp)
target_link_libraries(test_claims PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_claims PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME claims COMMAND test_claims)

# The published training tables.
add_executable(test_training validate/training_test.cpp validate/training_gate_test.cpp validate/training_tables_test.cpp
    validate/kernels_test.cpp)
target_link_libraries(test_training PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_training PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME training COMMAND test_training)

if(FABRICAST_CERES)
  add_executable(test_calibration
    validate/accuracy_gate_test.cpp
    validate/catalog_writer_test.cpp
    validate/fit_test.cpp
    validate/robust_fit_test.cpp
  )
  target_link_libraries(test_calibration PRIVATE fabricast_calibration fabricast_catch)
  target_compile_definitions(test_calibration PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME calibration COMMAND test_calibration)
endif()

# Logs of benchmarks and the schema of measurement files; what is fitted and diagnosed from them has programs of its own.
add_executable(test_import
  validate/import_test.cpp
  validate/import_nccl_tests_test.cpp
  validate/import_transfers_test.cpp
  validate/measurement_schema_test.cpp
  validate/toy_log_format_test.cpp
)
target_link_libraries(test_import PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_import PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME import COMMAND test_import)

if(FABRICAST_CERES)
  add_executable(test_calibrate
    validate/agreeing_figures_test.cpp
    validate/calibrate_test.cpp
    validate/pilots_test.cpp
  )
  target_link_libraries(test_calibrate PRIVATE fabricast_calibration fabricast_catch)
  add_test(NAME calibrate COMMAND test_calibrate)
endif()

add_executable(test_diagnose validate/diagnose_test.cpp)
target_link_libraries(test_diagnose PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_diagnose PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME diagnose COMMAND test_diagnose)
