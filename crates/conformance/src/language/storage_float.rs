//! Floats that are only held in memory: every value of each, how numbers round to them, and everywhere they may stand.

use super::build;
use crate::check::{self, Failure, Outcome};
use ferrocca_core::{Device, Element, IntoArg, args, bf16, f16};

/// A float that kernels compute with as `float`.
trait StorageFloat: Element + for<'a> IntoArg<'a> + PartialEq {
    /// Its name in OKL; the kernels here are written for `half`.
    const NAME: &'static str;
    /// Bits of the infinity.
    const INFINITY: u16;
    /// Half of the last place of a number beside one.
    const ROUNDING: f64;
    fn of(value: f32) -> Self;
    fn of_bits(bits: u16) -> Self;
    fn bits(self) -> u16;
    fn single(self) -> f32;

    /// A kernel that is written for `half`.
    fn kernel(source: &str) -> String {
        source.replace("half", Self::NAME)
    }
}

macro_rules! storage_float {
    ($module:ident, $float:ident, $name:literal, $infinity:literal, $digits:literal;
     $($case:ident $(: $need:ident)?),* $(,)?) => {
        impl StorageFloat for $float {
            const NAME: &'static str = $name;
            const INFINITY: u16 = $infinity;
            const ROUNDING: f64 = 1.0 / (1 << $digits) as f64;

            fn of(value: f32) -> Self {
                Self::from_f32(value)
            }

            fn of_bits(bits: u16) -> Self {
                Self::from_bits(bits)
            }

            fn bits(self) -> u16 {
                self.to_bits()
            }

            fn single(self) -> f32 {
                self.to_f32()
            }
        }

        pub(super) mod $module {
            use super::{Device, Outcome, $float};
            use crate::harness::cases;

            cases![$name; $($case $(: $need)?),*];
            $(fn $case(device: &Device) -> Outcome {
                super::$case::<$float>(device)
            })*
        }
    };
}

storage_float!(half, f16, "half", 0x7c00, 11; every_value, floats_round_once, doubles_round_once: F64, arithmetic_is_float, conditions, neighbours_are_kept, slices_at_any_element, scalars, local_memory, functions, math_functions, host_part, fills, no_atomics);
storage_float!(bfloat16, bf16, "bfloat16", 0x7f80, 8; every_value, floats_round_once, doubles_round_once: F64, arithmetic_is_float, conditions, neighbours_are_kept, slices_at_any_element, scalars, local_memory, functions, math_functions, host_part, fills, no_atomics);

/// The nearest.
fn nearest<T: StorageFloat>(values: &[f32]) -> Vec<T> {
    values.iter().copied().map(T::of).collect()
}

/// Bits, such that every NaN has the same.
fn canonical<T: StorageFloat>(values: &[T]) -> Vec<u16> {
    values.iter().map(|value| if value.single().is_nan() { 0x7fff } else { value.bits() }).collect()
}

/// Numbers at and beside every one and every middle between two, with the bits that they round to.
fn boundaries<T: StorageFloat>() -> Vec<(f64, u16)> {
    let next = |x: f64| f64::from_bits(x.to_bits() + 1);
    let previous = |x: f64| f64::from_bits(x.to_bits() - 1);
    // The same in single precision.
    let next_single = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() + 1));
    let previous_single = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() - 1));
    let value = |bits: u16| f64::from(T::of_bits(bits).single());
    let mut all = vec![
        (f64::INFINITY, T::INFINITY),
        (f64::MAX, T::INFINITY),
        (f64::from(f32::MAX), T::INFINITY),
        (f64::from(f32::from_bits(1)), 0),
        (f64::from_bits(1), 0),
    ];
    for bits in 0..T::INFINITY {
        let below = value(bits);
        // Behind the largest comes a number whose bits are those of the infinity.
        let above = if bits + 1 == T::INFINITY { 2.0 * below - value(bits - 1) } else { value(bits + 1) };
        let middle = (below + above) / 2.0;
        all.extend([(below, bits), (next(below), bits), (next_single(below), bits)]);
        all.extend([(previous(middle), bits), (previous_single(middle), bits), (middle, bits + (bits & 1))]);
        all.extend([(next(middle), bits + 1), (next_single(middle), bits + 1), (previous_single(above), bits + 1)]);
    }
    let negative: Vec<(f64, u16)> = all.iter().map(|&(x, bits)| (-x, bits | 0x8000)).collect();
    all.extend(negative);
    all.push((f64::NAN, 0x7fff));
    all
}

