"""Operations that work element by element: shapes broadcast, dtypes promote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import dtypes
from .call import (
    Call,
    Op,
    always,
    attempt,
    broadcast,
    floating,
    ops,
    result,
    results,
    same_dtype,
    same_shape,
    scalar,
)
from .types import Answer, TensorType, Undecided

if TYPE_CHECKING:
    from .call import DtypeRule, ShapeRule
    from .types import Shape

same = same_shape("input")
kept = same_dtype("input")


def together(*names: str) -> ShapeRule:
    """The shapes of those of these arguments that were passed, broadcast."""
    return lambda call: broadcast(*(call.shape(name) for name in names if call.given(name)))


def promoted(*names: str) -> DtypeRule:
    """The dtypes of these arguments promoted."""
    return lambda call: dtypes.result_type(call.operands(*names), call.default)


def promoted_floating(*names: str) -> DtypeRule:
    """The dtypes promoted, integers to the default dtype."""
    return lambda call: floating(dtypes.result_type(call.operands(*names), call.default), call.default)


def made_floating(call: Call) -> str:
    """The input's dtype, integers to the default dtype."""
    return floating(call.dtype("input"), call.default)


def parts(call: Call) -> str:
    """The dtype of a complex input's parts; others are kept."""
    return dtypes.real_of(call.dtype("input"))


def float_or_parts(call: Call) -> str:
    """The dtype of a complex input's parts; integers become the default dtype."""
    return dtypes.real_of(made_floating(call))


def real_part_of(rule: DtypeRule) -> DtypeRule:
    """The dtype of a magnitude."""
    return lambda call: dtypes.real_of(rule(call))


def asked_or(otherwise: DtypeRule) -> DtypeRule:
    """The dtype of the argument `dtype`, or else of the other rule."""
    return lambda call: call.named_dtype() or otherwise(call)


def unary(names: str, dtype: DtypeRule, params: str = "input") -> dict[str, Op]:
    """Operations whose result has the input's shape."""
    return ops(names, params, result(same, dtype))


def binary(names: str, dtype: DtypeRule, params: str = "input other|n|values") -> dict[str, Op]:
    """Operations whose operands, the first two parameters, broadcast."""
    first, second = (param.split("|")[0] for param in params.split()[:2])
    return ops(names, params, result(together(first, second), dtype))


def of_floats(call: Call) -> str:
    """The input's dtype if it isn't an integer's."""
    dtype = call.dtype("input")
    if dtypes.is_integral(dtype):
        raise Undecided
    return dtype


def accumulated(dtype: str) -> str:
    """The dtype of a sum or product: integers and bools are summed as `int64`."""
    return "int64" if dtypes.is_integral(dtype) else dtype


def squared(call: Call) -> str:
    """`square` is a power: of bools it counts."""
    dtype = call.dtype("input")
    return "int64" if dtype == "bool" else dtype


def divided(call: Call) -> str:
    """`div` gives floats unless a rounding mode keeps integers."""
    rule = promoted if call.given("rounding_mode") else promoted_floating
    return rule("input", "other")(call)


def float_powered(call: Call) -> str:
    """`float_power` works in double precision."""
    wide = promoted("input", "exponent")(call)
    return "complex128" if dtypes.is_complex(wide) else "float64"


def composed(call: Call) -> str:
    """`complex(real, imag)` and `polar(abs, angle)`."""
    return dtypes.complex_of(call.dtype("input"))


def where(call: Call) -> Answer:
    """`where(condition, input, other)`; with the condition alone it is `nonzero(as_tuple=True)`."""
    if "input" not in call.args and "other" not in call.args:
        return [TensorType((None,), "int64") for _ in call.shape("condition") or (1,)]
    rule = result(together("condition", "input", "other"), promoted("input", "other"))
    return rule(call)


def broadcast_all(call: Call) -> Answer:
    """`broadcast_tensors(*tensors)`."""
    tensors = call.tensors("tensors")
    shape = attempt(lambda _: broadcast(*_shapes(tensors)), call)
    return [TensorType(shape, tensor.dtype) for tensor in tensors]


def _shapes(tensors: list[TensorType]) -> list[Shape]:
    shapes = [tensor.shape for tensor in tensors if tensor.shape is not None]
    if len(shapes) < len(tensors):
        raise Undecided
    return shapes


