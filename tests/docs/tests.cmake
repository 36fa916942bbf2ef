if(TARGET fabricast)
add_test(NAME doc_commands COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/run_doc_commands.sh ${CMAKE_SOURCE_DIR}
                                   $<TARGET_FILE:fabricast>)
endif()
