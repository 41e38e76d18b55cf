//! The cost of a step at sizes where the work is nothing: launches, graphs, persistent loops.

use crate::compare::{Contender, interleave};
use crate::peer::{self, C1, C2, Fields};
use crate::plain::Arrays;
use crate::table::{Bar, Row};
use crate::{Bench, Measured};
use ferrocca::{Graph, Kernel, Memory, args};
use std::cell::RefCell;
use std::time::Duration;

/// Points of the small problem; with two ghosts 258 values.
const SMALL: usize = 256;

/// Points whose two arrays are more than the shared memory of a block.
const BEYOND_A_BLOCK: usize = 16_384;

/// Steps of the whole problem.
const ALL_STEPS: u64 = 2001;

/// Steps in the peer's graph: so many that launching it costs nothing a step.
const STEPS_OF_GRAPH: u64 = 1000;

const ROUNDS: usize = 21;
const SAMPLE: Duration = Duration::from_millis(20);

/// The kernel, the two arrays, and the calls of both sides on them. Each leaves the newest field in `u_prev`.
struct Stepping<'a> {
    bench: &'a Bench,
    kernel: Kernel,
    fields: RefCell<Fields>,
}

impl<'a> Stepping<'a> {
    fn new(bench: &'a Bench, points: usize) -> Measured<Self> {
        let kernel = bench.device.build_kernel(peer::kernel(), "burgers_step", ())?;
        let fields = RefCell::new(Fields::new(&bench.device, points));
        Ok(Self { bench, kernel, fields })
    }

    fn finish(&self) {
        self.bench.device.finish().expect("it finishes");
    }

    fn queue(&self, steps: u64) {
        let mut fields = self.fields.borrow_mut();
        (0..steps).for_each(|_| fields.step(&self.kernel));
    }

    fn queue_plain(&self, steps: u64) {
        let mut fields = self.fields.borrow_mut();
        self.bench.plain.steps(arrays(&fields), steps);
        if !steps.is_multiple_of(2) {
            let Fields { u_prev, u, .. } = &mut *fields;
            u.swap(u_prev);
        }
    }

    /// A graph of one step, with a ring for snapshots or without.
    fn record(&self, ring: Option<&mut Memory<f64>>) -> Measured<Graph> {
        let mut fields = self.fields.borrow_mut();
        let Fields { n, u_prev, u } = &mut *fields;
        Ok(self.bench.device.record(|recorder| {
            recorder.launch(&self.kernel, args![*n as i32, C1, C2, &*u_prev, &mut *u])?;
            if let Some(ring) = ring {
                recorder.snapshot(u, ring)?;
            }
            recorder.rotate([&*u_prev, &*u])
        })?)
    }

    fn replay(&self, graph: &mut Graph, steps: u64) {
        let mut fields = self.fields.borrow_mut();
        let Fields { u_prev, u, .. } = &mut *fields;
        graph.replay_rotating(steps, [u_prev, u]).expect("it replays");
    }

    /// The newest field after some steps of `run` from the initial one.
    fn outcome(&self, run: impl FnOnce(&Self)) -> Vec<f64> {
        let points = self.fields.borrow().n;
        self.fields.replace(Fields::new(&self.bench.device, points));
        run(self);
        self.finish();
        self.bench.plain.finish();
        self.fields.borrow().u_prev.to_vec().expect("it copies")
    }
}

fn arrays(fields: &Fields) -> Arrays {
    Arrays { n: fields.n, u_prev: fields.u_prev.ptr(), u: fields.u.ptr() }
}

/// Median seconds of one step of Ferrocca and of the peer; both get the number of steps to do.
fn compare<'a>(own: impl FnMut(u64) + 'a, plain: impl FnMut(u64) + 'a) -> (f64, f64) {
    let mut contenders =
        [Contender { name: "ferrocca", run: Box::new(own) }, Contender { name: "CUDA", run: Box::new(plain) }];
    let samples = interleave(&mut contenders, ROUNDS, SAMPLE);
    (samples.median(0), samples.median(1))
}

fn row(what: impl Into<String>, (own, plain): (f64, f64), peer: &'static str, bar: Bar) -> Row {
    Row { what: what.into(), unit: "µs", own: own * 1e6, peer: Some((peer, plain * 1e6)), bar }
}

/// Refuses to compare what does not compute the same.
fn same(what: &str, own: &[f64], plain: &[f64]) -> Measured {
    match own == plain {
        true => Ok(()),
        false => Err(format!("{what}: the peer computes something else").into()),
    }
}

