add_executable(test_validate
  validate/accuracy_test.cpp
  validate/compare_test.cpp
  validate/curve_test.cpp
  validate/derive_test.cpp
  validate/measurement_test.cpp
)
target_link_libraries(test_validate PRIVATE fabricast_validate fabricast_catch)
target_compile_definitions(test_validate PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
add_test(NAME validate COMMAND test_validate)

if(FABRICAST_CERES)
  add_executable(test_calibration
    validate/catalog_writer_test.cpp
    validate/fit_test.cpp
    validate/robust_fit_test.cpp
  )
  target_link_libraries(test_calibration PRIVATE fabricast_calibration fabricast_catch)
  target_compile_definitions(test_calibration PRIVATE FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME calibration COMMAND test_calibration)
endif()
