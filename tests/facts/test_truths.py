"""Truths about PyTorch that the table must tell, each one known from running PyTorch."""

import pytest
from gradguard.facts.model import REQUIRED, Case, ModuleFact, Op, OptimizerFact
from gradguard.facts.model import Test as Condition
from gradguard.facts.releases import BASE

ANY = object()
"""an argument that is a tensor"""


def holds(test: Condition, arguments: dict[str, object]) -> bool:
    value = arguments.get(test.param)
    if test.op == "tensor":
        return (value is ANY) is test.value
    if test.op == "given":
        return (value is not None) is test.value
    if test.op == "advanced":
        return (value is ANY or isinstance(value, list)) is test.value
    return (value == test.value) is (test.op == "is")


def case_of(name: str, **arguments: object) -> Case:
    """Return the case that applies; parameters that aren't named are tensors if required, else at their default."""
    fact = BASE.table.find(name)
    assert isinstance(fact, (Op, ModuleFact)), name
    forward = fact.forward if isinstance(fact, ModuleFact) else ()
    defaults = {p.name: ANY if p.default is REQUIRED else p.default for p in (*forward, *fact.params)}
    bound = {"training": True, **defaults, **arguments}
    return next(case for case in fact.cases if all(holds(test, bound) for test in case.tests))


def saves(case: Case) -> set[str]:
    """Return what is saved and when: `other:input` says that `other` is saved if `input` requires grad."""
    return {f"{s.what}:{'+'.join(sorted(names))}" for s in case.saves for names in s.when}


def everything_when(what: str, *inputs: str) -> set[str]:
    return {f"{w}:{i}" for w in what.split() for i in inputs}


@pytest.mark.parametrize(
    "name",
    [
        *("add", "sub", "neg", "sum", "mean", "cumsum", "clone", "flip", "roll", "floor", "ceil", "round", "sign"),
        *("trunc", "tril", "triu", "diag", "cat", "stack", "hstack", "rsub", "transpose", "detach"),
    ],
)
def test_these_save_nothing(name: str) -> None:
    case = case_of(f"torch.{name}")
    assert not case.saves
    assert not case.frees


@pytest.mark.parametrize(
    "name",
    [
        *(
            "torch.exp",
            "torch.sigmoid",
            "torch.tanh",
            "torch.tan",
            "torch.relu",
            "torch.sqrt",
            "torch.rsqrt",
            "torch.exp2",
        ),
        *("torch.reciprocal", "torch.expm1", "torch.nn.functional.softmax", "torch.log_softmax", "torch.linalg.inv"),
        *("torch.nn.functional.relu", "torch.special.expit", "torch.Tensor.exp", "torch.linalg.cholesky"),
    ],
)
def test_these_save_their_result_only(name: str) -> None:
    case = case_of(name)
    assert {s.what for s in case.saves} == {"out"}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "torch.sin",
            "torch.cos",
            "torch.log",
            "torch.abs",
            "torch.square",
            "torch.clamp",
            "torch.erf",
            "torch.nan_to_num",
        ),
        *(
            "torch.nn.functional.gelu",
            "torch.nn.functional.silu",
            "torch.nn.functional.elu",
            "torch.nn.functional.hardtanh",
        ),
        *("torch.nn.functional.leaky_relu", "torch.nn.functional.softplus", "torch.var", "torch.log1p"),
    ],
)
def test_these_save_their_input_only(name: str) -> None:
    case = case_of(name)
    assert {s.what for s in case.saves if s.what not in ("min", "max")} == {"input"}


@pytest.mark.parametrize(
    "name", ["torch.std", "torch.prod", "torch.logsumexp", "torch.amax", "torch.norm", "torch.max"]
)
def test_these_save_input_and_result(name: str) -> None:
    assert {s.what for s in case_of(name).saves} == {"input", "out"}


def test_a_product_saves_the_other_operand() -> None:
    assert saves(case_of("torch.mul")) == {"input:other", "other:input"}
    assert saves(case_of("operator.mul")) == {"a:b", "b:a"}
    assert saves(case_of("torch.matmul")) >= {"input:other", "other:input"}
    assert saves(case_of("torch.mm")) == {"input:mat2", "mat2:input"}
    assert saves(case_of("torch.nn.functional.linear")) == {"input:weight", "weight:input"}


def test_a_product_with_a_number_saves_no_tensor_of_the_users_but_frees_its_graph() -> None:
    case = case_of("torch.mul", other=2)
    assert "other" not in {s.what for s in case.saves if frozenset({"input"}) not in s.when}
    assert frozenset({"input"}) in case.frees


def test_a_quotient_saves_both_for_the_divisor() -> None:
    assert saves(case_of("torch.div")) == {"other:input", "input:other", "other:other"}


def test_powers_differ_between_numbers_and_tensors() -> None:
    assert saves(case_of("torch.pow", exponent=2)) == {"input:input"}
    assert {s.what for s in case_of("torch.pow").saves} == {"input", "exponent", "out"}
    assert "out:exponent" in saves(case_of("torch.pow", input=2.0))


