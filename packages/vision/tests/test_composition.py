import pytest

from flambeau_vision import transforms as T


def test_compose_applies_in_order():
    assert T.Compose([lambda x: x + 1, lambda x: x * 10])(1) == 20


def test_lambda_calls_a_function():
    assert T.Lambda(lambda x: x - 1)(3) == 2
    with pytest.raises(TypeError, match="Argument lambd should be callable, got 'int'"):
        T.Lambda(3)


@pytest.mark.parametrize(
    ("transform", "text"),
    [
        (T.ToTensor(), "ToTensor()"),
        (T.PILToTensor(), "PILToTensor()"),
        (T.ToPILImage(), "ToPILImage()"),
        (T.ToPILImage("L"), "ToPILImage(mode=L)"),
        (T.Lambda(abs), "Lambda()"),
        (T.Normalize((0.1307,), (0.3081,)), "Normalize(mean=(0.1307,), std=(0.3081,))"),
        (T.Resize(256), "Resize(size=256, interpolation=bilinear, max_size=None, antialias=True)"),
        (T.CenterCrop(224), "CenterCrop(size=(224, 224))"),
        (T.Pad(4), "Pad(padding=4, fill=0, padding_mode=constant)"),
        (T.RandomCrop(32, padding=4), "RandomCrop(size=(32, 32), padding=4)"),
        (T.RandomHorizontalFlip(), "RandomHorizontalFlip(p=0.5)"),
        (
            T.Compose([T.ToTensor(), T.Normalize([0.5], [0.5])]),
            "Compose(\n    ToTensor()\n    Normalize(mean=[0.5], std=[0.5])\n)",
        ),
    ],
)
def test_repr_matches_pytorchs(transform, text):
    assert repr(transform) == text
