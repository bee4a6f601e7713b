"""Which classes of `torch.nn` and `torch.optim` derive from which, other than from Module and Optimizer."""

from __future__ import annotations

DERIVED = {
    "ConstantPad1d": "ZeroPad1d",
    "ConstantPad2d": "ZeroPad2d",
    "ConstantPad3d": "ZeroPad3d",
    "Conv1d": "LazyConv1d",
    "Conv2d": "LazyConv2d",
    "Conv3d": "LazyConv3d",
    "ConvTranspose1d": "LazyConvTranspose1d",
    "ConvTranspose2d": "LazyConvTranspose2d",
    "ConvTranspose3d": "LazyConvTranspose3d",
    "Hardtanh": "ReLU6",
    "Linear": "LazyLinear",
    "RNNBase": "GRU LSTM RNN",
    "RNNCellBase": "GRUCell LSTMCell RNNCell",
    "Upsample": "UpsamplingBilinear2d UpsamplingNearest2d",
    "modules.batchnorm._BatchNorm": "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d "
    "LazyBatchNorm3d",
    "modules.batchnorm._LazyNormBase": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm2d",
    "modules.batchnorm._NormBase": "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d "
    "InstanceNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d "
    "LazyInstanceNorm2d",
    "modules.conv._ConvNd": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d "
    "LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d "
    "LazyConvTranspose3d",
    "modules.conv._ConvTransposeNd": "ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConvTranspose1d "
    "LazyConvTranspose2d LazyConvTranspose3d",
    "modules.dropout._DropoutNd": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "modules.instancenorm._InstanceNorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm2d",
    "modules.loss._Loss": "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss "
    "GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss "
    "LinearCrossEntropyLoss MSELoss MarginRankingLoss MultiLabelMarginLoss "
    "MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PoissonNLLLoss SmoothL1Loss "
    "SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    "modules.loss._WeightedLoss": "BCELoss CrossEntropyLoss LinearCrossEntropyLoss MultiLabelSoftMarginLoss "
    "MultiMarginLoss NLLLoss",
    "modules.padding._CircularPadNd": "CircularPad1d CircularPad2d CircularPad3d",
    "modules.padding._ConstantPadNd": "ConstantPad1d ConstantPad2d ConstantPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "modules.padding._ReflectionPadNd": "ReflectionPad1d ReflectionPad2d ReflectionPad3d",
    "modules.padding._ReplicationPadNd": "ReplicationPad1d ReplicationPad2d ReplicationPad3d",
    "modules.pooling._AdaptiveAvgPoolNd": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d",
    "modules.pooling._AdaptiveMaxPoolNd": "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d",
    "modules.pooling._AvgPoolNd": "AvgPool1d AvgPool2d AvgPool3d",
    "modules.pooling._LPPoolNd": "LPPool1d LPPool2d LPPool3d",
    "modules.pooling._MaxPoolNd": "MaxPool1d MaxPool2d MaxPool3d",
    "modules.pooling._MaxUnpoolNd": "MaxUnpool2d",
}
"""Below each class, those of `torch.nn` that derive from it; names as they follow `torch.nn.`."""

FORWARDS = {
    "torch.nn.modules.batchnorm._BatchNorm": "torch.nn.BatchNorm2d",
    "torch.nn.modules.instancenorm._InstanceNorm": "torch.nn.InstanceNorm2d",
    "torch.nn.modules.padding._ConstantPadNd": "torch.nn.ConstantPad2d",
    "torch.nn.modules.padding._ReflectionPadNd": "torch.nn.ReflectionPad2d",
    "torch.nn.modules.padding._ReplicationPadNd": "torch.nn.ReplicationPad2d",
}
"""Classes whose `forward` all that derive from them share, each with one of those, which has a fact."""

ABOVE: dict[str, set[str]] = {"torch.optim.AdamW": {"torch.optim.Adam"}}
for _base, _names in DERIVED.items():
    for _name in _names.split():
        ABOVE.setdefault(f"torch.nn.{_name}", set()).add(f"torch.nn.{_base}")
