//! Updates of memory that groups share: plain ones of a thread that is alone, copies of each thread, atomic instructions.

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind, Kernel, Memory, Props, args};

/// Every update whose order does not matter, on elements that all items want.
const SOURCE: &str = "
@kernel void every(const int n, const int *x, T *sum, T *difference, T *low, T *high) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    const T v = (T) x[i];
    @atomic sum[i % 37] += v;
    @atomic difference[i % 37] -= v;
    @atomic low[i % 37] = min(low[i % 37], v);
    @atomic high[i % 37] = max(high[i % 37], v);
  }
}
@kernel void bits(const int n, const int *x, T *all, T *some, T *odd) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    const T v = (T) x[i];
    @atomic all[i % 37] &= v;
    @atomic some[i % 37] |= v;
    @atomic odd[i % 37] ^= v;
  }
}
";

/// What needs the memory itself: floats, what was there before, and one that another argument shows.
const WHOLE: &str = "
@kernel void places(const int n, const int *x, unsigned int *next, float *weight, int *out) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    unsigned int place;
    @atomic place = next[x[i] & 3]++;
    out[place * 4 + (x[i] & 3)] = i;
    @atomic weight[x[i] & 3] += 0.5f;
  }
}
@kernel void both(const int n, unsigned int *a, unsigned int *b) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    @atomic a[i & 7] += 1u;
    @atomic b[i & 7] += 2u;
  }
}
@kernel void unproven(const int n, const int *x, unsigned int *bins) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    @atomic bins[x[i]] += 1u;
  }
}
";

const DEVICES: [&str; 4] = ["mode=Serial", "mode=CPU, threads=1", "mode=CPU, threads=3", "mode=CPU"];
/// More than stays on the calling thread.
const ITEMS: usize = 300_000;

fn build(device: &Device, source: &str, name: &str, ty: &str) -> Option<Kernel> {
    match device.build_kernel_from_string(source, name, Props::new().define("T", ty)) {
        Ok(kernel) => Some(kernel),
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Compiler { .. }), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

fn numbers() -> Vec<i32> {
    let mut state = 12345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as i32 - (1 << 23)
    };
    (0..ITEMS).map(|_| next()).collect()
}

macro_rules! check_type {
    ($device:expr, $x:expr, $ty:ty, $name:expr) => {
        let (device, x): (&Device, &[i32]) = ($device, $x);
        let (Some(every), Some(bits)) = (build(device, SOURCE, "every", $name), build(device, SOURCE, "bits", $name))
        else {
            return;
        };
        let start = |value: $ty| vec![value; 37];
        let mut expected = [start(5), start(7), start(<$ty>::MAX), start(<$ty>::MIN), start(!0), start(1), start(3)];
        for (i, &x) in x.iter().enumerate() {
            let (k, v) = (i % 37, x as $ty);
            expected[0][k] = expected[0][k].wrapping_add(v);
            expected[1][k] = expected[1][k].wrapping_sub(v);
            expected[2][k] = expected[2][k].min(v);
            expected[3][k] = expected[3][k].max(v);
            expected[4][k] &= v;
            expected[5][k] |= v;
            expected[6][k] ^= v;
        }
        let memory = |value: $ty| device.malloc_filled(37, value).expect("there is memory");
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g] = [5, 7, <$ty>::MAX, <$ty>::MIN, !0, 1, 3].map(memory);
        let x = device.malloc_from(x).expect("there is memory");
        every.launch(args![ITEMS as i32, &x, &mut a, &mut b, &mut c, &mut d]).expect("it runs");
        bits.launch(args![ITEMS as i32, &x, &mut e, &mut f, &mut g]).expect("it runs");
        for (memory, expected) in [a, b, c, d, e, f, g].iter().zip(expected) {
            assert_eq!(memory.to_vec().expect("it copies"), expected, "{} on {device:?}", $name);
        }
    };
}

#[test]
fn updates_in_any_order_have_one_result() {
    let x = numbers();
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        check_type!(&device, &x, i32, "int");
        check_type!(&device, &x, u32, "unsigned int");
        check_type!(&device, &x, i64, "long");
        check_type!(&device, &x, u64, "unsigned long");
    }
}

#[test]
fn updates_that_need_the_memory_itself_lose_none() {
    let x = numbers();
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let (Some(places), Some(both)) = (build(&device, WHOLE, "places", "int"), build(&device, WHOLE, "both", "int"))
        else {
            return;
        };
        let x = device.malloc_from(&x).expect("there is memory");
        let mut next = device.malloc_filled(4, 0_u32).expect("there is memory");
        let mut weight = device.malloc_filled(4, 0.0_f32).expect("there is memory");
        let mut out = device.malloc_filled(4 * ITEMS, -1).expect("there is memory");
        places.launch(args![ITEMS as i32, &x, &mut next, &mut weight, &mut out]).expect("it runs");
        let counts = next.to_vec().expect("it copies");
        assert_eq!(counts.iter().sum::<u32>() as usize, ITEMS, "{props}");
        // Halves add up exactly.
        let halves = counts.iter().map(|&count| count as f32 * 0.5).collect::<Vec<_>>();
        assert_eq!(weight.to_vec().expect("it copies"), halves, "{props}");
        let mut found: Vec<i32> = out.to_vec().expect("it copies").into_iter().filter(|&i| i >= 0).collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..ITEMS as i32), "{props}: every item has a place of its own");

        let mut a = device.malloc_filled(8, 0_u32).expect("there is memory");
        let mut b = a.share();
        both.launch(args![ITEMS as i32, &mut a, &mut b]).expect("it runs");
        assert_eq!(a.to_vec().expect("it copies"), [3 * ITEMS as u32 / 8; 8], "{props}");
    }
}

#[test]
fn an_update_out_of_range_does_not_happen_and_is_told() {
    let mut x = numbers().iter().map(|x| x & 63).collect::<Vec<_>>();
    (x[1000], x[200_000]) = (-1, 64);
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let Some(unproven) = build(&device, WHOLE, "unproven", "int") else { return };
        let x = device.malloc_from(&x).expect("there is memory");
        let whole = device.malloc_filled(192, 7_u32).expect("there is memory");
        let mut bins = whole.slice(64..128).expect("a part");
        let error = unproven.launch(args![ITEMS as i32, &x, &mut bins]).expect_err("two are out of range");
        assert!(matches!(error.kind(), ErrorKind::OutOfBounds { .. }), "{props}: {error}");
        let whole = whole.to_vec().expect("it copies");
        assert!(whole[..64].iter().chain(&whole[128..]).all(|&other| other == 7), "{props}");
    }
}

#[test]
fn launches_of_several_threads_lose_no_update() {
    for props in DEVICES {
        let device = Device::open(props).expect(props);
        let Some(both) = build(&device, WHOLE, "both", "int") else { return };
        let a: Memory<u32> = device.malloc_filled(8, 0).expect("there is memory");
        // Short launches, of one thread, and long ones.
        let sizes = [800, ITEMS];
        std::thread::scope(|scope| {
            for n in [sizes[0], sizes[0], sizes[1], sizes[1]] {
                let (mut first, mut second, both) = (a.share(), a.share(), &both);
                scope.spawn(move || {
                    for _ in 0..50 {
                        both.launch(args![n as i32, &mut first, &mut second]).expect("it runs");
                    }
                });
            }
        });
        let total: usize = sizes.iter().sum();
        assert_eq!(a.to_vec().expect("it copies"), [(2 * 50 * 3 * total / 8) as u32; 8], "{props}");
    }
}
