if(TARGET fabricast)
# `tests/golden/check.sh . build/bin/fabricast --update` rewrites the goldens; read the diff before committing it.
add_test(NAME scenarios_match_goldens COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/golden/check.sh ${CMAKE_SOURCE_DIR}
                                              $<TARGET_FILE:fabricast>)
endif()
