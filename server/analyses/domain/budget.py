"""How much work a replay may do: one page of numbers, each with its unit and its reason.

A program may loop for ever, call itself, branch a thousand times or hold a million items, and an editor waits for the
answer. So all work is bounded. Past a bound the answer is "unknown", never an alarm and never a failure: a bound that
is too small makes the replay blind, and no bound makes it wrong. None is set so that one program fits; doubling all
of them changes no verdict on the project's own programs (`tests/analyses/test_budget.py`).

How the parts work together, for a loop whose end isn't known:

    while not done:             # each turn costs a step for each of its statements and calls
        x = step(x)

In a file's own code it has `file_steps`, in a function that is entered `function_steps`. Long before, after
`exact_turns` turns, what changes from turn to turn is taken together; and after `patience` steps that brought no
statement that is new, the rest is given up. The statements behind the loop then have `rest` steps each.

A *step* is a statement or a call that is replayed: a microsecond to a millisecond, some 20 microseconds mostly.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """The bounds of a replay."""

    # -- steps ------------------------------------------------------------------------------------------------------

    entry_steps: int = 20_000
    """Steps for one entry point, with all that it calls: a second in the worst case, for one that never ends."""
    file_steps: int = 60_000
    """Steps for a file's own code, without its imports: scripts train in it, and a file has only one."""
    function_steps: int = 8_000
    """Steps for a function that is entered with unknown arguments: there are many, and most need a few hundred."""
    library_steps: int = 20_000
    """Steps that models of libraries take in one entry point: counted apart, for they aren't the program's."""
    least_steps: int = 1_000
    """Steps that a statement of a file's own code has, however many those before it took."""
    least_imported: int = 4_000
    """Steps for an import in a file's own code, however many those before it took. Together they have as many as an
    entry point."""
    importing_steps: int = 1_000
    """Steps for a call in the own code of an imported module: one that takes more scans files or packages."""
    decorating_steps: int = 300
    """Steps for the call of a decorator: one that takes more writes documentation and returns its argument."""
    elsewhere_steps: int = 600
    """Steps for a call of another file's function, in what is entered: what a class of this file does matters more.
    Its modules, and what its classes need to be built, are no such functions."""
    wrapping_steps: int = 30
    """Steps for a decorator's wrapper in what is entered until it calls what it wraps: one that takes more looks
    through its arguments, and each of these that isn't known doubles the ways."""
    gradcheck_steps: int = 2_000
    """Steps for one evaluation of a function on numbers; `gradcheck` needs one for each input."""
    pulse: int = 64
    """Steps between two looks at whether the answer is still wanted: an edit stops a replay within milliseconds."""

    # -- patience: steps in a row without a statement that is new ---------------------------------------------------

    own_patience: int = 3_000
    """Steps in a file's own code, where operators count as new too: its loops have real arguments."""
    patience: int = 300
    """Steps in a function that is entered."""
    training_patience: int = 1_000
    """Steps in the forward of a module: it is worth more, for it is sure to be trained."""
    building_patience: int = 2_000
    """Steps in the constructor of a module: the blocks that it is made of are alike, and none may be missing."""
    with_options: int = 1_000
    """Steps that building and training a module may have taken for it to be trained once more with its options set: a
    larger one is made of parts that are entered by themselves, with theirs."""
    options_patience: int = 300
    """Steps in the constructor, or the forward, of a module that is trained once more with its options set: it has been
    seen, but for what these switch on."""
    early_steps: int = 6_000
    """Steps that the entry points of a program have taken together, as those of a smaller file do."""
    early_patience: int = 120
    """Steps inside a function that was entered before, until `early_steps` have been taken."""
    early_building: int = 5_000
    """The same in the constructor of a class."""
    familiar_patience: int = 60
    """Steps inside a function that was entered before: with other arguments it seldom shows more."""
    brief_patience: int = 15
    """The same once `much_entered` has been reached, and `first_entered` entered."""
    familiar_building: int = 1_200
    """Steps in the constructor of a class that was entered before: of an object that isn't built to its end nothing is
    known, and a model is made of the classes before it."""
    brief_building: int = 75
    """The same once `much_entered` has been reached, and `first_entered` entered."""
    much_entered: int = 2_000
    """Statements, as many as a program of a few files has; once more were reached, a familiar one is worth little."""
    first_entered: int = 200
    """Statements, as many as the first classes of a file have, that entry points have reached: it doesn't count what
    the file imports. Each key in one of these classes has what is entered in that time entered again."""
    cheap_entry: int = 100
    """Steps of a class that is entered again as a whole after an edit: to keep its parts would cost as much."""
    left_in_a_row: int = 3
    """Times that a function was left for its steps, one after the other, until it is left at once."""

    # -- the rest of a block whose steps are used up ----------------------------------------------------------------

    rest: int = 200
    """Steps for each statement behind, in a file's own code."""
    rest_entered: int = 40
    """Steps for each statement behind, in what is entered."""
    rest_built: int = 5
    """So many times as much in a constructor."""
    rest_of_block: int = 8
    """So many times as much for all the rest of a block together."""
    plenty: tuple[int, ...] = (5_000, 500)
    """Steps for all that is behind in a file's own code, a quarter of an entry point's, and in the functions that it
    calls, by their depth."""
    left_statements: int = 3
    """Statements of one block, one after the other, that may use up their steps until the block is left."""

    # -- loops ------------------------------------------------------------------------------------------------------

    turns: int = 64
    """Turns of a loop of known length that are replayed one by one; few loops do something new later."""
    exact_turns: int = 1
    """Turns of a loop that are replayed with their values, after the first, or with it where the length is unknown: the
    second turn meets what the first has left, and the third is like the second."""
    again_turns: int = 0
    """The same, after the first, for a loop that was too long before: what it does in its first turns is known."""
    loop_steps: int = 40
    """Steps that a loop may take in what is entered until its turns are taken together."""
    loop_patience: int = 200
    """Steps that a loop in a file's own code may take without a statement that is new, until its turns are taken
    together."""
    counted_turns: int = 4_000
    """Turns of a loop with plain numbers alone that are computed to find its end."""
    counted_at_once: int = 64
    """Turns of such a loop between two looks at whether it has ended."""

    # -- depth ------------------------------------------------------------------------------------------------------

    calls: int = 60
    """Calls of the program's functions that may be open at once: deeper than models nest, and Python can hold them."""
    same_function: int = 6
    """Calls of one function that may be open at once: trees that programs spell out are a few levels deep."""
    same_unknown: int = 2
    """The same where nothing is known of what is passed: each level goes every way, and finds what the last one has."""
    generators: int = 48
    """Generators that may be open at once: each has a thread."""
    generator_stack: int = 32 * 2**20
    """Bytes of stack for a generator's thread, where a replay nests as deep as it may elsewhere."""
    frames: int = 20_000
    """Frames of our own Python: a nested program needs several a level."""

    # -- paths ------------------------------------------------------------------------------------------------------

    forks: int = 7
    """Nested branches on unknown conditions that are followed on both sides: their work multiplies."""
    copies: int = 2
    """How often what comes behind branches is run, once for each way that leads there."""
    alternatives: int = 12
    """Alternatives of one value that are kept apart: every operator on it does its work for each of them."""
    types_apart: int = 4
    """New tensors of a choice that are kept apart for their types; of more, what they have in common is known."""
    kept_branches: int = 3
    """The latest branches that are still kept apart once a value has too many alternatives."""
    thrown: int = 4
    """Errors of single sides of branches that reach the handlers of one `try`."""
    conditions: int = 16
    """Conditions under which a tensor requires grad that are kept apart."""
    ways: int = 8
    """Ways by which a backward reaches one node, each with its conditions: as many as nested branches have sides."""
    links: int = 3
    """Unseen calls in a row that are assumed to pass gradients on, once a backward shows that the last one does."""
    open_conditions: int = 2
    """Open conditions that a list of tensors may depend on; with more, one tensor stands for the alternatives."""
    choices: int = 4
    """Classes or functions in a table that are each followed if the key is unknown."""
    annotated: int = 6
    """Alternatives of an annotation (`Literal`, `Union`) that are each followed."""

    # -- sizes ------------------------------------------------------------------------------------------------------

    items: int = 256
    """Items of a sequence that are held one by one."""
    gaps: int = 3
    """Branches that may decide on the items of a sequence; with more, the places of its items are unknown."""
    nested: int = 4
    """Nested containers that are looked into, item by item."""
    parts: int = 10_000
    """Parts of nested tuples that are looked at: they may be the same ones, over and over."""
    compared: int = 16
    """Items of a list that are compared with one that has more `parts`: each comparison looks at that many."""
    levels: int = 50
    """Levels of nested containers that are computed with: a list may hold itself."""
    choice_levels: int = 5
    """Choices of choices that are told apart as one unknown number."""
    number: int = 10**6
    """The largest number that is computed with if it may be a length or a count."""
    value: int = 10_000
    """Characters or items of a value that is computed with."""
    made: int = 1_000_000
    """Characters or items that one computed call may make, and look at again: a tenth of a second in C."""
    bits: int = 20_000
    """Bits of a number that is computed: Python's own powers and products take longer with each."""
    views: int = 4_096
    """Views that one call makes of a tensor, each with its own geometry."""
    dims: int = 64
    """Dimensions of a tensor of known shape: PyTorch's own reductions take no more (`dim_bitset_size`)."""
    layers: int = 100
    """Layers of a stack whose parameters are kept apart."""
    replayed_layers: int = 12
    """Layers of a stack that are replayed one by one; also how many are if their number is unknown."""
    iterations: int = 8
    """Iterations of a numerical method that are replayed one by one."""
    batch: int = 8
    """Items of a batch that is made of all of them; a larger one is made of its first and last."""
    repeats: int = 3
    """Repetitions in a regular expression that is searched for, and"""
    searched: int = 100
    """characters of the text: a search takes no more than a power of these."""


LIMITS = Budget()
"""What holds now. Read as `budget.LIMITS.turns`, so that a test may put another in its place."""
