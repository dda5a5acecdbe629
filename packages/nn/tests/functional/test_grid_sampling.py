import pytest

import flambeau_core as fb
import flambeau_nn.functional as F

# Recorded from PyTorch 2.13: the image below at two positions, the second outside.
IMAGE = [[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]]
GRID = [[[[-0.5, 0.25], [1.2, -0.75]]]]
RECORDED = {
    ("bilinear", "zeros", True): [2.375, 1.9],
    ("bilinear", "zeros", False): [2.5, 0.3],
    ("bilinear", "border", True): [2.375, 2.375],
    ("bilinear", "border", False): [2.5, 2.0],
    ("bilinear", "reflection", True): [2.375, 2.175],
    ("bilinear", "reflection", False): [2.5, 2.0],
    ("nearest", "zeros", True): [3.0, 2.0],
    ("nearest", "zeros", False): [3.0, 0.0],
    ("nearest", "border", False): [3.0, 2.0],
    ("nearest", "reflection", True): [3.0, 2.0],
    ("bicubic", "zeros", True): [2.9369965, 2.1707149],
    ("bicubic", "zeros", False): [3.1331329, 0.2351248],
    ("bicubic", "border", True): [2.3251953, 2.4094772],
    ("bicubic", "border", False): [2.5117188, 1.7075939],
    ("bicubic", "reflection", True): [2.3632812, 2.0729063],
    ("bicubic", "reflection", False): [2.5117188, 1.698125],
}


@pytest.mark.parametrize("settings", RECORDED, ids=str)
def test_against_pytorch(settings, close):
    sampled = F.grid_sample(fb.tensor(IMAGE), fb.tensor(GRID), *settings)
    close(sampled, [[[RECORDED[settings]]]])


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_gradients(mode, padding, gradcheck, values):
    gradcheck(
        lambda x, g: F.grid_sample(x, g, mode, padding, False),
        values(1, 2, 3, 4),
        values(1, 2, 2, 2) * 0.45,
    )


def test_identity_map_returns_the_image(close):
    theta = fb.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    for corners in (True, False):
        grid = F.affine_grid(theta, (1, 1, 2, 3), align_corners=corners)
        close(F.grid_sample(fb.tensor(IMAGE), grid, align_corners=corners), IMAGE)
    volume = fb.arange(8.0).reshape(1, 1, 2, 2, 2)
    cube = fb.eye(3, 4).unsqueeze(0)
    grid = F.affine_grid(cube, (1, 1, 2, 2, 2), align_corners=False)
    close(F.grid_sample(volume, grid, align_corners=False), volume.tolist())


def test_positions_of_an_affine_grid(close):
    theta = fb.tensor([[[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]])
    corners = F.affine_grid(theta, (1, 1, 1, 2), align_corners=True)
    close(corners, [[[[-1.0, 0.0], [3.0, 0.0]]]])
    edges = F.affine_grid(theta, (1, 1, 1, 2), align_corners=False)
    close(edges, [[[[0.0, 0.0], [2.0, 0.0]]]])


def test_default_corners_warn():
    with pytest.warns(UserWarning, match="align_corners=False"):
        F.grid_sample(fb.tensor(IMAGE), fb.tensor(GRID))


def test_refused():
    image, grid = fb.tensor(IMAGE), fb.tensor(GRID)
    with pytest.raises(ValueError, match="expected mode to be"):
        F.grid_sample(image, grid, "cubic", align_corners=False)
    with pytest.raises(ValueError, match="expected padding_mode to be"):
        F.grid_sample(image, grid, padding_mode="wrap", align_corners=False)
    with pytest.raises(RuntimeError, match="same batch size"):
        F.grid_sample(image, grid.expand(2, -1, -1, -1), align_corners=False)
    with pytest.raises(RuntimeError, match="size 2 in last dimension"):
        F.grid_sample(image, grid[..., :1], align_corners=False)
    with pytest.raises(ValueError, match="2D affine matrices"):
        F.affine_grid(fb.zeros(1, 3, 3), (1, 1, 2, 2), align_corners=False)
