# The speed figures: ./dev bench. Not timed tests.
if(FABRICAST_BENCH)
  add_executable(fabricast-bench
    ${CMAKE_CURRENT_LIST_DIR}/main.cpp
    ${CMAKE_CURRENT_LIST_DIR}/measure.cpp
    ${CMAKE_CURRENT_LIST_DIR}/engine_figures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/event_core.cpp
    ${CMAKE_CURRENT_LIST_DIR}/packet_figures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/ranks.cpp
    ${CMAKE_CURRENT_LIST_DIR}/scale_figures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/site_figures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/sweep_figures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/training_figures.cpp
    ${CMAKE_CURRENT_LIST_DIR}/agreement.cpp
  )
  target_compile_definitions(fabricast-bench PRIVATE
    FABRICAST_PROGRAM="$<TARGET_FILE:fabricast>" FABRICAST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_dependencies(fabricast-bench fabricast)
  target_link_libraries(fabricast-bench PRIVATE fabricast_sim fabricast_site)
  if(FABRICAST_WITH_SIMGRID)
    target_sources(fabricast-bench PRIVATE ${CMAKE_CURRENT_LIST_DIR}/simgrid_forms.cpp
                                           ${CMAKE_SOURCE_DIR}/sim/engines/simgrid/platform.cpp)
    target_include_directories(fabricast-bench SYSTEM PRIVATE ${SIMGRID_INCLUDE_DIR})
    target_link_libraries(fabricast-bench PRIVATE ${SIMGRID_LIBRARY})
  else()
    target_sources(fabricast-bench PRIVATE ${CMAKE_CURRENT_LIST_DIR}/no_simgrid.cpp)
  endif()
endif()
