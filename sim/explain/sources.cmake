target_sources(fabricast_sim PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/blame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/counterfactual.cpp
  ${CMAKE_CURRENT_LIST_DIR}/critical_path.cpp
  ${CMAKE_CURRENT_LIST_DIR}/explained_run.cpp
  ${CMAKE_CURRENT_LIST_DIR}/explanation_page.cpp
  ${CMAKE_CURRENT_LIST_DIR}/explanation_text.cpp
  ${CMAKE_CURRENT_LIST_DIR}/knee.cpp
  ${CMAKE_CURRENT_LIST_DIR}/operation_blame.cpp
  ${CMAKE_CURRENT_LIST_DIR}/outage.cpp
  ${CMAKE_CURRENT_LIST_DIR}/overlay_text.cpp
  ${CMAKE_CURRENT_LIST_DIR}/scenario_text.cpp
)
