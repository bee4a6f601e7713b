"""Engines, as in ignite 0.5: they run a function for each batch, and handlers at their events."""

import torch
from gradguard import takes, unknown


class Event:
    """A moment of a run, or some of its occurrences (`every=2`)."""

    def __init__(self, name, every=None, once=None, before=None, after=None, event_filter=None):
        self.name = name
        self.every = every
        self.once = once
        self.before = before
        self.after = after
        self.event_filter = event_filter

    def __call__(self, event_filter=None, every=None, once=None, before=None, after=None):
        return Event(self.name, every, once, before, after, event_filter)

    def __or__(self, other):
        return EventsList([self]) | other

    def applies(self, engine, count):
        if self.event_filter is not None:
            return self.event_filter(engine, count)
        if self.every is not None:
            return count % self.every == 0
        if self.once is not None:
            return count in self.once if isinstance(self.once, (list, tuple)) else count == self.once
        if self.before is not None and not count < self.before:
            return False
        return self.after is None or count > self.after


class EventsList:
    def __init__(self, events):
        self.events = events

    def __or__(self, other):
        more = other.events if isinstance(other, EventsList) else [other]
        return EventsList(self.events + more)


class Events:
    STARTED = Event("started")
    EPOCH_STARTED = Event("epoch_started")
    GET_BATCH_STARTED = Event("get_batch_started")
    GET_BATCH_COMPLETED = Event("get_batch_completed")
    ITERATION_STARTED = Event("iteration_started")
    ITERATION_COMPLETED = Event("iteration_completed")
    EPOCH_COMPLETED = Event("epoch_completed")
    DATALOADER_STOP_ITERATION = Event("dataloader_stop_iteration")
    COMPLETED = Event("completed")
    TERMINATE = Event("terminate")
    EXCEPTION_RAISED = Event("exception_raised")


class State:
    def __init__(self):
        self.iteration = 0
        self.epoch = 0
        self.epoch_length = None
        self.max_epochs = None
        self.output = None
        self.batch = None
        self.metrics = Metrics()
        self.dataloader = None
        self.times = {}


class Metrics:
    """The values of metrics by name, mostly numbers, which attached metrics put there."""

    def __getitem__(self, name):
        return unknown(name)

    def __setitem__(self, name, value):
        pass


class RemovableEventHandle:
    def __init__(self, engine, handler):
        self.engine = engine
        self.handler = handler

    def remove(self):
        self.engine.handlers = [one for one in self.engine.handlers if one[1] is not self.handler]


class Engine:
    def __init__(self, process_function):
        self._process_function = process_function
        self.state = State()
        self.handlers = []
        self.should_terminate = False

    def on(self, event_name, *args, **kwargs):
        def decorator(f):
            self.add_event_handler(event_name, f, *args, **kwargs)
            return f

        return decorator

    def add_event_handler(self, event_name, handler, *args, **kwargs):
        events = event_name.events if isinstance(event_name, EventsList) else [event_name]
        for event in events:
            self.handlers.append((event, handler, args, kwargs))
        return RemovableEventHandle(self, handler)

    def has_event_handler(self, handler, event_name=None):
        return any(one[1] is handler for one in self.handlers)

    def remove_event_handler(self, handler, event_name):
        self.handlers = [one for one in self.handlers if one[1] is not handler]

    def register_events(self, *event_names, event_to_attr=None):
        pass

    def fire_event(self, event_name):
        for event, handler, args, kwargs in self.handlers:
            if not isinstance(event, Event):
                if event == event_name:
                    self.call_handler(handler, args, kwargs)
            elif isinstance(event_name, Event) and event.name == event_name.name:
                count = self.state.epoch if "epoch" in event.name else self.state.iteration
                if event.applies(self, count):
                    self.call_handler(handler, args, kwargs)

    def call_handler(self, handler, args, kwargs):
        """Call a handler; it gets the engine as its first argument if it takes one more than `args`."""
        if takes(handler, 1 + len(args)):
            handler(self, *args, **kwargs)
        else:
            handler(*args, **kwargs)

    def terminate(self, skip_completed=False):
        self.should_terminate = True

    def terminate_epoch(self, *args, **kwargs):
        pass

    def run(self, data=None, max_epochs=None, max_iters=None, epoch_length=None):
        state = self.state
        state.dataloader = data
        state.max_epochs = 1 if max_epochs is None else max_epochs
        state.epoch = 0
        state.iteration = 0
        self.fire_event(Events.STARTED)
        for _ in range(state.max_epochs):
            state.epoch += 1
            self.fire_event(Events.EPOCH_STARTED)
            for batch in self.batches(data, epoch_length):
                state.batch, state.output = batch, None
                self.fire_event(Events.GET_BATCH_COMPLETED)
                state.iteration += 1
                self.fire_event(Events.ITERATION_STARTED)
                state.output = self._process_function(self, state.batch)
                self.fire_event(Events.ITERATION_COMPLETED)
            self.fire_event(Events.EPOCH_COMPLETED)
        self.fire_event(Events.COMPLETED)
        return state

    def batches(self, given, epoch_length):
        return [None] * epoch_length if given is None and epoch_length is not None else given


class DeterministicEngine(Engine):
    pass


def prepare(batch, device=None, non_blocking=False):
    x, y = batch
    return x, y


def supervised_training_step(
    model,
    optimizer,
    loss_fn,
    device=None,
    non_blocking=False,
    prepare_batch=prepare,
    model_transform=lambda output: output,
    output_transform=lambda x, y, y_pred, loss: loss.item(),
    gradient_accumulation_steps=1,
    model_fn=lambda model, x: model(x),
):
    def update(engine, batch):
        if (engine.state.iteration - 1) % gradient_accumulation_steps == 0:
            optimizer.zero_grad()
        model.train()
        x, y = prepare_batch(batch, device=device, non_blocking=non_blocking)
        y_pred = model_transform(model_fn(model, x))
        loss = loss_fn(y_pred, y)
        if gradient_accumulation_steps > 1:
            loss = loss / gradient_accumulation_steps
        loss.backward()
        if engine.state.iteration % gradient_accumulation_steps == 0:
            optimizer.step()
        return output_transform(x, y, y_pred, loss * gradient_accumulation_steps)

    return update


def supervised_evaluation_step(
    model,
    device=None,
    non_blocking=False,
    prepare_batch=prepare,
    model_transform=lambda output: output,
    output_transform=lambda x, y, y_pred: (y_pred, y),
    model_fn=lambda model, x: model(x),
):
    def evaluate(engine, batch):
        model.eval()
        with torch.no_grad():
            x, y = prepare_batch(batch, device=device, non_blocking=non_blocking)
            return output_transform(x, y, model_transform(model_fn(model, x)))

    return evaluate


def create_supervised_trainer(model, optimizer, loss_fn, device=None, deterministic=False, **kwargs):
    return Engine(supervised_training_step(model, optimizer, loss_fn, device, **options(kwargs)))


def create_supervised_evaluator(model, metrics=None, device=None, **kwargs):
    return Engine(supervised_evaluation_step(model, device, **options(kwargs)))


def options(given):
    """The arguments without those that choose mixed precision."""
    return {name: value for name, value in given.items() if name not in ("amp_mode", "scaler")}
