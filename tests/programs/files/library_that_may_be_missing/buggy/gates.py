try:
    from sluice_kernels_cuda import swish

    HAS_FAST = True
except ImportError:
    HAS_FAST = False

    def swish(values):
        return values.mul_(0.5)  # changed
