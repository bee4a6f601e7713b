"""Products of vectors and matrices, decompositions, `torch.linalg`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..autograd.geometry import plus, times, wrapped
from . import dtypes
from .call import Call, Op, always, broadcast, ops, result, results, same_dtype, same_shape
from .pointwise import kept, made_floating, parts, promoted, same
from .reductions import floats_of, normed, reduced, with_size, without
from .types import Answer, Undecided

if TYPE_CHECKING:
    from .call import DtypeRule, ShapeRule
    from .types import Shape, Size

both = promoted("input", "other")


def check(*sizes: Size) -> None:
    """Raises `Undecided` where sizes that must be one differ."""
    if len({size for size in sizes if size is not None}) > 1:
        raise Undecided


def multiplied(a: Shape, b: Shape) -> Shape:
    """`matmul`: vectors are rows or columns, leading dimensions broadcast."""
    if not a or not b:
        raise Undecided
    check(a[-1], b[-2] if len(b) > 1 else b[0])
    batch = broadcast(a[:-2], b[:-2])
    return (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def matmul(call: Call) -> Shape:
    """`matmul`, `mm`, `bmm`, `mv`, `dot`."""
    return multiplied(call.shape("input"), call.shape("other"))


def reflected_matmul(call: Call) -> Shape:
    """`right.__rmatmul__(left)`."""
    return multiplied(call.shape("left"), call.shape("right"))


def outer(call: Call) -> Shape:
    """`outer`."""
    return (*call.shape("input"), *call.shape("other"))


def inner(call: Call) -> Shape:
    """`inner`: over the last dimensions."""
    a, b = call.shape("input"), call.shape("other")
    if not a or not b:
        return a or b
    check(a[-1], b[-1])
    return (*a[:-1], *b[:-1])


def added(name: str, first: str, second: str, batches: int = 0) -> dict[str, Op]:
    """`addmm` and the like: the product's shape, without the batch dimensions that are summed."""

    def shape(call: Call) -> Shape:
        return multiplied(call.shape(first), call.shape(second))[batches:]

    return ops(name, f"input {first} {second}", result(shape, kept))


def added_outer(call: Call) -> Shape:
    """`addr`."""
    return (*call.shape("vec1"), *call.shape("vec2"))


def linear(call: Call) -> Shape:
    """`linear(input, weight, bias)`; a weight of one dimension makes it a dot product."""
    shape, weight = call.shape("input"), call.shape("weight")
    check(shape[-1], weight[-1])
    return (*shape[:-1], *weight[:-1])


def bilinear(call: Call) -> Shape:
    """`bilinear(input1, input2, weight, bias)`."""
    return (*call.shape("input1")[:-1], call.shape("weight")[0])


def crossed(call: Call) -> Shape:
    """`cross`: broadcasts."""
    return broadcast(call.shape("input"), call.shape("other"))


def vecdot(call: Call) -> Shape:
    """`linalg.vecdot`."""
    shape = broadcast(call.shape("input"), call.shape("other"))
    return without(shape, {wrapped(call.integer("dim", -1), len(shape))}, False)


def kron(call: Call) -> Shape:
    """`kron`."""
    a, b = call.shape("input"), call.shape("other")
    rank = max(len(a), len(b))
    padded = [(1,) * (rank - len(shape)) + shape for shape in (a, b)]
    return tuple(times(*sizes) for sizes in zip(*padded, strict=True))


def tensordot(call: Call) -> Shape:
    """`tensordot(a, b, dims)`: a number of dimensions, or a list for each tensor."""
    a, b, dims = call.shape("input"), call.shape("other"), call.get("dim", 2)
    if isinstance(dims, int):
        return (*a[: len(a) - dims], *b[dims:])
    if not isinstance(dims, (list, tuple)) or len(dims) != 2:
        raise Undecided
    chosen = [Call({"dim": part}).ints("dim") for part in dims]
    gone = [{wrapped(dim, len(shape)) for dim in part} for part, shape in zip(chosen, (a, b), strict=True)]
    return (*without(a, gone[0], False), *without(b, gone[1], False))


