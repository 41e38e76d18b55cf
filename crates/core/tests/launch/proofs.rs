//! The proof of a launch is remembered: no other launch takes it for its own.

use super::{BURGERS, build, open};
use ferrocca_core::{ErrorKind, Kernel, Memory, args};

/// A launch of [`BURGERS`]; answers whether it was refused for memory that is too short.
fn is_refused(kernel: &Kernel, n: i32, from: Option<&Memory<f64>>, to: Option<&mut Memory<f64>>) -> bool {
    match kernel.launch(args![n, 0.5, from, to]) {
        Ok(()) => false,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::OutOfBounds { .. }), "{error}");
            true
        }
    }
}

#[test]
fn each_number_and_each_length_decides() {
    let (_, device) = open();
    let kernel = build(&device, BURGERS).unwrap();
    let [from, mut to, short, mut short_to] = [258, 258, 257, 257].map(|len| device.malloc::<f64>(len).unwrap());
    for _ in 0..3 {
        assert!(!is_refused(&kernel, 258, Some(&from), Some(&mut to)));
        assert!(is_refused(&kernel, 258, Some(&short), Some(&mut to)));
        assert!(!is_refused(&kernel, 258, Some(&from), Some(&mut to)));
        assert!(is_refused(&kernel, 258, Some(&from), Some(&mut short_to)));
        assert!(is_refused(&kernel, 259, Some(&from), Some(&mut to)));
        assert!(is_refused(&kernel, 258, None, Some(&mut to)));
        assert!(is_refused(&kernel, 258, Some(&from), None));
        // What the shorter memory is proven for says nothing of the longer number.
        assert!(!is_refused(&kernel, 257, Some(&short), Some(&mut short_to)));
        assert!(is_refused(&kernel, 258, Some(&short), Some(&mut short_to)));
    }
}

#[test]
fn memory_that_takes_turns_is_proven_each_time() {
    let (_, device) = open();
    let kernel = build(&device, BURGERS).unwrap();
    let [mut a, mut b, mut longer] = [258, 258, 300].map(|len| device.malloc::<f64>(len).unwrap());
    for _ in 0..10 {
        assert!(!is_refused(&kernel, 258, Some(&a), Some(&mut b)));
        a.swap(&mut b);
        assert!(!is_refused(&kernel, 258, Some(&longer), Some(&mut b)));
        assert!(is_refused(&kernel, 259, Some(&longer), Some(&mut b)));
        assert!(is_refused(&kernel, 259, Some(&b), Some(&mut longer)));
    }
}

#[test]
fn whether_a_pointer_is_null_decides_of_other_memory() {
    let (_, device) = open();
    let source = "@kernel void k(const double *p, double *u) {
        for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 16; ++i; @inner) { u[i + (p ? 1 : 0)] = 1; }
    }";
    let kernel = build(&device, source).unwrap();
    let (p, mut u) = (device.malloc::<f64>(1).unwrap(), device.malloc::<f64>(16).unwrap());
    for _ in 0..3 {
        kernel.launch(args![None::<&Memory<f64>>, &mut u]).unwrap();
        let error = kernel.launch(args![&p, &mut u]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfBounds { .. }), "{error}");
    }
}

#[test]
fn threads_do_not_take_each_others_proofs() {
    let (_, device) = open();
    let kernel = build(&device, BURGERS).unwrap();
    let rounds = if cfg!(miri) { 20 } else { 5_000 };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (kernel, device) = (&kernel, &device);
            scope.spawn(move || {
                // Each thread's last number is another one's first that is too large, and the other way round.
                let len = 256 + thread;
                let [from, mut to] = [(); 2].map(|()| device.malloc::<f64>(len as usize).unwrap());
                for round in 0..rounds {
                    assert!(!is_refused(kernel, len, Some(&from), Some(&mut to)), "thread {thread}, round {round}");
                    assert!(is_refused(kernel, len + 1, Some(&from), Some(&mut to)), "thread {thread}, round {round}");
                }
            });
        }
    });
}
