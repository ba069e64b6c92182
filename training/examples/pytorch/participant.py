"""A participant with a small PyTorch network and its own data points. It sends weights as safetensors, not pickle."""

import os

import torch

from tollgate_participant import (
    EvaluateResult,
    Participant,
    TrainResult,
    fed_avg_aggregate,
    from_numpy,
    read_tensors,
    to_numpy,
    write_tensors,
)

EPOCHS = 20
index = int(os.environ.get("PARTICIPANT_INDEX", "0"))
torch.set_num_threads(1)


def make_points(seed, number):
    """Return points on two concentric rings, which no straight line can separate."""
    source = torch.Generator().manual_seed(seed)
    labels = torch.arange(number) % 2
    radius = 1.0 + labels + 0.2 * torch.randn(number, generator=source)
    angle = 6.2832 * torch.rand(number, generator=source)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), labels


points, labels = make_points(index, 600)
test_points, test_labels = make_points(1000 + index, 300)
app = Participant()


def load(parameters):
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
    if parameters is not None:
        tensors = read_tensors(parameters).items()
        model.load_state_dict({name: torch.from_numpy(to_numpy(tensor)) for name, tensor in tensors})
    return model


@app.register_train
def train(parameters, dataset, context):
    model = load(parameters)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(EPOCHS):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(points), labels)
        loss.backward()
        optimizer.step()
        context.progress(epoch + 1, EPOCHS, {"loss": loss.item()})
    weights = {name: from_numpy(tensor.numpy()) for name, tensor in model.state_dict().items()}
    return TrainResult(write_tensors(weights), num_examples=len(labels), metrics={"loss": loss.item()})


@app.register_evaluate
def evaluate(parameters, dataset):
    with torch.no_grad():
        scores = load(parameters)(test_points)
        loss = torch.nn.functional.cross_entropy(scores, test_labels)
    accuracy = (scores.argmax(dim=1) == test_labels).float().mean()
    return EvaluateResult(accuracy.item(), len(test_labels), {"loss": loss.item()})


app.register_aggregate(fed_avg_aggregate())

if __name__ == "__main__":
    app.run()
