"""Random numbers: one stream, whatever the device."""

from __future__ import annotations

import pytest

import flambeau_core as fb

pytestmark = pytest.mark.flambeau_conformance

# Philox4x32-10 of a zero key and a zero counter (J. Salmon et al., "Parallel random numbers: as
# easy as 1, 2, 3", 2011; from the known answers that accompany it).
ZERO_BLOCK = (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)


class TestRandom:
    def test_uniform_numbers_are_those_of_philox(self, device: str) -> None:
        fb.manual_seed(0)
        expected = [(word >> 8) / 2**24 for word in ZERO_BLOCK]
        assert fb.rand(4, device=device).cpu().tolist() == expected

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize("draw", ["rand", "randn"])
    def test_the_stream_is_that_of_the_cpu(self, device: str, draw: str, dtype: str) -> None:
        def stream(where: str) -> list[float]:
            fb.manual_seed(12)
            function, kind = getattr(fb, draw), getattr(fb, dtype)
            parts = [function(n, dtype=kind, device=where) for n in (1, 7, 1000)]
            return [float(v) for part in parts for v in part.cpu().tolist()]

        # Logarithm and cosine may differ in the last digits.
        assert stream(device) == pytest.approx(stream("cpu"), rel=1e-5, abs=1e-6)

    def test_integers_and_permutations_follow_the_seed(self, device: str) -> None:
        def draw(where: str) -> tuple[list[int], list[int]]:
            fb.manual_seed(3)
            numbers = fb.randint(0, 10, (50,), device=where).cpu().tolist()
            return numbers, fb.randperm(20, device=where).cpu().tolist()

        numbers, order = draw(device)
        assert (numbers, order) == draw("cpu")
        assert set(numbers) <= set(range(10))
        assert sorted(order) == list(range(20))

    def test_a_saved_state_is_gone_on_from(self, device: str) -> None:
        generator = fb.Generator(device=device).manual_seed(5)
        fb.rand(3, generator=generator, device=device)
        state = generator.get_state()
        first = fb.rand(9, generator=generator, device=device).cpu().tolist()
        generator.set_state(state)
        assert fb.rand(9, generator=generator, device=device).cpu().tolist() == first

    def test_moments(self, device: str) -> None:
        fb.manual_seed(1)
        n = 20_000
        normal = fb.randn(n, device=device).cpu()
        uniform = fb.rand(n, device=device).cpu()
        # Five standard errors each.
        assert abs(float(normal.mean())) < 5 / n**0.5
        assert abs(float(normal.var()) - 1) < 5 * (2 / n) ** 0.5
        assert abs(float(uniform.mean()) - 0.5) < 5 * (1 / 12 / n) ** 0.5
