import torch


@torch.no_grad()
def track_peak(peak, audio):
    """Raise the peaks to the loudest sample of each channel."""
    loudest = audio.abs().amax(dim=-1, keepdim=True)
    torch.maximum(peak, loudest, out=peak)  # changed
    return peak
