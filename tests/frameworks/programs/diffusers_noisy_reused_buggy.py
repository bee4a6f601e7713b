import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup

accelerator = Accelerator(cpu=True)
unet = UNet2DModel(sample_size=8, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(8, 8), norm_num_groups=4, down_block_types=("DownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "UpBlock2D"))
scheduler = DDPMScheduler(num_train_timesteps=10)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
lr_scheduler = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=1, num_training_steps=2)
unet, optimizer, lr_scheduler = accelerator.prepare(unet, optimizer, lr_scheduler)

for step in range(2):
    clean = torch.randn(2, 3, 8, 8)
    noise = torch.randn_like(clean)
    timesteps = torch.randint(0, scheduler.config.num_train_timesteps, (2,))
    noisy = scheduler.add_noise(clean, noise, timesteps)
    with accelerator.accumulate(unet):
        pred = unet(noisy, timesteps, return_dict=False)[0]
        noisy -= clean  # here
        loss = F.mse_loss(pred, noise) + 0.1 * F.mse_loss(pred, noisy)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(unet.parameters(), 1.0)
        optimizer.step()
        lr_scheduler.step()
        optimizer.zero_grad()