KEPT = """
    positive neg negative conj conj_physical resolve_conj resolve_neg sgn sign ceil floor trunc fix round frac detach
    clone contiguous alias_copy relu relu6 hardtanh leaky_relu elu selu celu gelu silu mish hardswish hardsigmoid
    hardshrink softshrink softplus threshold logsigmoid rrelu bitwise_not nan_to_num matrix_exp
    dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout feature_dropout
    tril triu flip fliplr flipud roll renorm fill index_copy index_add index_fill index_put index_reduce
    scatter scatter_add scatter_reduce put select_scatter slice_scatter diagonal_scatter as_strided_scatter
    requires_grad_ zero cholesky_inverse pin_memory cpu cuda
    data poisson detach_copy logcumsumexp bernoulli channel_shuffle native_channel_shuffle __neg__ __pos__ __invert__
"""
FLOATING = """
    exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh arcsin arccos arctan
    arcsinh arccosh arctanh sigmoid expit sqrt rsqrt reciprocal erf erfc erfinv erfcx lgamma gammaln digamma psi logit
    sinc deg2rad rad2deg i0 i0e i1 i1e entr ndtr ndtri log_ndtr airy_ai bessel_j0 bessel_j1
    bessel_y0 bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1
    scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 softsign tanhshrink
"""
BINARY_FLOATING = """
    true_divide atan2 arctan2 copysign xlogy xlog1py igamma igammac gammainc gammaincc zeta
    chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h
    hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t
    shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
    __truediv__ __rtruediv__ __rdiv__
"""
PROMOTED = """
    add sub subtract mul multiply rsub fmod remainder floor_divide maximum minimum fmax fmin gcd lcm hypot nextafter
    logaddexp logaddexp2 heaviside bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift
    __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __mod__ __rmod__ __floordiv__ __rfloordiv__ __and__ __rand__
    __or__ __ror__ __xor__ __rxor__ __lshift__ __rlshift__ __rshift__ __rrshift__
"""
TESTS = "isfinite isinf isnan isposinf isneginf isreal signbit logical_not"
COMPARISONS = """
    eq ne lt le gt ge less less_equal greater greater_equal not_equal isclose logical_and logical_or logical_xor
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__
"""


def differences(call: Call) -> Answer:
    """`gradient(input, spacing, dim)`: a result for each dimension that is asked for."""
    shape, dim = call.shape(), call.get("dim")
    count = len(call.ints("dim")) if isinstance(dim, (list, tuple)) else 1 if call.given("dim") else len(shape)
    return [TensorType(shape, attempt(made_floating, call))] * count


OPS: dict[str, Op] = {
    **unary(KEPT, kept, "input"),
    **unary(FLOATING, made_floating),
    **unary(TESTS, always("bool")),
    **unary("square", squared),
    **unary("local_response_norm", of_floats),
    **unary("abs absolute __abs__", parts),
    **unary("angle", float_or_parts),
    **unary("polygamma special.polygamma", made_floating, "n input|self"),
    **unary("Tensor.polygamma", made_floating, "input n"),
    **unary("mvlgamma special.multigammaln", made_floating, "input p"),
    **unary("isin", always("bool"), "input|elements test_elements"),
    **ops("gumbel_softmax", "logits", result(same_shape("logits"), same_dtype("logits"))),
    **unary("softmax log_softmax softmin", asked_or(made_floating), "input dim dtype"),
    **unary("cumsum cumprod", asked_or(lambda call: accumulated(call.dtype("input"))), "input dim dtype"),
    **unary(
        "functional.softmax functional.log_softmax functional.softmin",
        asked_or(made_floating),
        "input dim _stacklevel dtype",
    ),
    **binary(PROMOTED, promoted("input", "other")),
    **binary(BINARY_FLOATING, promoted_floating("input", "other")),
    **binary("div divide", divided),
    **binary("ldexp", promoted_floating("input", "other")),
    **binary("pow __pow__", promoted("input", "exponent"), "input exponent"),
    **binary("__rpow__", promoted("input", "other")),
    **binary("float_power", float_powered, "input exponent"),
    **binary(COMPARISONS, always("bool")),
    **unary("prelu", kept, "input weight"),
    **binary("complex", composed, "input|real imag"),
    **binary("polar", composed, "input|abs angle"),
    **binary("masked_fill", kept, "input mask value"),
    **binary("masked_scatter", kept, "input mask source"),
    **ops("clamp clip", "input min max", result(together("input", "min", "max"), promoted("input", "min", "max"))),
    **ops("clamp_min", "input min", result(together("input", "min"), promoted("input", "min"))),
    **ops("clamp_max", "input max", result(together("input", "max"), promoted("input", "max"))),
    **ops("lerp", "input end weight", result(together("input", "end", "weight"), kept)),
    **ops(
        "addcmul addcdiv",
        "input tensor1 tensor2",
        result(together("input", "tensor1", "tensor2"), promoted("input", "tensor1", "tensor2")),
    ),
    **ops("gradient", "input spacing dim edge_order", differences),
    **ops("where", "condition input other", where),
    **ops("Tensor.where", "input condition other", where),
    **ops("broadcast_tensors", "*tensors", broadcast_all),
    **ops("frexp", "input", results((same, kept), (same, always("int32")))),
    **ops("dist", "input other p", result(scalar, real_part_of(promoted_floating("input", "other")))),
}
