import torch
from monai.losses import DiceCELoss, DiceLoss
from monai.networks.nets import UNet
from torch import nn

model = UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8), strides=(2,), num_res_units=1)
dice = DiceLoss(include_background=False)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(2):
    image, label = torch.randn(2, 1, 16, 16), (torch.rand(2, 2, 16, 16) > 0.5).float()
    probs = torch.softmax(model(image), dim=1)
    probs[:, 0] = 0  # here
    loss = dice(probs, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
