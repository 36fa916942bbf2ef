target_sources(fabricast_sim PRIVATE
  collectives/costs.cpp
  collectives/lowering.cpp
  collectives/plan.cpp
  collectives/plan_nvls.cpp
  collectives/plan_p2p.cpp
  collectives/plan_ring.cpp
  collectives/plan_tree.cpp
  collectives/nccl/chunking.cpp
  collectives/nccl/environment.cpp
  collectives/nccl/hamilton.cpp
  collectives/nccl/locality.cpp
  collectives/nccl/names.cpp
  collectives/nccl/release.cpp
  collectives/nccl/search.cpp
  collectives/nccl/tuning.cpp
)
