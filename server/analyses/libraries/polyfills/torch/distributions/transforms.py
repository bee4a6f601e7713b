"""Transforms, their inverses and the logarithms of their determinants, as `transforms.py` computes them."""

import math

import torch
import torch.nn.functional as F
from gradguard import from_outside, known, linked
from torch.distributions.utils import broadcast_all, sum_rightmost


class Transform:
    __entries__ = ("_call", "_inverse", "log_abs_det_jacobian")

    bijective = False
    _domain_dim = _codomain_dim = 0
    """how many of the last dimensions make one event"""

    def __init__(self, cache_size=0):
        super().__init__()
        self._cache_size = cache_size if known(cache_size) else 0
        self._inv = None
        self._cached_x_y = None, None

    def __train__(self, names):
        """Do what a transformed distribution does: transform a sample, or tell how likely a value is."""

        def transformed(x):
            y = self(x)
            return y.sum() + self.log_abs_det_jacobian(x, y).sum()

        def likely(y):
            x = self.inv(y)
            return x.square().sum() - self.log_abs_det_jacobian(x, y).sum()

        goes_back = "_inverse" in names and "_call" not in names
        from_outside(likely if goes_back else transformed).backward()

    @property
    def event_dim(self):
        return self._domain_dim

    @property
    def inv(self):
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    def __call__(self, x):
        if self._cache_size == 0:
            return self._call(x)
        x_old, y_old = self._cached_x_y
        if x_old is not None and x is x_old:
            return y_old
        y = self._call(x)
        self._cached_x_y = x, y
        return y

    def _inv_call(self, y):
        if self._cache_size == 0:
            return self._inverse(y)
        x_old, y_old = self._cached_x_y
        if y_old is not None and y is y_old:
            return x_old
        x = self._inverse(y)
        self._cached_x_y = x, y
        return x

    def forward_shape(self, shape):
        return shape

    def _call(self, x):
        return linked(x)

    def _inverse(self, y):
        return linked(y)

    def log_abs_det_jacobian(self, x, y):
        return linked(x, y)


class _InverseTransform(Transform):
    def __init__(self, transform):
        super().__init__(transform._cache_size)
        self._inv = transform
        self._domain_dim, self._codomain_dim = transform._codomain_dim, transform._domain_dim

    @property
    def bijective(self):
        return self._inv.bijective

    def __call__(self, x):
        return self._inv._inv_call(x)

    def _inv_call(self, y):
        return self._inv(y)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)


class ComposeTransform(Transform):
    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size)
        self.parts = parts

    @property
    def _domain_dim(self):
        dim = self.parts[-1]._codomain_dim if self.parts else 0
        for part in reversed(self.parts):
            dim = max(dim + part._domain_dim - part._codomain_dim, part._domain_dim)
        return dim

    @property
    def _codomain_dim(self):
        dim = self.parts[0]._domain_dim if self.parts else 0
        for part in self.parts:
            dim = max(dim + part._codomain_dim - part._domain_dim, part._codomain_dim)
        return dim

    @property
    def inv(self):
        return ComposeTransform([part.inv for part in reversed(self.parts)])

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return torch.zeros_like(x)
        total, dim = 0.0, self._domain_dim
        for part in self.parts:
            y = part(x)
            total = total + sum_rightmost(part.log_abs_det_jacobian(x, y), dim - part._domain_dim)
            dim += part._codomain_dim - part._domain_dim
            x = y
        return total


class IndependentTransform(Transform):
    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size)
        self.base_transform = base_transform
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self._domain_dim = base_transform._domain_dim + reinterpreted_batch_ndims
        self._codomain_dim = base_transform._codomain_dim + reinterpreted_batch_ndims

    def _call(self, x):
        return self.base_transform(x)

    def _inverse(self, y):
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)


class ReshapeTransform(Transform):
    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        super().__init__(cache_size)
        self.in_shape, self.out_shape = torch.Size(in_shape), torch.Size(out_shape)
        self._domain_dim, self._codomain_dim = len(self.in_shape), len(self.out_shape)

    def forward_shape(self, shape):
        return shape[: len(shape) - len(self.in_shape)] + self.out_shape

    def _call(self, x):
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])


class AbsTransform(Transform):
    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(Transform):
    bijective = True

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale
        self._domain_dim = self._codomain_dim = event_dim

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if known(self.scale) and isinstance(self.scale, (int, float)):
            result = torch.full_like(x, math.log(abs(self.scale)))
        else:
            result = torch.abs(self.scale).log()
        if known(self.event_dim) and self.event_dim == 0:
            return result.expand(x.shape)
        return sum_rightmost(result, self.event_dim).expand(x.shape[: -self.event_dim])


class ExpTransform(Transform):
    bijective = True

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class PowerTransform(Transform):
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()


def _clipped(x):
    finfo = torch.finfo(x.dtype)
    return x.clamp(min=finfo.tiny, max=1.0 - finfo.eps)


class SigmoidTransform(Transform):
    bijective = True

    def _call(self, x):
        return _clipped(torch.sigmoid(x))

    def _inverse(self, y):
        y = _clipped(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(Transform):
    bijective = True

    def _call(self, x):
        return F.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x)


class TanhTransform(Transform):
    bijective = True

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class SoftmaxTransform(Transform):
    _domain_dim = _codomain_dim = 1

    def _call(self, x):
        shares = (x - x.max(-1, True)[0]).exp()
        return shares / shares.sum(-1, True)

    def _inverse(self, y):
        return y.log()


class StickBreakingTransform(Transform):
    bijective = True
    _domain_dim = _codomain_dim = 1

    def forward_shape(self, shape):
        return (*shape[:-1], shape[-1] + 1)

    def _call(self, x):
        offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        z = _clipped(torch.sigmoid(x - offset.log()))
        return F.pad(z, [0, 1], value=1) * F.pad((1 - z).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y):
        cropped = y[..., :-1]
        offset = y.shape[-1] - y.new_ones(cropped.shape[-1]).cumsum(-1)
        left = torch.clamp(1 - cropped.cumsum(-1), min=torch.finfo(y.dtype).tiny)
        return cropped.log() - left.log() + offset.log()

    def log_abs_det_jacobian(self, x, y):
        offset = x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)
        x = x - offset.log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)


class LowerCholeskyTransform(Transform):
    _domain_dim = _codomain_dim = 2

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    _domain_dim = _codomain_dim = 2

    def _call(self, x):
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    bijective = True
    _domain_dim, _codomain_dim = 1, 2


class CatTransform(Transform):
    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(cache_size)
        self.transforms, self.dim = list(tseq), dim


class StackTransform(CatTransform):
    pass


class CumulativeDistributionTransform(Transform):
    bijective = True

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size)
        self.distribution = distribution

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)


identity_transform = ComposeTransform([])
