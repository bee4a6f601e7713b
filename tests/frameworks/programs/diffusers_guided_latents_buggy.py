import torch
from diffusers import DDIMScheduler, UNet2DModel

unet = UNet2DModel(sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(8, 8), norm_num_groups=4, down_block_types=("DownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "UpBlock2D"))
unet.requires_grad_(False)
scheduler = DDIMScheduler(num_train_timesteps=10)
scheduler.set_timesteps(2)
latents = torch.randn(1, 4, 8, 8)
target = torch.zeros(1, 4, 8, 8)
for t in scheduler.timesteps:
    latents = latents.detach().requires_grad_()
    noise_pred = unet(latents, t).sample
    x0 = scheduler.step(noise_pred, t, latents).pred_original_sample
    guidance = (x0 - target).abs().mean()
    grad = torch.autograd.grad(guidance, latents)[0]
    latents -= 0.5 * grad  # here
    latents = scheduler.step(noise_pred.detach(), t, latents).prev_sample