def cdist(call: Call) -> Shape:
    """`cdist(x1, x2)`."""
    a, b = call.shape("x1"), call.shape("x2")
    check(a[-1], b[-1])
    return (*broadcast(a[:-2], b[:-2]), a[-2], b[-2])


def pdist(call: Call) -> Shape:
    """`pdist(input)`: one distance for each pair."""
    rows = call.shape("input")[0]
    return (None if rows is None else rows * (rows - 1) // 2,)


def chained(call: Call) -> Shape:
    """`chain_matmul`, `linalg.multi_dot`."""
    shapes = [tensor.shape for tensor in call.tensors("tensors")]
    first = shapes[0]
    if first is None:
        raise Undecided
    for shape in shapes[1:]:
        if shape is None:
            raise Undecided
        first = multiplied(first, shape)
    return first


def chained_dtype(call: Call) -> str:
    """The dtype of the first of several tensors that must agree."""
    dtype = call.tensors("tensors")[0].dtype
    if dtype is None:
        raise Undecided
    return dtype


def einsum(call: Call) -> Shape:
    """`einsum(equation, *operands)`; an ellipsis broadcasts."""
    equation = call.text("equation", "").replace(" ", "")
    operands = [tensor.shape for tensor in call.tensors("operands")]
    if not equation or not operands:
        raise Undecided
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise Undecided
    sizes: dict[str, Size] = {}
    rest: Shape = ()
    for term, shape in zip(terms, operands, strict=True):
        if shape is None:
            raise Undecided
        before, dots, after = term.partition("...")
        middle = len(shape) - len(before) - len(after)
        if middle < 0 or (middle and not dots):
            raise Undecided
        rest = broadcast(rest, shape[len(before) : len(before) + middle])
        for letter, size in [
            *zip(before, shape, strict=False),
            *zip(after, shape[len(shape) - len(after) :], strict=True),
        ]:
            (sizes[letter],) = broadcast((sizes.get(letter, 1),), (size,))
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = ("..." if "..." in left else "") + "".join(
            sorted(letter for letter in sizes if letters.count(letter) == 1)
        )
    before, dots, after = right.partition("...")
    return (*(sizes[letter] for letter in before), *(rest if dots else ()), *(sizes[letter] for letter in after))


def einsum_dtype(call: Call) -> str:
    """Operands of `einsum` have one dtype."""
    dtype = call.tensors("operands")[0].dtype
    if dtype is None:
        raise Undecided
    return dtype


def batch(call: Call) -> Shape:
    """The leading dimensions of a batch of matrices."""
    shape = call.shape("input")
    if len(shape) < 2:
        raise Undecided
    return shape[:-2]


def matrix(rows: str, columns: str) -> ShapeRule:
    """A batch of matrices, of sizes `m` and `n` of the input, or `k`, the smaller of both."""

    def rule(call: Call) -> Shape:
        *rest, m, n = call.shape("input")
        sizes = {"m": m, "n": n, "k": None if m is None or n is None else min(m, n)}
        return (*rest, sizes[rows], sizes[columns])

    return rule


def vector(call: Call) -> Shape:
    """A batch of vectors as long as the smaller size of the matrices."""
    *rest, m, n = call.shape("input")
    return (*rest, None if m is None or n is None else min(m, n))


def complexed(call: Call) -> str:
    """The complex dtype for the input's."""
    return dtypes.complex_of(made_floating(call))


def svd(some: str, otherwise: bool, inverted: bool, transposed: bool) -> dict[int, ShapeRule]:
    """The shapes of U and V: square for the full decomposition."""

    def full(call: Call) -> bool:
        return call.flag(some, otherwise) != inverted

    def left(call: Call) -> Shape:
        return matrix("m", "m" if full(call) else "k")(call)

    def right(call: Call) -> Shape:
        size = "n" if full(call) else "k"
        return (matrix(size, "n") if transposed else matrix("n", size))(call)

    return {0: left, 2: right}


def svd_op(name: str, params: str, some: str, otherwise: bool, inverted: bool, transposed: bool) -> dict[str, Op]:
    """`svd` in its two spellings."""
    shapes = svd(some, otherwise, inverted, transposed)
    return ops(name, params, results((shapes[0], kept), (vector, parts), (shapes[2], kept)))


def qr(call: Call) -> Answer:
    """`qr`, `linalg.qr`: the sizes depend on the mode."""
    mode = call.get("mode", "reduced")
    if isinstance(call.get("some"), bool):
        mode = "reduced" if call.flag("some") else "complete"
    if mode not in ("reduced", "complete", "r"):
        raise Undecided
    inner_size = "m" if mode == "complete" else "k"
    orthogonal: ShapeRule = nothing if mode == "r" else matrix("m", inner_size)
    return results((orthogonal, kept), (matrix(inner_size, "n"), kept))(call)


def lu(call: Call) -> Answer:
    """`lu`: the factors, the pivots, and what went wrong if that is asked for."""
    infos = [(batch, always("int32"))] if call.flag("get_infos", False) else []
    return results((same, kept), pivots, *infos)(call)


def nothing(call: Call) -> Shape:
    """A result that isn't wanted is empty."""
    return (0,)


def lu_unpacked(call: Call) -> Answer:
    """`lu_unpack`: the permutation, and both triangles; those that aren't wanted are empty."""
    pivots, data = call.get("unpack_pivots", True), call.get("unpack_data", True)
    if not isinstance(pivots, bool) or not isinstance(data, bool):
        raise Undecided
    shapes = [matrix("m", "m") if pivots else nothing]
    shapes += [matrix("m", "k"), matrix("k", "n")] if data else [nothing, nothing]
    return results(*((shape, kept) for shape in shapes))(call)


def solved(call: Call) -> Shape:
    """`linalg.solve(A, B)`: B may be a batch of vectors."""
    a, b = call.shape("input"), call.shape("other")
    if not call.flag("left", True):
        return (*broadcast(a[:-2], b[:-2]), *b[-2:])
    if len(b) == 1 or (len(b) == len(a) - 1 and b == a[:-1] and None not in b):
        return (*broadcast(a[:-2], b[:-1]), a[-1])
    if len(b) == len(a) - 1 and all(one is None or two is None or one == two for one, two in zip(a, b, strict=False)):
        raise Undecided
    if len(b) < 2:
        raise Undecided
    return (*broadcast(a[:-2], b[:-2]), *b[-2:])


def matrix_normed(call: Call) -> Shape:
    """`linalg.matrix_norm(A, ord, dim)`."""
    shape = call.shape("input")
    dims = {wrapped(dim, len(shape)) for dim in call.ints("dim", [-2, -1])}
    return without(shape, dims, call.flag("keepdim"))


def vandermonde(call: Call) -> Shape:
    """`linalg.vander(x, N)`."""
    shape = call.shape("input") or (1,)
    return (*shape, call.size("N") if call.given("N") else shape[-1])


def square_of_rows(call: Call) -> Shape:
    """`cov`, `corrcoef`: variables are rows."""
    shape = call.shape("input")
    if len(shape) < 2 or shape[0] == 1:
        return ()
    if shape[0] is None:
        raise Undecided
    return (shape[0], shape[0])


def unweighted(call: Call) -> str:
    """The dtype of `cov` and `corrcoef`, which weights may change."""
    if call.given("fweights") or call.given("aweights"):
        raise Undecided
    return made_floating(call)


def block_diagonal(call: Call) -> Shape:
    """`block_diag(*tensors)`; vectors are rows."""
    rows: Size = 0
    columns: Size = 0
    for tensor in call.tensors("tensors"):
        if tensor.shape is None:
            raise Undecided
        height, width = ((1, 1, *tensor.shape))[-2:] if len(tensor.shape) < 2 else tensor.shape
        rows, columns = plus(rows, height), plus(columns, width)
    return (rows, columns)


def all_dtypes(name: str) -> DtypeRule:
    """The dtypes of several tensors promoted."""

    def rule(call: Call) -> str:
        tensors = call.tensors(name)
        if not tensors:
            raise Undecided
        return dtypes.result_type(tensors, call.default)

    return rule


def cartesian(call: Call) -> Shape:
    """`cartesian_prod(*tensors)`."""
    tensors = call.tensors("tensors")
    sizes = [tensor.shape[0] if tensor.shape else None for tensor in tensors]
    return (sizes[0],) if len(tensors) == 1 else (times(*sizes), len(tensors))


eigenvectors = results((lambda call: call.shape("input")[:-1], complexed), (same, complexed))
eigenvectors_real = results((lambda call: call.shape("input")[:-1], parts), (same, kept))
eigenvalues = result(lambda call: call.shape("input")[:-1], complexed)
eigenvalues_real = result(lambda call: call.shape("input")[:-1], parts)
per_matrix = result(batch, kept)
pivots = (vector, always("int32"))


def batched_solve(call: Call) -> Shape:
    """`cholesky_solve(B, A)`, `lu_solve(B, …)`: batches broadcast."""
    b, a = call.shape("input"), call.shape("other")
    return (*broadcast(b[:-2], a[:-2]), *b[-2:])


def factored_solve(call: Call) -> Shape:
    """`linalg.lu_solve(LU, pivots, B)`, `linalg.ldl_solve(LD, pivots, B)`, `linalg.solve_triangular(A, B)`."""
    a, b = call.shape("input"), call.shape("B")
    return (*broadcast(a[:-2], b[:-2]), *b[-2:])


def triangle(call: Call) -> Shape:
    """`triangular_solve(b, A)` gives `A` too, as wide as the batch."""
    b, a = call.shape("input"), call.shape("other")
    return (*broadcast(b[:-2], a[:-2]), *a[-2:])


def inverted_tensor(call: Call) -> Shape:
    """`linalg.tensorinv(A, ind)`."""
    shape, ind = call.shape("input"), call.integer("ind", 2)
    return (*shape[ind:], *shape[:ind])


def accumulated_area(call: Call) -> Shape:
    """`cumulative_trapezoid(y, x, dim)`: one less along the dimension."""
    shape = call.shape("y")
    if call.given("x") and len(call.shape("x")) > 1:
        shape = broadcast(shape, call.shape("x"))
    dim = call.integer("dim", -1)
    return with_size(dim, plus(shape[dim], -1), shape)


OPS: dict[str, Op] = {
    **ops(
        "matmul mm spmm dsmm bmm mv dot vdot __matmul__ linalg.matmul",
        "input other|tensor|mat2|vec",
        result(matmul, kept),
    ),
    **ops("__rmatmul__", "right|self left|other", result(reflected_matmul, same_dtype("left"))),
    **ops("outer ger", "input other", result(outer, both)),
    **ops("inner", "input other", result(inner, kept)),
    **added("addmm sparse.addmm", "mat1", "mat2"),
    **added("addmv", "mat", "vec"),
    **added("baddbmm", "batch1", "batch2"),
    **added("addbmm", "batch1", "batch2", batches=1),
    **ops("addr", "input vec1 vec2", result(added_outer, promoted("input", "vec1", "vec2"))),
    **ops("linear", "input weight bias", result(linear, kept)),
    **ops("bilinear", "input1 input2 weight bias", result(bilinear, same_dtype("input1"))),
    **ops("cross linalg.cross", "input other dim", result(crossed, both)),
    **ops("vecdot linalg.vecdot", "input other dim", result(vecdot, kept)),
    **ops("kron", "input other", result(kron, both)),
    **ops("tensordot", "input other dim", result(tensordot, kept)),
    **ops("cdist", "x1 x2 p", result(cdist, same_dtype("x1"))),
    **ops("pdist", "input p", result(pdist, kept)),
    **ops("chain_matmul", "*tensors|matrices", result(chained, chained_dtype)),
    **ops("linalg.multi_dot", "tensors", result(chained, chained_dtype)),
    **ops("einsum", "equation *operands", result(einsum, einsum_dtype)),
    **ops("det linalg.det", "input", per_matrix),
    **ops("logdet", "input", per_matrix),
    **ops("slogdet linalg.slogdet", "input", results((batch, kept), (batch, parts))),
    **ops("inverse linalg.inv linalg.matrix_exp matrix_power linalg.matrix_power", "input", result(same, kept)),
    **ops("linalg.inv_ex", "input", results((same, kept), (batch, always("int32")))),
    **ops("cholesky linalg.cholesky", "input", result(same, kept)),
    **ops("linalg.cholesky_ex", "input", results((same, kept), (batch, always("int32")))),
    **ops("pinverse linalg.pinv", "input", result(matrix("n", "m"), kept)),
    **ops("linalg.matrix_rank", "input", result(batch, always("int64"))),
    **ops("linalg.cond", "input p", result(batch, parts)),
    **ops("linalg.eig", "input", eigenvectors),
    **ops("linalg.eigvals", "input", eigenvalues),
    **ops("linalg.eigh", "input UPLO", eigenvectors_real),
    **ops("linalg.eigvalsh", "input UPLO", eigenvalues_real),
    **svd_op("svd", "input some compute_uv", "some", True, True, False),
    **svd_op("linalg.svd", "input full_matrices", "full_matrices", True, False, True),
    **ops("linalg.svdvals", "input", result(vector, parts)),
    **ops("qr", "input some", qr),
    **ops("linalg.qr", "input mode", qr),
    **ops("linalg.lu", "input", results((matrix("m", "m"), kept), (matrix("m", "k"), kept), (matrix("k", "n"), kept))),
    **ops("lu_unpack", "input|LU_data LU_pivots unpack_data unpack_pivots", lu_unpacked),
    **ops("lu", "input|A pivot get_infos", lu),
    **ops("linalg.lu_factor", "input", results((same, kept), pivots)),
    **ops("linalg.lu_factor_ex", "input", results((same, kept), pivots, (batch, always("int32")))),
    **ops("linalg.solve", "input other", result(solved, kept)),
    **ops("linalg.solve_triangular", "input B", result(factored_solve, kept)),
    **ops("cholesky_solve", "input other|input2", result(batched_solve, kept)),
    **ops("linalg.lu_solve linalg.ldl_solve", "input|LU|LD pivots B", result(factored_solve, kept)),
    **ops("lu_solve", "input other|LU_data pivots", result(batched_solve, kept)),
    **ops("linalg.solve_ex", "input other", results((solved, kept), (batch, always("int32")))),
    **ops("triangular_solve", "input other|A", results((batched_solve, kept), (triangle, kept))),
    **ops("ormqr", "input tau|input2 other|input3", result(same_shape("other"), kept)),
    **ops("orgqr linalg.householder_product", "input tau|input2", result(same, kept)),
    **ops("linalg.ldl_factor", "input", results((same, kept), pivots)),
    **ops("linalg.ldl_factor_ex", "input", results((same, kept), pivots, (batch, always("int32")))),
    **ops("linalg.tensorinv", "input ind", result(inverted_tensor, kept)),
    **ops("geqrf", "input", results((same, kept), (vector, kept))),
    **ops("cumulative_trapezoid", "y x dim", result(accumulated_area, lambda call: floats_of(call, "y", "x"))),
    **ops("linalg.vector_norm linalg.norm", "input ord dim keepdim dtype", result(reduced, normed)),
    **ops("linalg.matrix_norm", "input ord dim keepdim dtype", result(matrix_normed, normed)),
    **ops("vander linalg.vander", "input N", result(vandermonde, kept)),
    **ops("cov corrcoef", "input", result(square_of_rows, unweighted)),
    **ops("block_diag", "*tensors", result(block_diagonal, all_dtypes("tensors"))),
    **ops("cartesian_prod", "*tensors", result(cartesian, chained_dtype)),
}