def test_maximum_and_convolution_save_both_whatever_requires_grad() -> None:
    assert saves(case_of("torch.maximum")) == everything_when("input other", "input", "other")
    assert saves(case_of("torch.nn.functional.conv2d")) == everything_when("input weight", "input", "weight", "bias")


def test_order_statistics_save_their_indices_only() -> None:
    assert saves(case_of("torch.max", dim=1)) == {"out1:input"}
    assert saves(case_of("torch.sort")) == {"out1:input"}
    assert saves(case_of("torch.topk")) == {"out1:input"}
    assert [r.dtype for r in case_of("torch.topk").results] == [None, "int64"]


def test_indices_and_masks_are_saved() -> None:
    assert "index:self" in saves(case_of("torch.Tensor.__getitem__"))
    assert "index:self" in saves(case_of("torch.Tensor.__setitem__"))
    assert "condition:input" in saves(case_of("torch.where", input=ANY, other=ANY))
    assert saves(case_of("torch.masked_fill")) >= {"mask:input"}
    assert saves(case_of("torch.nn.functional.embedding")) == {"input:weight"}
    assert {s.what for s in case_of("torch.nn.functional.cross_entropy").saves} == {"target", "weight"}
    assert {s.what for s in case_of("torch.gather").saves} == {"input", "index"}


def test_basic_indexing_gives_a_view_and_advanced_indexing_a_copy() -> None:
    assert case_of("torch.Tensor.__getitem__", index=0).results[0].kind == "view"
    assert not case_of("torch.Tensor.__getitem__", index=0).saves
    assert case_of("torch.Tensor.__getitem__", index=[0, 2]).results[0].kind == "new"


@pytest.mark.parametrize("index", [0, ANY, [0, 2]])
def test_writing_to_an_index_moves_the_version_once(index: object) -> None:
    case = case_of("torch.Tensor.__setitem__", index=index)
    assert [(m.what, m.bumps, m.certain) for m in case.mutates] == [("self", 1, True)]


def test_norms_save_their_weights() -> None:
    batch = {s.what for s in case_of("torch.nn.BatchNorm2d").saves}
    assert batch >= {"input", "self.weight", "self.running_mean", "self.running_var"}
    assert {s.what for s in case_of("torch.nn.LayerNorm").saves} == {"input", "self.weight", "self.bias"}
    assert {s.what for s in case_of("torch.nn.GroupNorm").saves} == {"input", "self.weight"}


def test_batch_norm_changes_its_statistics_silently() -> None:
    changed = {(m.what, m.bumps) for m in case_of("torch.nn.BatchNorm2d").mutates}
    assert changed == {("self.running_mean", 0), ("self.running_var", 0), ("self.num_batches_tracked", 1)}
    assert not case_of("torch.nn.BatchNorm2d", training=False).mutates


def test_embedding_with_max_norm_changes_its_weight() -> None:
    assert [m.what for m in case_of("torch.nn.Embedding", max_norm=1.0).mutates] == ["self.weight"]
    assert not case_of("torch.nn.Embedding").mutates


def test_attention_saves_its_arguments_and_its_result() -> None:
    case = case_of("torch.nn.functional.scaled_dot_product_attention")
    assert {s.what for s in case.saves if s.certain} == {"query", "key", "value", "out"}
    module = {s.what for s in case_of("torch.nn.MultiheadAttention").saves}
    assert module >= {"query", "key", "value", "self.out_proj.weight", "self.in_proj_weight"}


def test_lstm_saves_its_output_but_gru_does_not() -> None:
    assert {"input", "out0"} <= {s.what for s in case_of("torch.nn.LSTM").saves}
    assert "out0" not in {s.what for s in case_of("torch.nn.GRU").saves}


@pytest.mark.parametrize("name", ["exp_", "sigmoid_", "tanh_", "relu_", "sqrt_", "reciprocal_", "rsqrt_"])
def test_these_in_place_forms_save_their_own_result(name: str) -> None:
    case = case_of(f"torch.Tensor.{name}")
    assert saves(case) == {"out:self"}
    assert [(m.what, m.bumps) for m in case.mutates] == [("self", 1)]
    assert case.results[0].kind == "same"


@pytest.mark.parametrize("name", ["sin_", "log_", "abs_", "clamp_", "square_"])
def test_these_in_place_forms_keep_a_copy_of_the_old_value(name: str) -> None:
    case = case_of(f"torch.Tensor.{name}", min=0, max=1)
    assert "out" not in {s.what for s in case.saves}
    assert case.frees


@pytest.mark.parametrize("name", ["add_", "sub_", "zero_", "fill_", "copy_", "neg_", "floor_"])
def test_these_in_place_forms_save_nothing(name: str) -> None:
    case = case_of(f"torch.Tensor.{name}")
    assert not case.saves
    assert case.mutates


