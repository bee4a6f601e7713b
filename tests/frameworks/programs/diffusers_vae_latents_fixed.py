import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DModel
from diffusers.training_utils import EMAModel, compute_snr

vae = AutoencoderKL(in_channels=3, out_channels=3, down_block_types=("DownEncoderBlock2D",), up_block_types=("UpDecoderBlock2D",), block_out_channels=(8,), latent_channels=4, norm_num_groups=4, sample_size=8)
unet = UNet2DModel(sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(8, 8), norm_num_groups=4, down_block_types=("DownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "UpBlock2D"))
vae.requires_grad_(False)
ema = EMAModel(unet.parameters(), decay=0.999)
scheduler = DDPMScheduler(num_train_timesteps=10, prediction_type="v_prediction")
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)

for _ in range(2):
    images = torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        latents = vae.encode(images).latent_dist.sample()
    latents = latents * 0.18215
    noise = torch.randn_like(latents)
    t = torch.randint(0, 10, (2,))
    noisy = scheduler.add_noise(latents, noise, t)
    target = scheduler.get_velocity(latents, noise, t)
    pred = unet(noisy, t).sample
    error = F.mse_loss(pred.float(), target.float(), reduction="none").mean(dim=(1, 2, 3))
    weights = torch.exp(error)
    weights = weights.clamp(max=5.0)
    loss = (weights * error).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    ema.step(unet.parameters())
