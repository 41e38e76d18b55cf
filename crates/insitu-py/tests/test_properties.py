"""Properties as dictionaries: what Python can nest, and text cannot."""

import ferrocca
import pytest

MESSAGE = "nested deeper than 64 levels, or contain themselves"
KERNEL = "@kernel void k(int *x) { for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) x[i] = 1; }"


def nested(levels, wrap=lambda inner: {"a": inner}):
    value = 1
    for _ in range(levels):
        value = wrap(value)
    return value


def itself():
    properties = {"mode": "Serial"}
    properties["kernel"] = {"defines": properties}
    return properties


def list_of_itself():
    items = []
    items.append(items)
    return {"mode": "Serial", "kernel": items}


@pytest.mark.parametrize("make", [itself, list_of_itself, lambda: {"mode": "Serial", "kernel": nested(100_000)}])
def test_properties_without_end_open_no_device(make):
    with pytest.raises(ferrocca.Error, match=MESSAGE):
        ferrocca.Device(make())


@pytest.mark.parametrize("wrap", [lambda inner: {"a": inner}, lambda inner: [inner], lambda inner: (inner,)])
def test_as_many_levels_as_in_text(wrap):
    device = ferrocca.Device("mode=Serial")
    for levels, message in [(63, "define"), (64, MESSAGE), (100_000, MESSAGE)]:
        with pytest.raises(ferrocca.Error, match=message) as refused:
            device.build_kernel_from_string(KERNEL, "k", {"defines": nested(levels, wrap)})
        assert (MESSAGE in str(refused.value)) == (levels > 63)


def test_a_name_of_too_many_parts_is_refused():
    with pytest.raises(ferrocca.Error, match="a name may have at most 64 parts"):
        ferrocca.Device({"mode": "Serial", "/".join("a" * 100_000): 1})
