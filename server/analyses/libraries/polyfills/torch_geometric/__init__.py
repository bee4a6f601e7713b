"""PyTorch Geometric: message passing (`torch_geometric/nn`)."""