fn every_value<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, float *f, half *y, half *copy) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { f[i] = x[i]; y[i] = f[i]; copy[i] = x[i]; }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let host: Vec<T> = (0..=u16::MAX).map(T::of_bits).collect();
    let x = device.malloc_from(&host)?;
    let mut f = device.malloc::<f32>(host.len())?;
    let (mut y, mut copy) = (device.malloc::<T>(host.len())?, device.malloc::<T>(host.len())?);
    kernel.launch(args![host.len(), &x, &mut f, &mut y, &mut copy])?;
    let single = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let got: Vec<u32> = f.to_vec()?.into_iter().map(single).collect();
    check::same("f", &got, &host.iter().map(|x| single(x.single())).collect::<Vec<_>>())?;
    check::same("y", &canonical(&y.to_vec()?), &canonical(&host))?;
    // A copy converts nothing, and keeps what a NaN carries.
    let raw = |values: Vec<T>| values.into_iter().map(T::bits).collect::<Vec<_>>();
    check::same("copy", &raw(copy.to_vec()?), &raw(host))
}

fn floats_round_once<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float *x, half *y) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] = x[i]; }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let singles: Vec<(f32, u16)> = boundaries::<T>()
        .into_iter()
        .filter(|(x, _)| x.is_nan() || f64::from(*x as f32) == *x)
        .map(|(x, bits)| (x as f32, bits))
        .collect();
    let x = device.malloc_from(&singles.iter().map(|(x, _)| *x).collect::<Vec<_>>())?;
    let mut y = device.malloc::<T>(singles.len())?;
    kernel.launch(args![singles.len(), &x, &mut y])?;
    check::same("y", &canonical(&y.to_vec()?), &singles.iter().map(|(_, bits)| *bits).collect::<Vec<_>>())
}

fn doubles_round_once<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const double *x, half *y, double *back) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] = x[i]; back[i] = y[i]; }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let doubles = boundaries::<T>();
    let x = device.malloc_from(&doubles.iter().map(|(x, _)| *x).collect::<Vec<_>>())?;
    let mut y = device.malloc::<T>(doubles.len())?;
    let mut back = device.malloc::<f64>(doubles.len())?;
    kernel.launch(args![doubles.len(), &x, &mut y, &mut back])?;
    let y = y.to_vec()?;
    check::same("y", &canonical(&y), &doubles.iter().map(|(_, bits)| *bits).collect::<Vec<_>>())?;
    let bits = |value: f64| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    let back: Vec<u64> = back.to_vec()?.into_iter().map(bits).collect();
    let expected = widened(device, doubles.iter().map(|(_, b)| T::of_bits(*b).single()).collect())?;
    check::same("back", &back, &expected.into_iter().map(bits).collect::<Vec<_>>())
}

/// Floats as doubles. A device that may take subnormal floats for zero is asked what it makes of them where they are no
/// storage floats: each is kept or is zero.
fn widened(device: &Device, floats: Vec<f32>) -> Result<Vec<f64>, Failure> {
    let exact = floats.iter().copied().map(f64::from);
    if !device.capabilities().may_flush_subnormals {
        return Ok(exact.collect());
    }
    let source = "@kernel void test(const int n, const float *x, double *y) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] = x[i]; }
    }";
    let x = device.malloc_from(&floats)?;
    let mut y = device.malloc::<f64>(floats.len())?;
    build(device, source)?.launch(args![floats.len(), &x, &mut y])?;
    let flushed = |(exact, (x, y)): (f64, (&f32, f64))| if x.is_subnormal() && y == 0.0 { y } else { exact };
    Ok(exact.zip(floats.iter().zip(y.to_vec()?)).map(flushed).collect())
}

