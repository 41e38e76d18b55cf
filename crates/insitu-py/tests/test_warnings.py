"""What the compiler warns of is a Python warning, by every way to a kernel."""

import warnings

import ferrocca
import pytest

LOOP = "for (int i = 0; i < n; ++i; @tile(16, @outer, @inner))"
# Each source, and what is said of it.
DOUBTFUL = {
    f"@kernel void k(const int n, int *a) {{ {LOOP} a[0] += 1; }}": ["several items update `a[0]`", "[K086]", "@atomic"],
    f"@kernel void k(const int n, int *a) {{ {LOOP} {{ int s; a[i] = s; }} }}": ["`s` is read here and has no value yet", "[K087]"],
    "@kernel void k(const int n, int *a) { a[0] = n; }": ["no loop in it is marked `@outer`", "[K060]"],
    f'@kernel void k(const int n, long *a) {{ {LOOP} printf("%d\\n", a[i]); }}': ["`%d` takes 32 bits", "[K091]"],
}
TWO = f"@kernel void k(const int n, int *a) {{ {LOOP} {{ a[0] += 1; a[i] = i ^ 2; }} }}"
KEPT = f"@kernel void k(const int n, int *a) {{ {LOOP} @atomic a[0] += 1; }}"


@pytest.fixture
def device(tmp_path):
    return ferrocca.Device({"mode": "Serial", "cache_dir": str(tmp_path)})


def heard(build):
    """The texts of the warnings of a build, and the files that they are of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        build()
    assert all(issubclass(one.category, ferrocca.KernelWarning) for one in caught)
    assert all(one.filename == __file__ for one in caught), [one.filename for one in caught]
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("source", DOUBTFUL)
def test_the_compilers_warnings_are_pythons(device, source):
    (text,) = heard(lambda: device.build_kernel_from_string(source, "k"))
    assert all(part in text for part in DOUBTFUL[source]), text
    assert text.startswith("<string>:1:") and "\n 1 | " in text and "^" in text


def test_each_finding_is_a_warning_and_a_good_kernel_has_none(device):
    texts = heard(lambda: device.build_kernel_from_string(TWO, "k"))
    assert [text.partition("\n")[0][-6:] for text in texts] == ["[K089]", "[K086]"] and heard(
        lambda: device.build_kernel_from_string(KEPT, "k")
    ) == []


def test_a_kernel_from_the_cache_has_the_same_warnings(device, tmp_path):
    build = lambda of: heard(lambda: of.build_kernel_from_string(TWO, "k"))  # noqa: E731
    first = build(device)
    assert len(first) == 2 and build(device) == first
    again = ferrocca.Device({"mode": "Serial", "cache_dir": str(tmp_path)})
    assert build(again) == first


def test_every_way_to_a_kernel_warns_with_the_same_text(device, tmp_path):
    path = tmp_path / "kernels.okl"
    path.write_text(TWO)
    expected = heard(lambda: device.build_kernel(path, "k"))
    assert len(expected) == 2
    assert heard(lambda: device.kernel(path, "k")) == expected
    assert heard(lambda: device.translate(path)) == expected
    assert heard(lambda: ferrocca.translate("Serial", path)) == expected
    kernel = device.build_kernel_from_string(KEPT.replace("@atomic", "MAYBE"), "k", {"defines": {"MAYBE": "@atomic"}})
    assert len(heard(lambda: kernel(1, device.malloc_from(__import__("numpy").zeros(1, "i4")), MAYBE=""))) == 1


def test_filters_and_properties_decide(device):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ferrocca.KernelWarning)
        with pytest.raises(ferrocca.KernelWarning, match="exclusive or"):
            device.build_kernel_from_string(TWO, "k")
    off = {"warnings": "no-lost-update, no-xor-as-power"}
    assert heard(lambda: device.build_kernel_from_string(TWO, "k", off)) == []
    with pytest.raises(ferrocca.BuildError, match="K086"):
        heard(lambda: device.build_kernel_from_string(TWO, "k", {"warnings": "error=lost-update"}))
