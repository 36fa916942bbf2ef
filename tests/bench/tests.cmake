if(FABRICAST_BENCH)
  add_executable(fabricast-bench ${CMAKE_CURRENT_LIST_DIR}/engines.cpp)
  target_link_libraries(fabricast-bench PRIVATE fabricast_sim)
endif()
