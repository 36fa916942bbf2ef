target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/engine.cpp
  ${CMAKE_CURRENT_LIST_DIR}/accounting.cpp
  ${CMAKE_CURRENT_LIST_DIR}/devices.cpp
  ${CMAKE_CURRENT_LIST_DIR}/memory.cpp
  ${CMAKE_CURRENT_LIST_DIR}/analytic/analytic.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/maxmin.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/rows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/coupled.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/edge_counts.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/lower.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/operations.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/outages.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/path_classes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/rates.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/shares.cpp
  ${CMAKE_CURRENT_LIST_DIR}/flow/replay.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/deadlock.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/domain.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/horizon.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/islands.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/lower.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/lanes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/network.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/observe.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/operations.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/policies.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/replay.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/shared.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/ways.cpp
  ${CMAKE_CURRENT_LIST_DIR}/packet/words.cpp
  ${CMAKE_CURRENT_LIST_DIR}/streams.cpp
  ${CMAKE_CURRENT_LIST_DIR}/unroll.cpp
)

# SimGrid comes without a CMake package in Debian: header and library are looked up. Absent: its engine says so.
set(FABRICAST_WITH_SIMGRID OFF CACHE INTERNAL "the build has SimGrid")
if(FABRICAST_SIMGRID)
  find_path(SIMGRID_INCLUDE_DIR simgrid/s4u.hpp)
  find_library(SIMGRID_LIBRARY simgrid)
  if(SIMGRID_INCLUDE_DIR AND SIMGRID_LIBRARY)
    set(FABRICAST_WITH_SIMGRID ON CACHE INTERNAL "the build has SimGrid")
  endif()
endif()
if(FABRICAST_WITH_SIMGRID)
  target_sources(fabricast_sim PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/simgrid/simgrid.cpp
    ${CMAKE_CURRENT_LIST_DIR}/simgrid/platform.cpp
    ${CMAKE_CURRENT_LIST_DIR}/simgrid/child.cpp
  )
  target_include_directories(fabricast_sim SYSTEM PRIVATE ${SIMGRID_INCLUDE_DIR})
  target_link_libraries(fabricast_sim PUBLIC ${SIMGRID_LIBRARY})
else()
  message(STATUS "no SimGrid: its engine will say so and exit 4")
  target_sources(fabricast_sim PRIVATE ${CMAKE_CURRENT_LIST_DIR}/simgrid/absent.cpp)
endif()
