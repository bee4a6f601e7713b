"""Observation inside a process: `watch()`, the plugin for pytest, notebooks, and what programs may do meanwhile."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
import traceback
import weakref
from typing import TYPE_CHECKING, Any

import gradguard.runtime
import pytest
import torch
from gradguard.runtime.places import OWN
from gradguard.workspace.record import read
from torch import nn
from torch.utils.checkpoint import checkpoint

from .observing import leaf, observed, text

if TYPE_CHECKING:
    from pathlib import Path


def test_an_error_goes_on_and_the_report_names_the_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation"), gradguard.runtime.watch() as seen:
        y = leaf().exp()
        y += 1
        y.sum().backward()
    assert "GG101" in capsys.readouterr().err
    (one,) = seen.sightings
    assert text(one) == ("y = leaf().exp()", "y += 1", "y.sum().backward()")


def test_what_is_watched_can_be_watched_in_part() -> None:
    with gradguard.runtime.watch(tell=False) as whole, gradguard.runtime.watch(tell=False) as part:
        y = leaf().exp()
        y.data.zero_()
        y.sum().backward()
    assert [one.kind for one in whole.sightings] == [one.kind for one in part.sightings] == ["silent-stale"]


def replaced() -> list[object]:
    methods = [getattr(torch.Tensor, name) for name in ("numpy", "data", "__array__")]
    return [*methods, torch.from_numpy, torch.autograd.Variable._execution_engine]


def test_no_frame_of_ours_is_in_a_traceback_and_all_is_as_it_was_afterwards() -> None:
    before = replaced()
    try:
        with gradguard.runtime.watch(tell=False):
            y = leaf().exp()
            y += 1
            y.sum().backward()
    except RuntimeError as error:
        files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    assert not [file for file in files if file.startswith(OWN)]
    assert before == replaced()


def test_no_tensor_is_kept_alive_by_being_observed() -> None:
    with gradguard.runtime.watch(tell=False) as seen:
        x = leaf()
        y = x.exp()
        y.data.add_(0)
        y.mul_(1)
        storages = [weakref.ref(y), weakref.ref(x)]
        memory = torch.multiprocessing.reductions.StorageWeakRef(y.untyped_storage())
        del x, y
        gc.collect()
        assert [ref() for ref in storages] == [None, None]
        assert memory.expired()
    assert not seen.sightings


def test_what_is_known_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradguard.runtime import recorder

    for name in ("MOST_NODES", "MOST_STORAGES"):
        monkeypatch.setattr(recorder, name, 50)
    with gradguard.runtime.watch(tell=False) as seen:
        for _ in range(200):
            x = leaf()
            (x * 2).exp_().sum().backward()
        watcher = seen._inspector.recorder  # type: ignore[union-attr]
        assert len(watcher.memories) <= 51
        assert all(len(thread.made) <= 51 for thread in watcher.threads.values())
        assert len(watcher.ran) <= 300


def test_threads_are_observed() -> None:
    errors: list[BaseException] = []
    with gradguard.runtime.watch(tell=False) as seen:

        def work() -> None:
            try:
                y = leaf().exp()
                y.mul_(2)
                y.sum().backward()
            except RuntimeError as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        seen.fail(errors[0])
    (one,) = seen.sightings
    assert text(one) == ("y = leaf().exp()", "y.mul_(2)", "y.sum().backward()")


@pytest.mark.parametrize("reentrant", [True, False])
def test_an_input_of_a_checkpoint_that_is_changed_is_told(reentrant: bool) -> None:
    def fails() -> None:
        x = leaf() * 1
        y = checkpoint(lambda one: one.exp().sin(), x, use_reentrant=reentrant)
        x += 1
        y.sum().backward()

    (one,) = observed(fails)
    assert one.kind == "stale-saved"
    assert one.writes[-1].spot.text.strip() == "x += 1"
    assert one.saved is not None
    assert "checkpoint(" in one.saved.spot.text


def test_what_a_custom_function_saves_is_its_callers() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2 + 0 * ctx.saved_tensors[0]

    def fails() -> None:
        x = leaf() * 1
        y = Double.apply(x)
        x.zero_()
        y.sum().backward()

    (one,) = observed(fails)
    assert one.saved is not None
    assert (one.saved.op, one.saved.spot.text.strip()) == ("Double", "y = Double.apply(x)")


def test_what_a_decorated_function_saves_is_its_callers() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu")
        def forward(x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
            ctx.save_for_backward(inputs[0].clone(), inputs[0])

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * 2 + 0 * ctx.saved_tensors[0]

    def fails() -> None:
        x = leaf() * 1
        y = Double.apply(x)
        x.zero_()
        y.sum().backward()

    (one,) = observed(fails)
    assert one.saved is not None
    assert [spot.text.strip() for spot in one.saved.stack][-1] == "y = Double.apply(x)"


def test_a_function_that_saves_what_it_has_changed_is_no_alarm() -> None:
    class Bump(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            result = x.sin()
            x.data.add_(1)
            ctx.save_for_backward(x)
            return result

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * ctx.saved_tensors[0]

    def runs() -> None:
        Bump.apply(leaf() * 1).sum().backward()

    assert not observed(runs)


def test_an_operation_that_saves_the_result_of_its_change_is_no_alarm() -> None:
    def runs() -> None:
        twin, y = torch.ones(4), leaf() * 1
        twin.set_(y.detach())
        y.sigmoid_()
        y.sum().backward()

    assert not observed(runs)


def test_what_was_written_to_memory_that_a_tensor_was_given_later_has_not_changed_it() -> None:
    def fails() -> None:
        x, other = torch.ones(4), torch.ones(4)
        y = x * leaf()
        other.add_(1)
        x.set_(other)
        y.sum().backward()

    (one,) = observed(fails)
    assert [write.spot.text.strip() for write in one.writes] == ["x.set_(other)"]


def test_a_write_to_memory_that_a_tensor_was_given_later_counts_for_what_it_was() -> None:
    def fails() -> None:
        y = leaf().exp()
        y.data = y.data + 1
        y *= 2
        y.sum().backward()

    (one,) = observed(fails)
    assert text(one) == ("y = leaf().exp()", "y *= 2", "y.sum().backward()")


@pytest.mark.parametrize(("dtype", "changed"), [(torch.float64, False), (torch.bfloat16, True)])
def test_a_weight_with_more_digits_has_not_changed_one_with_fewer_has(dtype: torch.dtype, changed: bool) -> None:
    net = nn.RMSNorm(4)
    with torch.no_grad():
        net.weight.add_(1e-5)

    def cast() -> None:
        y = net(leaf())
        net.to(dtype)
        y.sum().backward()

    assert bool(observed(cast)) is changed


def test_a_power_in_place_of_a_view_is_told_though_its_node_is_out_of_sight() -> None:
    def fails() -> None:
        x, exponent = leaf() * 1, torch.ones(())
        x[0] **= exponent
        exponent.add_(1)
        x.sum().backward()

    (one,) = observed(fails)
    assert text(one) == ("x[0] **= exponent", "exponent.add_(1)", "x.sum().backward()")


def test_what_a_closure_of_an_optimizer_does_is_no_step() -> None:
    def fails() -> None:
        weight = leaf()

        def closure() -> torch.Tensor:
            y = weight.exp()
            y += 1
            loss = y.sum()
            loss.backward()
            return loss

        torch.optim.SGD([weight], 0.1).step(closure)  # type: ignore[arg-type]

    (one,) = observed(fails)
    assert (one.writes[-1].spot.text.strip(), one.writes[-1].optimizer) == ("y += 1", False)


def test_what_tensors_of_inference_mode_do_outside_is_as_it_is_without() -> None:
    with torch.inference_mode():
        weight = nn.Parameter(torch.ones(3))

    def runs() -> None:
        weight.clone().sum().backward()  # autograd sees what `clone` is made of
        with pytest.raises(RuntimeError, match="out="):
            weight.mean()
        with torch.no_grad(), pytest.raises(RuntimeError, match="inference tensor"):
            weight.add_(1)
        assert weight.data.is_inference()

    assert not observed(runs)


def test_a_change_that_no_gradient_depends_on_is_no_alarm() -> None:
    def runs() -> None:
        x = leaf()
        with torch.no_grad():
            row = x[:2]
        y = row.pow(2)
        row.data.mul_(2)
        y.sum().backward()

    assert not observed(runs)


def test_higher_orders_are_observed() -> None:
    def fails() -> None:
        x = leaf()
        y = x.exp()
        (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        y += 1
        (gradient.square().sum()).backward()

    (one,) = observed(fails)
    assert one.writes[-1].spot.text.strip() == "y += 1"


def test_gradients_that_are_added_up_in_place_are_writes_of_the_backward() -> None:
    def fails() -> None:
        x = leaf()
        (x * 2).sum().backward()
        gradient = x.grad
        penalty = (gradient * leaf().exp()).sum()
        (x * 3).sum().backward()
        penalty.backward()

    (one,) = observed(fails)
    assert one.writes[-1].spot.text.strip() == "(x * 3).sum().backward()"


def test_transforms_sparse_nested_and_subclasses_run_as_they_do_without() -> None:
    class Own(torch.Tensor):
        pass

    def runs() -> None:
        assert torch.equal(torch.func.grad(lambda x: x.exp().sum())(torch.zeros(2)), torch.ones(2))
        torch.func.vmap(lambda x: x.mul_(2))(torch.ones(3, 2))
        torch.func.jacrev(lambda x: x.sin())(torch.ones(2))
        weight = torch.eye(3).to_sparse().requires_grad_()
        torch.sparse.mm(weight, torch.ones(3, 1)).sum().backward()
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
        (nested * 2).to_padded_tensor(0.0).sum().backward()
        own = torch.ones(2).as_subclass(Own).requires_grad_()
        (own * own).sum().backward()
        assert type(own * 2) is Own
        nn.EmbeddingBag(4, 2, sparse=True)(torch.tensor([[1, 2]])).sum().backward()

    assert not observed(runs)


def test_a_tensor_that_wraps_another_has_no_memory_of_its_own() -> None:
    class Wrapping(torch.Tensor):
        inner: torch.Tensor

        @staticmethod
        def __new__(cls, inner: torch.Tensor) -> Any:
            made: Any = torch.Tensor._make_wrapper_subclass(cls, inner.shape)  # type: ignore[attr-defined]
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            func(args[0].inner, *args[1:])
            return args[0]

    def runs() -> None:
        inner = torch.ones(2)
        with torch.no_grad():
            Wrapping(inner).mul_(3)
        assert inner.tolist() == [3, 3]

    assert not observed(runs)


def test_gradcheck_which_writes_its_inputs_and_puts_them_back_is_no_alarm() -> None:
    def runs() -> None:
        assert torch.autograd.gradcheck(torch.exp, (torch.ones(3, dtype=torch.double, requires_grad=True),))

    assert not observed(runs)


def test_what_is_compiled_stays_so_and_is_told_by_its_call() -> None:
    calls = []

    def backend(module: Any, inputs: Any) -> Any:
        calls.append(module)
        return module.forward

    def fails() -> None:
        compiled = torch.compile(lambda x: x.exp().sin(), backend=backend)
        x = leaf() * 1
        y = compiled(x)
        y.sum().backward()
        x.mul_(2)
        y = x.exp()
        y += 1
        y.sum().backward()

    (one,) = observed(fails)
    assert calls
    assert text(one) == ("y = x.exp()", "y += 1", "y.sum().backward()")


def test_of_what_is_compiled_in_part_the_rest_runs_as_it_does_without() -> None:
    graphs: list[str] = []

    def backend(module: Any, inputs: Any) -> Any:
        graphs.append(module.code)
        return module.forward

    def runs() -> None:
        def part(x: torch.Tensor) -> torch.Tensor:
            with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
                y = x.exp().sin()
            return y.cos()

        torch.compiler.reset()
        torch.compile(part, backend=backend)(leaf()).sum().backward()

    runs()
    without = {*graphs}
    graphs.clear()
    assert not observed(runs)
    assert {*graphs} == without


def test_a_trace_is_what_it_is_without() -> None:
    def runs() -> None:
        net = nn.Linear(2, 2)
        assert torch.jit.trace(net, torch.ones(2))(torch.ones(2)).shape == (2,)
        traced: Any = torch.jit.trace(lambda x: x + 1, torch.ones(2))
        assert "prim::Constant[value={1}]" in str(traced.graph)
        assert "aten::add" in repr(traced.graph.findNode("aten::add"))

    assert not observed(runs)


def test_lazy_modules_make_their_parameters() -> None:
    def runs() -> None:
        net = nn.Sequential(nn.LazyLinear(4), nn.Tanh(), nn.LazyLinear(1))
        optimizer: Any = None
        for _ in range(2):
            loss = net(torch.ones(2, 3)).square().mean()
            optimizer = optimizer or torch.optim.SGD(net.parameters(), lr=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    assert not observed(runs)


def test_operators_of_a_library_are_what_they_are_without() -> None:
    library = torch.library.Library("observed", "DEF")
    library.define("bump_(Tensor(a!) x) -> ()")

    def bump(x: torch.Tensor) -> None:
        x.add_(1)

    library.impl("bump_", bump, "CPU")

    def runs() -> None:
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        torch.ops.observed.bump_(y)
        with pytest.raises(RuntimeError, match="modified by an inplace"):
            y.sum().backward()
        with pytest.raises(RuntimeError, match="a leaf Variable"):
            torch.ops.observed.bump_(x)

    runs()
    observed(runs)


def test_what_a_custom_operator_saves_and_writes_is_its_calls() -> None:
    @torch.library.custom_op("observed::keeps", mutates_args=(), schema="(Tensor x) -> Tensor")
    def keeps(x: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(x).add_(x)

    @torch.library.custom_op("observed::raises", mutates_args=("x",), schema="(Tensor(a!) x) -> ()")
    def raises(x: torch.Tensor) -> None:
        x.add_(1)

    def save(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        ctx.save_for_backward(*inputs)

    keeps.register_autograd(lambda ctx, grad: grad * ctx.saved_tensors[0], setup_context=save)
    versions = []

    def fails() -> None:
        x = leaf() * 1
        y = keeps(x)
        z = y.exp()
        raises(x)
        versions.append((x._version, y._version))
        z.sum().backward()

    with pytest.raises(RuntimeError):
        fails()
    (one,) = observed(fails)
    assert versions[0] == versions[1]
    assert one.saved is not None
    assert (one.saved.op, one.saved.spot.text.strip()) == ("keeps", "y = keeps(x)")
    assert [(w.before, w.after, w.spot.text.strip()) for w in one.writes] == [(0, versions[0][0], "raises(x)")]


def test_an_operator_of_a_library_meets_autograd_once() -> None:
    """As those do that are written in C++: a kernel of autograd that calls the operator again below itself."""
    library = torch.library.Library("observed", "FRAGMENT")
    library.define("sum_up(Tensor x) -> Tensor")
    library.impl("sum_up", lambda x: torch.zeros_like(x).add_(x), "CPU")

    class SumUp(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            with torch._C._AutoDispatchBelowADInplaceOrView():
                result: torch.Tensor = torch.ops.observed.sum_up(x)
            return result

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad * ctx.saved_tensors[0]

    library.impl("sum_up", SumUp.apply, "Autograd")
    seen: list[tuple[object, ...]] = []

    def runs() -> None:
        x = leaf()
        y = torch.ops.observed.sum_up(x)
        y.sum().backward()
        assert x.grad is not None
        seen.append((y._version, y.grad_fn and y.grad_fn.name(), x.grad.tolist()))

    runs()
    assert not observed(runs)
    assert seen[0] == seen[1]


def test_what_gradgradcheck_writes_and_puts_back_is_no_alarm() -> None:
    x = torch.rand(3, dtype=torch.float64, requires_grad=True)
    assert not observed(lambda: torch.autograd.gradgradcheck(torch.sin, (x,)))


def test_what_an_operation_copies_and_overwrites_is_no_alarm() -> None:
    def runs() -> None:
        y = torch.rand(3, requires_grad=True) * 2
        y **= torch.rand(())
        y.sum().backward()

    assert not observed(runs)


@pytest.mark.skipif("_remove_obj_from_tls" not in dir(torch._C), reason="this PyTorch hands no context to threads")
def test_it_ends_when_the_threads_of_a_backward_have_let_go_of_its_context() -> None:
    events: list[str] = []

    def hold(context: object) -> None:
        time.sleep(0.2)
        events.append("let go")

    def backward(gradient: torch.Tensor) -> None:
        context: Any = torch._C._get_obj_in_tls("context")
        threading.Thread(target=hold, args=(context,)).start()

    with gradguard.runtime.watch(tell=False):
        x = leaf()
        x.register_hook(backward)
        x.exp().sum().backward()
    assert events == ["let go"]


def test_pytest_tells_of_each_test_and_fails_none(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import torch\n"
        "def model():\n    return torch.ones(3, requires_grad=True).exp()\n"
        "def test_fails():\n    y = model()\n    y += 1\n    y.sum().backward()\n"
        "def test_silent():\n    y = model()\n    y.data.zero_()\n    y.sum().backward()\n"
        "def test_fine():\n    model().sum().backward()\n"
    )
    for more in ([], ["-n", "2"]):
        options = ["-q", "-p", "no:cacheprovider", "--gradguard", "--gradguard-record", "out/seen.json", *more]
        command = [sys.executable, "-m", "pytest", *options, "test_it.py"]
        got = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert "1 failed, 2 passed" in got.stdout
        assert "seen when it ran, in test_it.py::test_fails" in got.stdout
        assert "seen when it ran, in test_it.py::test_silent" in got.stdout
        assert "test_fine" not in got.stdout
        assert sorted(one.kind for one in read(tmp_path / "out" / "seen.json").sightings) == [
            "silent-stale",
            "stale-saved",
        ]
