"""Random numbers: the stream itself, its states, and what the factories promise."""

import copy
import pickle

import pytest

import flambeau_core as fb

# The first block of Philox4x32-10 under key 0, from the known answers that Salmon et al. publish
# with Random123.
FIRST_BLOCK = (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)


def generator(seed: int = 0) -> fb.Generator:
    return fb.Generator().manual_seed(seed)


def test_bits_are_philox_words():
    low, high = FIRST_BLOCK[0] | FIRST_BLOCK[1] << 32, FIRST_BLOCK[2] | FIRST_BLOCK[3] << 32
    bits = fb.zeros(2, dtype=fb.int64).random_(generator=generator())
    assert bits.tolist() == [low % 2**63, high % 2**63]


def test_uniform_numbers_are_the_words_upper_bits():
    expected = [(word >> 8) * 2.0**-24 for word in FIRST_BLOCK]
    assert fb.rand(4, generator=generator()).tolist() == expected


def test_draws_take_whole_blocks():
    one_by_one, rest = generator(), generator()
    fb.rand(1, generator=one_by_one)
    fb.rand(4, generator=rest)
    assert one_by_one.get_offset() == rest.get_offset() == 1
    assert fb.equal(fb.rand(5, generator=one_by_one), fb.rand(5, generator=rest))


@pytest.mark.parametrize("draw", [fb.rand, fb.randn])
def test_same_seed_same_numbers(draw):
    fb.manual_seed(3)
    first = draw(7)
    fb.manual_seed(3)
    assert fb.equal(draw(7), first)
    assert not fb.equal(draw(7), first)


def test_state_saves_and_restores():
    state = fb.get_rng_state()
    first = fb.randn(3)
    fb.set_rng_state(state)
    assert fb.equal(fb.randn(3), first)


def test_fork_rng_leaves_the_stream_alone():
    state = fb.get_rng_state()
    with fb.random.fork_rng():
        fb.rand(100)
    assert fb.equal(fb.get_rng_state(), state)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_of_a_generator_continue_alike(duplicate):
    original = generator(5)
    fb.rand(9, generator=original)
    twin = duplicate(original)
    assert twin.initial_seed() == 5
    assert fb.equal(fb.rand(4, generator=original), fb.rand(4, generator=twin))


def test_negative_seeds_wrap():
    assert generator(-1).initial_seed() == 2**64 - 1


def test_randperm_holds_every_number_once():
    assert sorted(fb.randperm(100).tolist()) == list(range(100))


def test_randint_stays_in_range():
    values = fb.randint(-3, 4, (1000,))
    assert values.dtype == fb.int64
    assert set(values.tolist()) == set(range(-3, 4))


def test_moments():
    values = fb.randn(100_000, generator=generator(1), dtype=fb.float64)
    # five standard errors of a mean and of a variance of that many samples
    assert abs(values.mean().item()) < 5 / 100_000**0.5
    assert abs(values.var().item() - 1) < 5 * (2 / 100_000) ** 0.5


def test_filling_cuts_the_history():
    x = fb.ones(3, requires_grad=True)
    y = x * 2
    y.uniform_()
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: fb.manual_seed(2**70), ValueError, "64 bits"),
        (lambda: generator().set_state(fb.rand(3)), TypeError, "uint8"),
        (lambda: generator().set_state(fb.zeros(3, dtype=fb.uint8)), RuntimeError, r"\[3\]"),
        (lambda: fb.rand(2, generator=5), TypeError, "generator"),
        (lambda: fb.rand(2, dtype=fb.int64), NotImplementedError, "Long"),
        (lambda: fb.randint(5, 2, (3,)), RuntimeError, "from=5 >= to=2"),
        (lambda: fb.randint(0, 300, (3,), dtype=fb.uint8), RuntimeError, "uint8"),
        (lambda: fb.zeros(2).uniform_(2, 1), RuntimeError, "from=2 > to=1"),
        (lambda: fb.zeros(2).normal_(0, -1), RuntimeError, "std -1"),
        (lambda: fb.ones(2, requires_grad=True).uniform_(), RuntimeError, "leaf"),
    ],
)
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()
