"""Train a small perceptron on a device and print the loss of every step: python train.py DEVICE"""

from __future__ import annotations

import sys

import flambeau_core as torch
import flambeau_nn as nn
import flambeau_optim as optim
from flambeau_data import DataLoader, TensorDataset


def main(device: str) -> None:
    torch.set_cpu_fallback(True)
    torch.manual_seed(0)
    inputs = torch.randn(512, 4, 4)
    labels = (inputs.flatten(1) @ torch.randn(16, 4)).argmax(1)
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=64, shuffle=True)

    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    loss_function = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(3):
        for batch, targets in loader:
            loss = loss_function(model(batch.to(device)), targets.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(loss.item())
    assert {parameter.grad.device.type for parameter in model.parameters()} == {device}


main(sys.argv[1])
