//! Fields that a hook keeps without a copy while the solver goes on in other memory.

use super::{bits, devices, support};
use burgers::{Config, RunOptions, Solver};
use ferrocca::insitu::{Control, Frame, Hook};
use ferrocca::{AnyMemory, Device};

/// Keeps every few fields without a copy, and lets the oldest go.
struct Keeping {
    every: u64,
    kept: Vec<(u64, AnyMemory)>,
    bits: Vec<(u64, Vec<u64>)>,
}

impl Keeping {
    fn let_go(&mut self, most: usize) {
        for (step, memory) in self.kept.drain(..self.kept.len().saturating_sub(most)) {
            let mut values = vec![0.0; memory.len()];
            memory.typed::<f64>().unwrap().copy_to(&mut values).unwrap();
            self.bits.push((step, bits(&values)));
        }
    }
}

impl Hook for Keeping {
    fn due(&mut self, step: u64, _time: f64) -> bool {
        step.is_multiple_of(self.every)
    }

    fn only_looks(&self) -> bool {
        true
    }

    fn step(&mut self, frame: &Frame<'_>) -> ferrocca::Result<Control> {
        let memory = frame.fields[0].keep().expect("the hook only looks");
        self.kept.push((frame.step, memory));
        self.let_go(3);
        Ok(Control::Continue)
    }
}

#[test]
fn a_field_that_a_hook_keeps_stays_as_it_is_and_the_steps_have_the_same_bits() {
    if !support::has_c_compiler() {
        return;
    }
    let config = Config { final_time: 0.1, ..Config::default() };
    let mut expected = Vec::new();
    let mut alone = Solver::new(&Device::open("mode=Serial").unwrap(), config.clone()).unwrap();
    while alone.time() < config.end() {
        alone.step().unwrap();
        expected.push(bits(&alone.u_to_vec().unwrap()));
    }
    for device in devices() {
        let device = Device::open(device).unwrap();
        for every in [1, 2, 3, 10, 33] {
            let mut solver = Solver::new(&device, config.clone()).unwrap();
            let mut hook = Keeping { every, kept: Vec::new(), bits: Vec::new() };
            solver.run(&mut hook, RunOptions::default()).unwrap();
            assert_eq!(bits(&solver.u_to_vec().unwrap()), expected[expected.len() - 1]);
            solver.steps(5).unwrap();
            hook.let_go(0);
            assert_eq!(hook.bits.len() as u64, 100 / every);
            for (step, bits) in hook.bits {
                assert_eq!(bits, expected[step as usize - 1], "step {step}, every {every} on {}", device.mode());
            }
        }
    }
}
