"""Attributions, as in captum 0.9: they run a model forward, and ask for the gradients of its inputs."""

import torch
from gradguard import linked, unknown
from torch import nn


def as_tuple(inputs):
    return inputs if isinstance(inputs, tuple) else (inputs,)


def require_gradients(inputs):
    """`apply_gradient_requirements`: the program's own tensors require grad from here on."""
    mask = []
    for one in inputs:
        mask.append(one.requires_grad)
        if not one.requires_grad:
            one.requires_grad_()
    return mask


def undo_gradients(inputs, mask):
    """`undo_gradient_requirements`: they require grad as they did before."""
    for one, required in zip(inputs, mask):
        if not required:
            one.requires_grad_(False)


def run_forward(forward_func, inputs, target, additional):
    more = () if additional is None else as_tuple(additional)
    output = forward_func(*inputs, *more)
    if target is None:
        return output
    return linked(output)


def gradients(forward_func, inputs, target, additional):
    with torch.autograd.set_grad_enabled(True):
        outputs = run_forward(forward_func, inputs, target, additional)
        return torch.autograd.grad(outputs.sum(), inputs)


def as_given(inputs, attributions):
    return attributions if isinstance(inputs, tuple) else attributions[0]


class Attribution:
    def __init__(self, forward_func, *args, **kwargs):
        self.forward_func = forward_func


class GradientAttribution(Attribution):
    """The gradients of the program's own inputs."""

    def attribute(self, inputs, *args, target=None, additional_forward_args=None, **kwargs):
        if args and target is None:
            target = args[0]
        given = as_tuple(inputs)
        mask = require_gradients(given)
        found = gradients(self.forward_func, given, target, additional_forward_args)
        undo_gradients(given, mask)
        return as_given(inputs, tuple(self.attributed(one, grad) for one, grad in zip(given, found)))

    def attributed(self, one, grad):
        return grad


class Saliency(GradientAttribution):
    def attributed(self, one, grad):
        return torch.abs(grad)


class InputXGradient(GradientAttribution):
    def attributed(self, one, grad):
        return one * grad


class DeepLift(GradientAttribution):
    pass


class GuidedBackprop(GradientAttribution):
    pass


class Deconvolution(GradientAttribution):
    pass


class LRP(GradientAttribution):
    pass


class IntegratedGradients(Attribution):
    """The gradients of new leaves, which lie between a baseline and the inputs."""

    def attribute(self, inputs, baselines=None, target=None, additional_forward_args=None, **kwargs):
        given = as_tuple(inputs)
        scaled = tuple((one * 1.0).detach().requires_grad_() for one in given)
        found = gradients(self.forward_func, scaled, target, additional_forward_args)
        return as_given(inputs, tuple(grad * one for one, grad in zip(given, found)))


class GradientShap(IntegratedGradients):
    pass


class NoiseTunnel(Attribution):
    """Runs another method on noisy copies of the inputs."""

    def attribute(self, inputs, *args, **kwargs):
        given = tuple(one.detach() + torch.randn_like(one) for one in as_tuple(inputs))
        return self.forward_func.attribute(given if isinstance(inputs, tuple) else given[0])


class PerturbationAttribution(Attribution):
    """Runs the model under `no_grad`, on changed copies of the inputs."""

    def attribute(self, inputs, *args, target=None, additional_forward_args=None, **kwargs):
        given = as_tuple(inputs)
        with torch.no_grad():
            run_forward(self.forward_func, given, target, additional_forward_args)
            copies = tuple(one.clone() for one in given)
            run_forward(self.forward_func, copies, target, additional_forward_args)
            return as_given(inputs, tuple(torch.zeros_like(one) for one in given))


class FeatureAblation(PerturbationAttribution):
    pass


class Occlusion(PerturbationAttribution):
    pass


class FeaturePermutation(PerturbationAttribution):
    pass


class ShapleyValueSampling(PerturbationAttribution):
    pass


class ShapleyValues(PerturbationAttribution):
    pass


class Lime(PerturbationAttribution):
    pass


class KernelShap(PerturbationAttribution):
    pass
