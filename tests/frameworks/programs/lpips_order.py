"""What a distance of images and stacks of layers keep of what they are given, and einx of what it computes."""

import einx
import lpips
import torch
from x_transformers import ContinuousTransformerWrapper, Decoder, Encoder, TransformerWrapper


def kept(call, *shapes):
    found = []
    for i in range(len(shapes) + 1):
        given = [torch.rand(shape, requires_grad=True) * 1 for shape in shapes]
        result = call(*given)
        with torch.no_grad():
            (given[i] if i < len(given) else result).add_(0)
        try:
            result.sum().backward()
            found.append(False)
        except RuntimeError as error:
            assert "modified by an inplace" in str(error)
            found.append(True)
    return found


image = (1, 3, 64, 64)
distance = lpips.LPIPS(net="alex", pretrained=False, pnet_rand=True, verbose=False)
print("TRACE lpips", kept(distance, image, image), kept(lambda a, b: distance(a, b, normalize=True), image, image))
x = (2, 5, 16)
print("TRACE encoder", kept(Encoder(dim=16, depth=1, heads=2), x))
cross = Decoder(dim=16, depth=1, heads=2, cross_attend=True)
print("TRACE decoder", kept(lambda a, c: cross(a, context=c), x, x))
wrapped = ContinuousTransformerWrapper(dim_in=6, max_seq_len=8, attn_layers=Encoder(dim=16, depth=1, heads=2))
print("TRACE continuous", kept(wrapped, (2, 5, 6)))
tokens = torch.randint(0, 9, (2, 5))
text = TransformerWrapper(num_tokens=9, max_seq_len=8, attn_layers=cross)
print("TRACE text", kept(lambda c: text(tokens, context=c), x))
print("TRACE embeddings", kept(lambda c: text(tokens, context=c, return_embeddings=True), x))
print("TRACE softmax", kept(lambda a: einx.softmax("a b [c]", a), x))
print("TRACE log_softmax", kept(lambda a: einx.log_softmax("a b [c]", a), x))
print("TRACE dot", kept(lambda a, b: einx.dot("a b c, a d c -> a b d", a, b), x, x))
print("TRACE multiply", kept(lambda a, b: einx.multiply("a b c, a b c -> a b c", a, b), x, x))
print("TRACE add", kept(lambda a, b: einx.add("a b c, a b c -> a b c", a, b), x, x))
print("TRACE sum", kept(lambda a: einx.sum("a b [c]", a), x), kept(lambda a: einx.mean("a b [c]", a), x))
