//! Bytes per second of a step at sizes where the memory decides: 16 a point, one number read and one written.

use crate::compare::{Contender, interleave};
use crate::gather::{self, Order};
use crate::peer::{self, Fields};
use crate::plain::Arrays;
use crate::table::{Bar, Row};
use crate::{Bench, Measured};
use ferrocca::Kernel;
use std::cell::RefCell;
use std::time::Duration;

const SIZES: [usize; 3] = [1_000_000, 30_000_000, 200_000_000];

/// Where the copy of the driver is a bar too: the caches no longer help anybody.
const LARGEST: usize = 200_000_000;

/// Refuses to compare what does not compute the same.
fn check(bench: &Bench, kernel: &Kernel, fields: &RefCell<Fields>) -> Measured {
    let fields = &mut *fields.borrow_mut();
    let before = fields.u_prev.to_vec()?;
    fields.step(kernel);
    let own = fields.u_prev.to_vec()?;
    fields.u_prev.copy_from(&before)?;
    bench.device.finish()?;
    bench.plain.steps(arrays(fields), 1);
    bench.plain.finish();
    match own == fields.u.to_vec()? {
        true => Ok(()),
        false => Err("the peer computes something else".into()),
    }
}

fn arrays(fields: &Fields) -> Arrays {
    Arrays { n: fields.n, u_prev: fields.u_prev.ptr(), u: fields.u.ptr() }
}

/// A step, in three hands: Ferrocca's, plain CUDA, and a copy from device to device of as many bytes.
pub(crate) fn measure(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    for n in SIZES {
        let kernel = bench.device.build_kernel(peer::kernel(), "burgers_step", ())?;
        let fields = RefCell::new(Fields::new(&bench.device, n));
        if n == SIZES[0] {
            check(bench, &kernel, &fields)?;
        }
        let mut contenders = [
            Contender {
                name: "ferrocca",
                run: Box::new(|steps| {
                    (0..steps).for_each(|_| fields.borrow_mut().step(&kernel));
                    bench.device.finish().expect("it finishes");
                }),
            },
            Contender {
                name: "plain CUDA",
                run: Box::new(|steps| {
                    bench.plain.steps(arrays(&fields.borrow()), steps);
                    bench.plain.finish();
                }),
            },
            Contender {
                name: "device copy",
                run: Box::new(|times| {
                    bench.plain.copies(arrays(&fields.borrow()), times);
                    bench.plain.finish();
                }),
            },
        ];
        let samples = interleave(&mut contenders, 21, Duration::from_millis(30));
        let rate = |index: usize| 16.0 * n as f64 / samples.median(index) / 1e9;
        let bars = [Bar::ShareOfPeer(0.99), if n == LARGEST { Bar::ShareOfPeer(0.88) } else { Bar::None }];
        for (peer, bar) in [1, 2].into_iter().zip(bars) {
            let what = format!("throughput, {n} points");
            print(Row { what, unit: "GB/s", own: rate(0), peer: Some((samples.names[peer], rate(peer))), bar });
        }
    }
    Ok(())
}

/// A gather whose indices are checked, or in constant memory, against the same without checks.
pub(crate) fn checks(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    const NUMBERS: usize = 10_000_000;
    for order in Order::ALL {
        let measured = gather::measure(&bench.device, NUMBERS, order)?;
        let rate = |seconds: f64| 20.0 * NUMBERS as f64 / seconds / 1e9;
        let peer = Some(("without checks", rate(measured.vouched_for)));
        for (which, seconds) in [("checked gather", measured.checked), ("gather by constant memory", measured.constant)]
        {
            let what = format!("{which}, {} order", order.name());
            print(Row { what, unit: "GB/s", own: rate(seconds), peer, bar: Bar::ShareOfPeer(0.95) });
        }
    }
    Ok(())
}
