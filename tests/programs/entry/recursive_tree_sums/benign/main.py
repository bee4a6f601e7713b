"""Sentiment of parsed sentences by a recursive net."""
import torch
from torch import nn


class Node:
    def __init__(self, word, *children):
        self.word = word
        self.children = children


class Tree(nn.Module):
    def __init__(self, words, width=4):
        super().__init__()
        self.words = {word: i for i, word in enumerate(words)}
        self.embed = nn.Embedding(len(words), width)
        self.join = nn.Linear(2 * width, width)
        self.read = nn.Linear(width, 1)

    def encode(self, node):
        own = self.embed(torch.tensor(self.words[node.word]))
        states = [self.encode(child) for child in node.children]
        if not states:
            below = torch.zeros_like(own)
        else:
            below = torch.zeros_like(own)
            for state in states:
                below += state
        return torch.tanh(self.join(torch.cat([own, below])))

    def forward(self, node):
        return self.read(self.encode(node))


torch.manual_seed(0)
sentence = Node("was", Node("film", Node("the")), Node("good", Node("very")))
tree = Tree(["the", "film", "was", "very", "good"])
nn.functional.softplus(-tree(sentence)).sum().backward()