fn arithmetic_is_float<T: StorageFloat>(device: &Device) -> Outcome {
    // Products of halves are exact in `float`, so that contraction changes nothing.
    let source = "@kernel void test(const int n, const half a, const half *x, half *y, float *wide) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {
            wide[i] = x[i] * x[i] - a;
            y[i] = a * x[i] + y[i];
            y[i] += x[i];
            y[i]--;
            y[i] = -y[i];
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let host: Vec<T> = (0..1000).map(|i| T::of(i as f32 * 0.37 - 50.0)).collect();
    let start: Vec<T> = (0..1000).map(|i| T::of(200.0 - i as f32 * 0.11)).collect();
    let a = T::of(0.1);
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc_from(&start)?;
    let mut wide = device.malloc::<f32>(host.len())?;
    kernel.launch(args![host.len(), a, &x, &mut y, &mut wide])?;
    let expected = |x: T, y: T| {
        let y = T::of(a.single() * x.single() + y.single());
        let y = T::of(y.single() + x.single());
        T::of(-(y.single() - 1.0))
    };
    let expected: Vec<T> = host.iter().zip(&start).map(|(&x, &y)| expected(x, y)).collect();
    check::same("y", &canonical(&y.to_vec()?), &canonical(&expected))?;
    let squares: Vec<f32> = host.iter().map(|x| x.single() * x.single() - a.single()).collect();
    check::same("wide", &wide.to_vec()?, &squares)
}

fn conditions<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            int k = 0;
            if (x[i]) { k += 1; }
            if (!x[i]) { k += 2; }
            k += x[i] ? 4 : 8;
            k += (x[i] < 1) * 16 + (x[i] == x[i]) * 32 + (x[i] != x[0]) * 64;
            const bool b = x[i];
            out[i] = k + b * 128 + (x[i] && x[1]) * 256;
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let values = [0.0, -0.0, 1.0, -1.0, f32::from_bits(0x3380_0000), f32::INFINITY, f32::NAN];
    let x = device.malloc_from(&nearest::<T>(&values))?;
    let mut out = device.malloc::<i32>(values.len())?;
    kernel.launch(args![values.len(), &x, &mut out])?;
    let expected = values.map(|x| {
        let k = if x != 0.0 { 1 + 4 + 128 } else { 2 + 8 };
        k + i32::from(x < 1.0) * 16 + i32::from(!x.is_nan()) * 32 + i32::from(x != 0.0) * 64
    });
    check::same("out", &out.to_vec()?, &expected)
}

fn neighbours_are_kept<T: StorageFloat>(device: &Device) -> Outcome {
    // Every third element by one launch, the others stay; then every element by an item of another group.
    let source = "@kernel void test(const int n, const int step, const int first, half *y) {
        for (int i = first; i < n; i += step; @outer) {
            for (int k = 0; k < 1; ++k; @inner) { y[i] = -i; }
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let mut y = device.malloc_filled(1001, T::of(0.5))?;
    kernel.launch(args![1001, 3, 1, &mut y])?;
    let expected = |i: usize| if i % 3 == 1 { -(i as f32) } else { 0.5 };
    check::same(
        "y",
        &canonical(&y.to_vec()?),
        &canonical(&nearest::<T>(&(0..1001).map(expected).collect::<Vec<_>>())),
    )?;
    kernel.launch(args![1000, 1, 0, &mut y])?;
    // The last one is as the first launch left it.
    let expected: Vec<f32> = (0..1001).map(|i| 0.0 - i as f32).collect();
    check::same("y", &canonical(&y.to_vec()?), &canonical(&nearest::<T>(&expected)))
}

fn slices_at_any_element<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, half *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { y[i] = 2 * x[i]; }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let host: Vec<f32> = (0..64).map(|i| i as f32 + 0.5).collect();
    let x = device.malloc_from(&nearest::<T>(&host))?;
    for (from, to, n) in [(1, 0, 7), (0, 3, 8), (5, 1, 33)] {
        let y = device.malloc_filled(64, T::of(-1.0))?;
        kernel.launch(args![n, &x.slice(from..from + n)?, &mut y.slice(to..to + n)?])?;
        let expected = |i: usize| if (to..to + n).contains(&i) { 2.0 * host[i - to + from] } else { -1.0 };
        check::same(
            "y",
            &canonical(&y.to_vec()?),
            &canonical(&nearest::<T>(&(0..64).map(expected).collect::<Vec<_>>())),
        )?;
    }
    Ok(())
}

