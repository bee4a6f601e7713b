"""What the rules' texts claim about PyTorch, and what they say of common advice, tried on PyTorch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

STALE = "modified by an inplace operation"
FREED = "backward through the graph a second time"


def leaf() -> torch.Tensor:
    return torch.ones(3, requires_grad=True)


# -- GG101 ------------------------------------------------------------------------------------


def test_adding_in_place_is_innocent_where_nothing_saved_the_tensor() -> None:
    y = leaf() + 1
    y += 1
    y.sum().backward()


def test_restoring_the_old_value_does_not_restore_the_version() -> None:
    y = leaf().exp()
    y += 1
    y -= 1
    with pytest.raises(RuntimeError, match="is at version 2; expected version 0 instead"):
        y.sum().backward()


def test_one_counter_serves_the_whole_memory() -> None:
    h = leaf() * 1
    y = h[:2] ** 2
    h[2:] += 1
    with pytest.raises(RuntimeError, match=STALE):
        y.sum().backward()


def test_no_grad_hides_a_write_from_the_graph_but_not_from_the_counter() -> None:
    y = leaf().exp()
    with torch.no_grad():
        y += 1
    with pytest.raises(RuntimeError, match=STALE):
        y.sum().backward()


def test_detach_shares_the_counter() -> None:
    y = leaf().exp()
    y.detach().zero_()
    with pytest.raises(RuntimeError, match=STALE):
        y.sum().backward()


def test_relu_in_place_is_innocent_after_a_convolution_and_a_batch_norm() -> None:
    layers = [torch.nn.Conv1d(1, 2, 1), torch.nn.BatchNorm1d(2), torch.nn.ReLU(inplace=True)]
    torch.nn.Sequential(*layers)(torch.randn(4, 1, 5)).sum().backward()


def test_relu_in_place_does_harm_after_a_sigmoid() -> None:
    layers = [torch.nn.Linear(3, 2), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True)]
    with pytest.raises(RuntimeError, match=STALE):
        torch.nn.Sequential(*layers)(torch.randn(4, 3)).sum().backward()


def test_retain_graph_does_not_cure_a_stale_tensor() -> None:
    y = leaf().exp()
    y += 1
    with pytest.raises(RuntimeError, match=STALE):
        y.sum().backward(retain_graph=True)


# -- GG102 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("fused", [False, True])
def test_a_step_moves_the_version_unless_it_is_fused(fused: bool) -> None:
    w = leaf()
    w.sum().backward()
    torch.optim.SGD([w], lr=0.1, fused=fused).step()
    assert (w._version > 0) is not fused
    assert not torch.equal(w, torch.ones(3))


def test_the_first_layer_on_plain_data_is_spared() -> None:
    layer = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    loss = layer(torch.ones(2, 3)).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    loss.backward()


# -- GG103 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("retain", "error"), [(False, FREED), (True, STALE)])
def test_retain_graph_turns_one_error_of_a_carried_graph_into_the_other(retain: bool, error: str) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    hidden = net(torch.randn(1, 3))
    hidden.sum().backward(retain_graph=retain)
    optimizer.step()
    hidden = net(hidden)
    with pytest.raises(RuntimeError, match=error):
        hidden.sum().backward()


# -- GG111 ------------------------------------------------------------------------------------


def test_data_disconnects_the_alarm_and_the_gradient_is_wrong() -> None:
    x = leaf()
    y = x * x
    x.data += 1
    assert x._version == 0
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [4.0] * 3


# -- failures that raise at once --------------------------------------------------------------


def test_one_view_of_a_result_may_be_changed() -> None:
    x = torch.ones(3, 2, requires_grad=True) * 1
    x[0].mul_(2)
    x.select(0, 1).mul_(2)
    x.sum().backward()


def test_filling_an_expanded_tensor_is_accepted() -> None:
    torch.ones(3).expand(2, 3).zero_().fill_(1.0).masked_fill_(torch.tensor([True, False, True]), 2.0)


def test_an_inference_tensor_may_be_added() -> None:
    with torch.inference_mode():
        plain = torch.ones(3)
    (leaf() + plain).sum().backward()


def test_a_graph_that_saved_nothing_may_be_walked_twice() -> None:
    loss = (leaf() + 1).sum()
    loss.backward()
    loss.backward()


def test_deepcopy_works_for_leaves_alone_and_clone_always() -> None:
    from copy import deepcopy

    x = leaf()
    deepcopy(x)
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly"):
        deepcopy(x * 2)
    (x * 2).clone().sum().backward()


# -- GG201 ------------------------------------------------------------------------------------


def test_a_view_counts_as_a_leaf_if_its_memory_came_to_require_grad_later() -> None:
    buffer = torch.zeros(4)
    first, second = buffer[:2], buffer[2:]
    first.copy_(leaf()[:2])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        second.copy_(leaf()[:2])
    buffer[2:].copy_(leaf()[:2])
    buffer.mul_(2)
    buffer.sum().backward()


# -- GG501 ------------------------------------------------------------------------------------


def test_the_version_of_what_is_kept_on_ctx_is_not_checked() -> None:
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            ctx.y = x.exp()
            return ctx.y

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            return grad * ctx.y

    x = leaf()
    y = Exp.apply(x)
    y.zero_()
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [0.0] * 3
