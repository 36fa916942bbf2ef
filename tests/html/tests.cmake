# The HTML report in a real browser: Debian's Chromium, driven by playwright-core (sim/report/html/package.json).
if(TARGET fabricast)
add_test(NAME html_report COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/html/check_pages.sh ${CMAKE_SOURCE_DIR}
                                  $<TARGET_FILE:fabricast>)
set_tests_properties(html_report PROPERTIES SKIP_RETURN_CODE 77)
endif()
