from collections import OrderedDict

from flambeau_optim.hooks import register


def test_hooks_keep_their_order_and_may_go_to_the_front():
    table = OrderedDict()
    register(table, "first")
    register(table, "second")
    register(table, "front", prepend=True)
    assert list(table.values()) == ["front", "first", "second"]


def test_handles_remove_once_and_tell():
    table = OrderedDict()
    told = []
    handle = register(table, "hook", on_remove=lambda: told.append(len(table)))
    handle.remove()
    handle.remove()
    assert not table
    assert told == [0]
    with register(table, "for a while"):
        assert list(table.values()) == ["for a while"]
    assert not table


def test_a_handle_may_outlive_its_table():
    handle = register(OrderedDict(), "hook")
    handle.remove()
