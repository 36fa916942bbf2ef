# The sim floor: one program a room, each listed in its own folder.
foreach(room io scenario transports collectives workloads workloads/import engines report explain study sweep)
  include(${CMAKE_CURRENT_LIST_DIR}/${room}/tests.cmake OPTIONAL)
endforeach()
