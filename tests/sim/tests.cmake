# The sim floor: one program a room, each listed in its own folder.
foreach(room scenario plan/transfers plan/collectives plan/training plan/traces engines report run run/jobs run/explain run/study run/best run/sweep run/layouts)
  include(${CMAKE_CURRENT_LIST_DIR}/${room}/tests.cmake OPTIONAL)
endforeach()