/// Many launches, one finish at the end.
pub(crate) fn launches(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    let stepping = Stepping::new(bench, SMALL)?;
    let own = stepping.outcome(|stepping| stepping.queue(7));
    same("launches", &own, &stepping.outcome(|stepping| stepping.queue_plain(7)))?;
    let times = compare(
        |steps| {
            stepping.queue(steps);
            stepping.finish();
        },
        |steps| {
            stepping.queue_plain(steps);
            bench.plain.finish();
        },
    );
    print(row("launches queued, 258 values, a step", times, "plain CUDA", Bar::MoreThanPeer(0.3)));
    Ok(())
}

/// A finish after every launch.
pub(crate) fn launch_and_finish(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    let stepping = Stepping::new(bench, SMALL)?;
    let times = compare(
        |steps| {
            (0..steps).for_each(|_| {
                stepping.queue(1);
                stepping.finish();
            });
        },
        |steps| {
            (0..steps).for_each(|_| {
                stepping.queue_plain(1);
                bench.plain.finish();
            });
        },
    );
    print(row("launch + finish, 258 values", times, "plain CUDA", Bar::TimesPeer(1.1)));
    Ok(())
}

/// A recorded loop against a hand-made CUDA graph, where one block could hold it and where none can.
pub(crate) fn graph(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    for points in [SMALL, BEYOND_A_BLOCK] {
        let stepping = Stepping::new(bench, points)?;
        let expected = stepping.outcome(|stepping| stepping.queue_plain(2 * STEPS_OF_GRAPH));
        let own = stepping.outcome(|stepping| {
            let mut graph = stepping.record(None).expect("it is recorded");
            stepping.replay(&mut graph, STEPS_OF_GRAPH + 1);
            stepping.replay(&mut graph, STEPS_OF_GRAPH - 1);
        });
        same("graph", &own, &expected)?;
        let mut graph = stepping.record(None)?;
        bench.plain.record(arrays(&stepping.fields.borrow()), STEPS_OF_GRAPH);
        // Whole graphs, so that both do the same number of steps at a time.
        let (own, plain) = compare(
            |graphs| {
                (0..graphs).for_each(|_| stepping.replay(&mut graph, STEPS_OF_GRAPH));
                stepping.finish();
            },
            |graphs| {
                bench.plain.replay(graphs);
                bench.plain.finish();
            },
        );
        let steps = STEPS_OF_GRAPH as f64;
        let what = format!("graph replay, {} values, a step", points + 2);
        print(row(what, (own / steps, plain / steps), "CUDA graph", Bar::TimesPeer(1.05)));
    }
    Ok(())
}

/// A persistent loop: the whole problem in one block, every step's field kept on the device.
pub(crate) fn persistent(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    let stepping = Stepping::new(bench, SMALL)?;
    let values = SMALL + 2;
    let mut ring = bench.device.malloc_filled(ALL_STEPS as usize * values, 0.0)?;
    let plain_ring = bench.device.malloc_filled(ALL_STEPS as usize * values, 0.0)?;
    let persist = |stepping: &Stepping<'_>, ring: *mut f64| {
        bench.plain.persist(arrays(&stepping.fields.borrow()), ALL_STEPS, ring);
    };
    let expected = stepping.outcome(|stepping| persist(stepping, plain_ring.ptr()));
    let own = stepping.outcome(|stepping| {
        let mut graph = stepping.record(Some(&mut ring)).expect("it is recorded");
        stepping.replay(&mut graph, ALL_STEPS);
    });
    same("persistent loop", &own, &expected)?;
    same("snapshots of the persistent loop", &ring.to_vec()?, &plain_ring.to_vec()?)?;

    for keeps in [true, false] {
        let mut graph = stepping.record(keeps.then_some(&mut ring))?;
        let to = if keeps { plain_ring.ptr() } else { std::ptr::null_mut() };
        let (own, plain) = compare(
            |loops| {
                (0..loops).for_each(|_| stepping.replay(&mut graph, ALL_STEPS));
                stepping.finish();
            },
            |loops| {
                (0..loops).for_each(|_| persist(&stepping, to));
                bench.plain.finish();
            },
        );
        let steps = ALL_STEPS as f64;
        let what = if keeps { "all 2,001 snapshots kept" } else { "no snapshots" };
        let bar = if keeps { Bar::AtMost(0.3) } else { Bar::None };
        let what = format!("persistent loop, 258 values, {what}");
        print(row(what, (own / steps, plain / steps), "one CUDA block", bar));
    }
    Ok(())
}
