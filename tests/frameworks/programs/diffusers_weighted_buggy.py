import torch
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel
from torch import nn

unet = UNet2DModel(sample_size=8, in_channels=1, out_channels=1, layers_per_block=1, block_out_channels=(8, 8), norm_num_groups=4, down_block_types=("DownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "UpBlock2D"))
scheduler = DDPMScheduler(num_train_timesteps=10)
opt = torch.optim.AdamW(unet.parameters())
ema = EMAModel(unet.parameters())
for _ in range(2):
    clean = torch.randn(2, 1, 8, 8)
    noise = torch.randn_like(clean)
    t = torch.randint(0, 10, (2,))
    noisy = scheduler.add_noise(clean, noise, t)
    pred = unet(noisy, t).sample
    weight = (pred - noise).exp()
    loss = weight.mean()
    weight.clamp_(max=5)  # here
    loss = loss + (weight * pred).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.step(unet.parameters())
