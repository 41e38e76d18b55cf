//! Many keys of 64 bits on processors, which go another way than few: what the conformance suite leaves out because it would take
//! long on slow devices.

use ferrocca_backend_cpu::CPU;
use ferrocca_core::{Device, Element, bytemuck};
use ferrocca_primitives::Primitives;

/// More than the fewest that are sorted that way, and no whole number of tiles.
const N: usize = (1 << 18) + 12_345;

fn open(props: &str) -> Device {
    Device::open_with(&CPU, props).expect("a C compiler")
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn random(i: usize) -> u64 {
    let mut bits = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Sorts on these devices, up and down, in place and not, and compares all bits and the indices with what a stable sort by `rank`
/// makes of the keys.
fn sorts<T: Element, R: Ord>(
    what: &str,
    devices: &[Device],
    keys: &[T],
    rank: impl Fn(&T) -> R,
    down: impl Fn(&T) -> R,
) {
    let ordered = |rank: &dyn Fn(&T) -> R| -> (Vec<i32>, Vec<T>) {
        let mut order: Vec<i32> = (0..keys.len() as i32).collect();
        order.sort_by_key(|i| rank(&keys[*i as usize]));
        let sorted = order.iter().map(|i| keys[*i as usize]).collect();
        (order, sorted)
    };
    let bits = |keys: &[T]| -> Vec<u64> { bytemuck::cast_slice::<T, u64>(keys).to_vec() };
    let ((order, sorted), (down_order, down_sorted)) = (ordered(&rank), ordered(&down));
    for device in devices {
        let p = Primitives::new(device);
        let (memory, mut indices) =
            (device.malloc_from(keys).expect("memory"), device.malloc::<i32>(keys.len()).expect("memory"));
        let mut out = device.malloc::<T>(keys.len()).expect("memory");
        p.arg_sort(&memory, &mut indices).expect("indices");
        assert!(indices.to_vec().expect("indices") == order, "{what}: indices on {device:?}");
        p.arg_sort_descending(&memory, &mut indices).expect("indices");
        assert!(indices.to_vec().expect("indices") == down_order, "{what}: indices downwards on {device:?}");
        p.sort_descending(&memory, &mut out).expect("keys");
        assert!(bits(&out.to_vec().expect("keys")) == bits(&down_sorted), "{what}: downwards on {device:?}");
        let in_place = &mut memory.share();
        p.sort(&memory, in_place).expect("keys");
        assert!(bits(&memory.to_vec().expect("keys")) == bits(&sorted), "{what} on {device:?}");
        // Once more, of what is sorted already: values stay where they are.
        let (values, mut moved) = (indices.share(), device.malloc::<i32>(keys.len()).expect("memory"));
        p.sort_pairs(&in_place.share(), &values, &mut out, &mut moved).expect("pairs");
        assert!(moved.to_vec().expect("values") == down_order, "{what}: values on {device:?}");
        assert!(bits(&out.to_vec().expect("keys")) == bits(&sorted), "{what}, twice, on {device:?}");
    }
}

fn sorts_unsigned(what: &str, devices: &[Device], key: impl Fn(usize) -> u64) {
    let keys: Vec<u64> = (0..N).map(key).collect();
    sorts(what, devices, &keys, |key| *key, |key| !*key);
}

#[test]
fn any_distribution() {
    let devices = &[open("mode=Serial"), open("mode=CPU, threads=3")];
    sorts_unsigned("any bits", devices, random);
    sorts_unsigned("one key", devices, |_| 7);
    sorts_unsigned("the highest key", devices, |i| if i.is_multiple_of(3) { u64::MAX } else { random(i) });
    sorts_unsigned("five keys", devices, |i| (random(i) % 5) << 40);
    sorts_unsigned(
        "half of them equal",
        devices,
        |i| if random(i).is_multiple_of(2) { 1 << 63 } else { random(i + 7) },
    );
    sorts_unsigned("sorted ones", devices, |i| i as u64);
    sorts_unsigned("falling ones", devices, |i| (N - i) as u64);
    sorts_unsigned("the stretches of the sample", devices, |i| random(i % 17) >> (i / 17 % 3 * 20));
}

/// The first digits of a bucket tell next to nothing apart: few keys are far from all others.
#[test]
fn keys_that_lie_close_together() {
    let devices = &[open("mode=CPU, threads=2")];
    sorts_unsigned("two heaps", devices, |i| ((random(i) & 1) << 62) | (random(i + 3) % 100_000));
    sorts_unsigned("one far away", devices, |i| if i == 99 { 1 << 60 } else { (random(i) % 50_000) << 1 });
    sorts_unsigned("heaps within heaps", devices, |i| random(i) & 0xf0f0_0000_0000_00ff);
}

#[test]
fn signs_and_numbers_that_are_none() {
    let devices = &[open("mode=Serial")];
    let keys: Vec<i64> = (0..N).map(|i| random(i) as i64 >> (i % 50)).collect();
    sorts("signed", devices, &keys, |key| *key, |key| !*key);
    // Any bits at all, among them many that are no number, and both zeros.
    let special = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 5e-324];
    let keys: Vec<f64> = (0..N)
        .map(|i| match i % 11 {
            0 => special[random(i) as usize % special.len()],
            1..6 => (random(i) % 1000) as f64 - 500.0,
            _ => f64::from_bits(random(i)),
        })
        .collect();
    let rank = |key: &f64| {
        let bits = key.to_bits();
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    };
    let or_last = |key: &f64, rank: u64| if key.is_nan() { u64::MAX } else { rank };
    sorts("doubles", devices, &keys, |key| or_last(key, rank(key)), |key| or_last(key, !rank(key)));
}

/// With every access, value and division looked at while it runs.
#[test]
fn nothing_is_found_by_the_checks() {
    let devices = &[open("mode=Serial, checked=true")];
    sorts_unsigned("heaps", devices, |i| if i.is_multiple_of(5) { 7 } else { random(i) & 0xf0f0_0000_0000_00ff });
}