fn scalars<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const half a, const char c, const half b, const int n, const half d, half *y) {
        for (int o = 0; o < 1; ++o; @outer) {
            for (int i = 0; i < 3; ++i; @inner) { y[i] = i == 0 ? a : i == 1 ? b + c : d + n; }
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let mut y = device.malloc::<T>(3)?;
    let b = T::of(0.1);
    kernel.launch(args![T::of_bits(1), 3i8, b, -7, 1024.0, &mut y])?;
    check::same("y", &canonical(&y.to_vec()?), &canonical(&[T::of_bits(1), T::of(b.single() + 3.0), T::of(1017.0)]))?;
    let refused = kernel.launch(args![0.1, 3i8, b, -7, 1024.0, &mut y]);
    check::that(refused.is_err(), "0.1 is no half")
}

fn local_memory<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, half *y) {
        for (int o = 0; o < n; o += 16; @outer) {
            @shared half tile[2][8];
            @shared half sum;
            @exclusive half mine[2];
            @exclusive half twice;
            for (int i = 0; i < 16; ++i; @inner) {
                tile[i / 8][i % 8] = x[o + i];
                mine[0] = x[o + i] + 1;
                mine[1] = i;
                twice = 2 * x[o + i];
            }
            for (int i = 0; i < 16; ++i; @inner) {
                if (i == 0) {
                    sum = 0;
                    for (int k = 0; k < 16; ++k) { sum += tile[k / 8][k % 8]; }
                }
            }
            for (int i = 0; i < 16; ++i; @inner) {
                half local[3] = {mine[0], mine[1], twice};
                for (int k = 1; k < 3; ++k) { local[0] += local[k]; }
                y[o + i] = local[0] + sum + tile[1 - i / 8][7 - i % 8];
            }
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let host: Vec<T> = (0..64).map(|i| T::of(i as f32 * 0.3 - 4.0)).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<T>(64)?;
    kernel.launch(args![64, &x, &mut y])?;
    let add = |a: T, b: T| T::of(a.single() + b.single());
    let expected: Vec<T> = (0..64)
        .map(|at| {
            let (group, i) = (at / 16 * 16, at % 16);
            let sum = host[group..group + 16].iter().fold(T::of(0.0), |sum, &x| add(sum, x));
            let mine = add(add(add(host[at], T::of(1.0)), T::of(i as f32)), T::of(2.0 * host[at].single()));
            let other = host[group + 15 - i];
            T::of(mine.single() + sum.single() + other.single())
        })
        .collect();
    check::same("y", &canonical(&y.to_vec()?), &canonical(&expected))
}

fn functions<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "half scaled(const half x, const float by) { return x * by; }
    void raise(half *x, const half by) { x[1] += by; *x = scaled(*x, 2.0f); }
    half larger(const half a, const half b) { return a > b ? a : b; }
    @kernel void test(const int n, half *x) {
        for (int o = 0; o < n; o += 8; @outer) {
            @shared half tile[16];
            for (int i = 0; i < 8; ++i; @inner) { tile[2 * i] = x[o + i]; tile[2 * i + 1] = 1; }
            for (int i = 0; i < 8; ++i; @inner) {
                half own[2] = {0.5f, larger(x[o + i], 3)};
                raise(own, 1);
                raise(tile + 2 * i, own[1]);
                x[o + i] = tile[2 * i] + tile[2 * i + 1] + own[0];
            }
            for (int i = 0; i < 4; ++i; @inner) { raise(&x[o + 2 * i], 0.5f); }
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let mut x = device.malloc_from(&nearest::<T>(&(0..16).map(|i| i as f32 * 0.5).collect::<Vec<_>>()))?;
    kernel.launch(args![16, &mut x])?;
    let expected = |i: usize| {
        let x = i as f32 * 0.5;
        let y = 2.0 * x + (1.0 + x.max(3.0) + 1.0) + 1.0;
        if i.is_multiple_of(2) { 2.0 * y } else { y + 0.5 }
    };
    check::same("x", &canonical(&x.to_vec()?), &canonical(&nearest::<T>(&(0..16).map(expected).collect::<Vec<_>>())))
}

fn math_functions<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, float *exact, half *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            exact[i] = sqrt(fabs(x[i])) + floor(x[i]) * 4 + fma(x[i], x[i], 1) + max(x[i], 0.5f) + (isnan(x[i]) ? 1 : 0);
            y[i] = sin(x[i]) * exp(-fabs(x[i])) + pow(fabs(x[i]), 0.5f);
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let host: Vec<T> = (0..200).map(|i| T::of(i as f32 * 0.043 - 4.0)).collect();
    let x = device.malloc_from(&host)?;
    let (mut exact, mut y) = (device.malloc::<f32>(host.len())?, device.malloc::<T>(host.len())?);
    kernel.launch(args![host.len(), &x, &mut exact, &mut y])?;
    let value = |x: &T| {
        let x = x.single();
        f64::from(x.abs().sqrt() + x.floor() * 4.0 + x.mul_add(x, 1.0) + x.max(0.5))
    };
    let got: Vec<f64> = exact.to_vec()?.into_iter().map(f64::from).collect();
    check::close("exact", &got, &host.iter().map(value).collect::<Vec<_>>(), 8.0, f64::from(f32::EPSILON))?;
    let value = |x: &T| {
        let x = f64::from(x.single());
        x.sin() * (-x.abs()).exp() + x.abs().sqrt()
    };
    let got: Vec<f64> = y.to_vec()?.into_iter().map(|y| f64::from(y.single())).collect();
    // Rounded to nearest: half of the last bit, and a little for the functions.
    check::close("y", &got, &host.iter().map(value).collect::<Vec<_>>(), 1.01, T::ROUNDING)
}

fn host_part<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(const half scale, half *x) {
        const half doubled = 2 * scale;
        if (doubled > 1) {
            for (int o = 0; o < (int) (scale * 4); ++o; @outer) {
                for (int i = 0; i < 4; ++i; @inner) { x[4 * o + i] = doubled + i; }
            }
        }
    }";
    let kernel = build(device, &T::kernel(source))?;
    let mut x = device.malloc_filled(16, T::of(0.0))?;
    kernel.launch(args![0.5, &mut x])?;
    check::same("x", &canonical(&x.to_vec()?), &[0; 16])?;
    kernel.launch(args![T::of(0.75), &mut x])?;
    let expected = |i: usize| if i < 12 { 1.5 + (i % 4) as f32 } else { 0.0 };
    check::same("x", &canonical(&x.to_vec()?), &canonical(&nearest::<T>(&(0..16).map(expected).collect::<Vec<_>>())))
}

fn fills<T: StorageFloat>(device: &Device) -> Outcome {
    let mut x = device.malloc_filled(33, T::of(-1.5))?;
    check::same("filled", &canonical(&x.to_vec()?), &[T::of(-1.5).bits(); 33])?;
    x.slice(1..4)?.fill(T::of_bits(1))?;
    let mut expected = [T::of(-1.5).bits(); 33];
    expected[1..4].fill(1);
    check::same("slice", &canonical(&x.to_vec()?), &expected)?;
    x.copy_from(&nearest::<T>(&[2.0; 33]))?;
    check::same("copied", &canonical(&x.to_vec()?), &[T::of(2.0).bits(); 33])
}

fn no_atomics<T: StorageFloat>(device: &Device) -> Outcome {
    let source = "@kernel void test(half *x) {
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 4; ++i; @inner) { @atomic x[0] += 1; } }
    }";
    let built = device.build_kernel_from_string(&T::kernel(source), "test", "");
    check::refused("the update", built, &["32-bit", &T::kernel("not on `half`")])
}
