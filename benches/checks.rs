//! What checks cost: a launch that is proven, and a gather whose indices are checked one by one or are in constant memory, against
//! the same kernels for which somebody vouches ([`ferrocca::Kernel::assume_in_bounds`]).

mod compare;
mod gather;
mod peer;

use compare::{Contender, interleave};
use gather::Order;
use peer::Fields;
use std::cell::RefCell;
use std::time::Duration;

fn launches() {
    println!("\nA launch and finish of the step at 258 points, nanoseconds (median)");
    println!("{:<9}{:>10}{:>12}{:>12}", "compiler", "proven", "vouched for", "difference");
    for compiler in peer::compilers() {
        let device = peer::open(compiler, 1);
        let kernel = device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds");
        // SAFETY: the fields have the elements that the step accesses.
        let unchecked = unsafe { kernel.assume_in_bounds().expect("it builds") };
        let fields = RefCell::new(Fields::new(&device, 256));
        let mut contenders = [&kernel, &unchecked].map(|kernel| {
            Contender::new("launch", || {
                fields.borrow_mut().step(kernel);
                device.finish().expect("nothing is left");
            })
        });
        // Much shorter than a turn of a program: where others run, too, few samples have one of theirs within.
        let samples = interleave(&mut contenders, 2001, Duration::from_micros(100));
        let [proven, vouched] = [0, 1].map(|index| samples.median(index) * 1e9);
        println!("{compiler:<9}{proven:>10.1}{vouched:>12.1}{:>12.1}", proven - vouched);
    }
    println!("the bar is a difference of 20 ns");
}

fn gathers() {
    println!("\nA gather of 10^7 doubles, ms (median)");
    println!(
        "{:<9}{:>8}{:>12}{:>10}{:>10}{:>12}{:>8}",
        "compiler", "threads", "order", "checked", "constant", "vouched for", "ratio"
    );
    for compiler in peer::compilers() {
        for threads in [1, 2] {
            let device = peer::open(compiler, threads);
            for order in Order::ALL {
                let measured = gather::measure(&device, 10_000_000, order).expect("it runs");
                let [checked, constant, vouched] =
                    [measured.checked, measured.constant, measured.vouched_for].map(|seconds| seconds * 1e3);
                println!(
                    "{compiler:<9}{threads:>8}{:>12}{checked:>10.2}{constant:>10.2}{vouched:>12.2}{:>8.3}",
                    order.name(),
                    checked / vouched
                );
            }
        }
    }
    println!("the bar is a ratio of 1.05");
}

fn main() {
    if std::env::args().all(|argument| argument != "--bench") || compare::only_listed() {
        println!("what checks cost is measured by `cargo bench --bench checks`");
        return;
    }
    launches();
    gathers();
}