def test_an_in_place_product_saves_the_other_operand_only() -> None:
    assert saves(case_of("torch.Tensor.mul_")) == {"other:self"}
    assert saves(case_of("operator.imul")) == {"b:a"}
    assert [m.what for m in case_of("operator.imul").mutates] == ["a"]


def test_in_place_activations_change_their_input() -> None:
    case = case_of("torch.nn.functional.relu", inplace=True)
    assert saves(case) == {"out:input"}
    assert [m.what for m in case.mutates] == ["input"]
    assert not case_of("torch.nn.functional.relu").mutates
    assert [m.what for m in case_of("torch.nn.ReLU", inplace=True).mutates] == ["input"]


def test_dropout_returns_its_input_when_it_has_nothing_to_drop() -> None:
    assert case_of("torch.nn.functional.dropout", training=False).results[0].kind == "same"
    assert case_of("torch.nn.functional.dropout", p=0.0).results[0].kind == "same"
    assert case_of("torch.nn.functional.dropout").results[0].kind == "new"
    assert case_of("torch.nn.Dropout", training=False).results[0].kind == "same"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "torch.Tensor.view",
            "torch.Tensor.t",
            "torch.Tensor.permute",
            "torch.transpose",
            "torch.squeeze",
            "torch.diagonal",
        ),
        *(
            "torch.unsqueeze",
            "torch.Tensor.expand",
            "torch.narrow",
            "torch.select",
            "torch.Tensor.unfold",
            "torch.Tensor.T",
        ),
        *("torch.Tensor.detach", "torch.as_strided", "torch.movedim", "torch.broadcast_to", "torch.swapaxes"),
    ],
)
def test_views_share_memory_and_counter(name: str) -> None:
    assert case_of(name).results[0].kind == "view"


@pytest.mark.parametrize("name", ["torch.split", "torch.chunk", "torch.unbind", "torch.Tensor.__iter__"])
def test_several_views_of_one_call_are_marked(name: str) -> None:
    case = case_of(name)
    assert case.sequence
    assert case.results[0].kind == "view"
    assert case.results[0].multi


@pytest.mark.parametrize(
    "name", ["torch.Tensor.data", "torch.Tensor.numpy", "torch.unsafe_chunk", "torch.unsafe_split"]
)
def test_these_share_memory_but_not_the_counter(name: str) -> None:
    assert case_of(name).results[0].kind == "alias"


@pytest.mark.parametrize(
    "name",
    [
        *("torch.Tensor.contiguous", "torch.reshape", "torch.flatten", "torch.ravel", "torch.Tensor.float"),
        *("torch.Tensor.double", "torch.Tensor.to", "torch.Tensor.type_as"),
    ],
)
def test_these_may_return_their_input(name: str) -> None:
    assert case_of(name).results[0].kind == "depends"


def test_a_copy_asked_for_is_a_copy() -> None:
    assert case_of("torch.Tensor.to", copy=True).results[0].kind == "new"


@pytest.mark.parametrize("name", ["torch.clone", "torch.tensor", "torch.flip", "torch.cat", "torch.tile", "torch.take"])
def test_these_copy(name: str) -> None:
    assert case_of(name).results[0].kind == "new"


def test_results_that_have_no_gradient() -> None:
    assert not case_of("torch.argmax").flows
    assert case_of("torch.argmax").results[0].dtype == "int64"
    assert case_of("torch.eq").results[0].dtype == "bool"
    assert not case_of("torch.zeros").flows
    assert not case_of("torch.Tensor.detach").flows


def test_clipping_changes_gradients_only() -> None:
    changed = {(m.what, m.bumps) for m in case_of("torch.nn.utils.clip_grad_norm_").mutates}
    assert changed == {("parameters.grad", 1)}


def test_parameters_are_overwritten_silently_from_a_vector() -> None:
    assert {(m.what, m.bumps) for m in case_of("torch.nn.utils.vector_to_parameters").mutates} == {("parameters", 0)}


@pytest.mark.parametrize(("name", "bumps"), [("SGD", 1), ("Adam", 1), ("AdamW", 2), ("RMSprop", 1), ("Adagrad", 1)])
def test_optimizers_move_the_version(name: str, bumps: int) -> None:
    fact = BASE.table.find(f"torch.optim.{name}")
    assert isinstance(fact, OptimizerFact)
    assert fact.bumps == bumps
    assert not fact.needs_closure


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_fused_optimizers_write_silently(name: str) -> None:
    fact = BASE.table.find(f"torch.optim.{name}")
    assert isinstance(fact, OptimizerFact)
    assert fact.silent_when == (Condition("fused", "is", True),)


def test_lbfgs_needs_a_closure_and_steps_many_times() -> None:
    fact = BASE.table.find("torch.optim.LBFGS")
    assert isinstance(fact, OptimizerFact)
    assert fact.needs_closure
    assert fact.bumps > 1
    assert not fact.exact
