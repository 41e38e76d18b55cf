//! Loops in windows, as texts and as what they compute, without a GPU.

use super::pass::Pieces;
use super::plan::{Parts, Plan};
use super::planner;
use super::run::Tiles;
use super::source;
use super::text::MESSAGES;
use crate::emulator;
use crate::fake;
use crate::graph::{enqueue, pointer_to, set_value};
use crate::kernel::CudaKernel;
use crate::mailbox::SLOT;
use crate::persistent::tests::{BURGERS, Setup, int, number, part, snapshot, whole};
use crate::texts::nvrtc;
use ferrocca_core::backend::rows::{Binding, Ends, NoPlan};
use ferrocca_core::backend::{
    BackendMailbox, BackendMemory, BackendStream, GraphArgument, GraphCommand, Mail, MailMessage, MailParcel,
    NativeWork, TilingSetting, TouchedMemory,
};
use std::sync::Arc;

pub(super) type Memory = Arc<dyn BackendMemory>;

/// A loop, and all the memory that it names.
pub(super) struct Loop {
    pub(super) setup: Setup,
    pub(super) memory: Vec<Memory>,
    pub(super) phases: Vec<Vec<GraphCommand>>,
}

fn planned(phases: &[Vec<GraphCommand>], setting: TilingSetting) -> (Plan, Binding, String) {
    match planner::plan(phases, setting) {
        Ok((plan, binding)) => {
            let text = source::text(&plan).unwrap_or_else(|reason| panic!("{reason}"));
            (plan, binding, text)
        }
        Err(NoPlan::Refused(reason)) => panic!("{reason}"),
        Err(NoPlan::Fault(error)) => panic!("{error}"),
    }
}

fn refusal(phases: &[Vec<GraphCommand>], setting: TilingSetting) -> String {
    match planner::plan(phases, setting) {
        Err(NoPlan::Refused(reason)) => reason,
        Err(NoPlan::Fault(error)) => panic!("{error}"),
        Ok((plan, _)) => match source::text(&plan) {
            Err(reason) => reason,
            Ok(_) => panic!("it is not refused"),
        },
    }
}

/// What NVRTC makes of a text, where there is one.
pub(super) fn ptx(text: &str, options: &[String]) -> Option<String> {
    let nvrtc = nvrtc()?;
    let mut virtual_options = options.to_vec();
    virtual_options[0] = virtual_options[0].replace("sm_", "compute_");
    Some(nvrtc.compile_to_ptx(text, &virtual_options).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// NVRTC takes the text, and keeps the elements of a window in registers, unless a kernel does more with its numbers than to add
/// them: such a loop is not tiled then.
fn check_by_nvrtc(text: &str, options: &[String]) {
    let Some(ptx) = ptx(text, options) else { return };
    let adds_only = !text.contains("= okl_quotient<");
    assert!(!adds_only || !ptx.contains(".local"), "elements lie in memory:\n{text}");
}

impl Loop {
    /// The loop as a kernel that runs on the host, where that is possible.
    fn tiles(&self, setting: TilingSetting) -> Option<Tiles> {
        let (plan, binding, text) = planned(&self.phases, setting);
        check_by_nvrtc(&text, &plan.options);
        let entry = source::entry(&plan);
        if !emulator::load(&text, &[&entry], 0) {
            return None;
        }
        let kernel = CudaKernel::find(&self.setup.module, &entry, 0, [1 << 30; 3]).expect("it is there");
        Some(Tiles::bound(Arc::new(kernel), plan, binding))
    }

    pub(super) fn read(&self) -> Vec<Vec<u64>> {
        self.memory.iter().map(|memory| self.setup.read(memory)).collect()
    }

    pub(super) fn write(&self, bits: &[Vec<u64>]) {
        for (memory, bits) in self.memory.iter().zip(bits) {
            let bytes: Vec<u8> = bits.iter().flat_map(|value| value.to_ne_bytes()).collect();
            self.setup.stream.copy_in(&**memory, 0, &bytes).expect("it copies");
        }
    }

    pub(super) fn single(&self, phase: usize, times: u64) {
        for repetition in 0..times as usize {
            let phase = &self.phases[(phase + repetition) % self.phases.len()];
            phase.iter().for_each(|command| enqueue(command, 0, &self.setup.stream).expect("it runs"));
        }
    }

    /// Runs a pass. What runs beside something else may come before it, or after it.
    fn pass(&self, tiles: &Tiles, phase: usize, steps: u64, ends_first: bool) {
        let stream = &self.setup.stream;
        if tiles.plan().ends == Ends::Shared {
            return tiles.launch(phase, steps, stream).expect("it runs");
        }
        let pieces = Pieces::of(tiles, &self.phases, phase, steps).expect("there are enough windows");
        let copies = pieces.memory(stream.context()).expect("there is memory");
        let ends = || {
            pieces.save(&copies, stream)?;
            pieces.ends(stream)?;
            pieces.outermost(&copies, stream)
        };
        let done = match ends_first {
            true => ends().and_then(|()| pieces.beside(stream)),
            false => pieces.beside(stream).and_then(|()| ends()),
        };
        done.expect("it runs");
    }

    /// Runs replays of so many repetitions by single commands and in passes, and compares all memory bit by bit. Answers the
    /// repetitions of passes, where there is a compiler.
    fn same(&self, steps: u64, replays: &[u64]) -> Option<u64> {
        if !self.setup.run_on_host() {
            return None;
        }
        let tiles = self.tiles(TilingSetting::Steps(steps))?;
        let before = self.read();
        let (mut phase, mut passes, mut repetitions) = (0, 0, 0);
        for &times in replays {
            self.single(phase, times);
            phase += times as usize;
        }
        let expected = self.read();
        assert_ne!(expected, before);
        self.write(&before);
        let (mut phase, launched) = (0, fake::launches().len());
        for &times in replays {
            let mut left = times;
            while let Some(steps) = tiles.plan().pass(left) {
                self.pass(&tiles, phase % self.phases.len(), steps, passes % 2 == 0);
                phase += steps as usize;
                left -= steps;
                repetitions += steps;
                passes += 1;
            }
            self.single(phase, left);
            phase += left as usize;
        }
        assert!(passes > 0, "no replay has a pass");
        assert!(fake::launches().len() > launched);
        for (number, (own, expected)) in self.read().iter().zip(&expected).enumerate() {
            let differs = |(own, other): &(&u64, &u64)| own != other;
            let first = own.iter().zip(expected).position(|pair| differs(&pair));
            assert_eq!(first, None, "memory {number}, {replays:?}, {} steps a pass", tiles.plan().steps);
        }
        Some(repetitions)
    }
}

fn burgers(points: usize) -> Loop {
    let setup = Setup::of(BURGERS);
    let start: Vec<f64> = (0..points + 2).map(|i| (i as f64 * 0.1).sin() + 1.5).collect();
    let u = [setup.memory(&start), setup.memory(&vec![0.25; points + 2])];
    let groups = [(points as u64).div_ceil(256), 1, 1];
    let phase = |from: usize| {
        let arguments =
            vec![int(points as i32), number(0.01), number(0.2), whole(&u[from], false), whole(&u[1 - from], true)];
        vec![setup.launch(0, groups, [256, 1, 1], arguments)]
    };
    let phases = vec![phase(0), phase(1)];
    Loop { memory: u.to_vec(), phases, setup }
}

#[test]
fn a_time_loop_has_the_bits_of_single_launches() {
    burgers(1003).same(5, &[16, 6, 1, 7]);
}

#[test]
fn windows_of_every_width_and_a_last_one_that_overlaps() {
    // 31, 15, 7 and 23 elements a thread.
    for (points, per_thread, steps, replays) in
        [(2100, 31, 31, [32, 5]), (700, 15, 7, [8, 16]), (417, 7, 3, [4, 7]), (900, 23, 9, [12, 3])]
    {
        let burgers = burgers(points);
        let (plan, ..) = planned(&burgers.phases, TilingSetting::Steps(steps));
        assert_eq!((plan.per_thread, plan.steps), (per_thread, steps));
        burgers.same(steps, &replays);
    }
}

/// Fluxes between points, a coefficient for each, a table that all items read, walls that nobody writes, and a launch for ghosts.
const FLUXES: &str = "
@kernel void flux(const int n, const double *u, const double *k, double *f) {
  for (int i = 1; i < n; ++i; @tile(24, @outer, @inner)) { f[i] = k[i] * (u[i] - u[i - 1]); }
}
@kernel void add(const int n, const double *table, const double *u, const double *f, double *v) {
  for (int i = 1; i < n - 1; ++i; @tile(64, @outer, @inner)) { v[i] = table[2] * u[i] + table[0] * (f[i + 1] - f[i]); }
}
@kernel void ghosts(const int n, double *v, double *seen) {
  for (int i = 0; i < 1; ++i; @tile(1, @outer, @inner)) {
    v[0] = 0.5 * v[n - 2];
    seen[0] = v[1];
    seen[1] += 1;
  }
}";

fn fluxes(n: usize) -> Loop {
    let setup = Setup::of(FLUXES);
    let values = |shift: f64| (0..n).map(|i| (i as f64 * 0.07 + shift).cos() + 1.25).collect::<Vec<f64>>();
    let u = [setup.memory(&values(0.0)), setup.memory(&values(1.0))];
    let (k, f) = (setup.memory(&values(2.0)), setup.memory(&vec![0.0; n + 5]));
    let (table, seen) = (setup.memory(&[0.125, -7.0, 0.875]), setup.memory(&[0.0, 3.0]));
    let phase = |from: usize| {
        let (n, u, v) = (n as i32, &u[from], &u[1 - from]);
        let groups = |count: i32, group: i32| [(count as u64).div_ceil(group as u64), 1, 1];
        // Fluxes begin at an odd place of their memory.
        let fluxes = |mutable| part(&f, 40, (n as u64) * 8, mutable);
        vec![
            setup.launch(
                0,
                groups(n - 1, 24),
                [24, 1, 1],
                vec![int(n), whole(u, false), whole(&k, false), fluxes(true)],
            ),
            setup.launch(
                1,
                groups(n - 2, 64),
                [64, 1, 1],
                vec![int(n), whole(&table, false), whole(u, false), fluxes(false), whole(v, true)],
            ),
            setup.launch(2, [1; 3], [1; 3], vec![int(n), whole(v, true), whole(&seen, true)]),
        ]
    };
    let phases = vec![phase(0), phase(1)];
    Loop { memory: vec![u[0].clone(), u[1].clone(), k, f, table, seen], phases, setup }
}

#[test]
fn several_launches_coefficients_walls_and_ghosts() {
    let fluxes = fluxes(611);
    let (plan, ..) = planned(&fluxes.phases, TilingSetting::Steps(5));
    assert_eq!((plan.row.shrink, plan.row.last), ([1, 1], 1));
    assert_eq!(plan.row.stored(plan.steps), [4, 5]);
    fluxes.same(5, &[13, 7, 2]);
}

/// The neighbours of the ends are chosen, not ghosts; three steps a repetition.
const RING: &str = "
@kernel void step(const int n, const double c, const double *u, double *v) {
  for (int i = 0; i < n; ++i; @tile(50, @outer, @inner)) {
    const int left = (i == 0) ? n - 1 : i - 1;
    const int right = (i == n - 1) ? 0 : i + 1;
    v[i] = u[i] - c * u[i] * (u[right] - u[left]) + 0.125 * (u[right] - 2.0 * u[i] + u[left]);
  }
}";

fn ring(n: usize, launches: usize) -> Loop {
    let setup = Setup::of(RING);
    let values: Vec<f64> = (0..n).map(|i| ((i * i) % 97) as f64 / 97.0 - 0.4).collect();
    let u = [setup.memory(&values), setup.memory(&vec![0.0; n])];
    let groups = [(n as u64).div_ceil(50), 1, 1];
    let phase = |from: usize| {
        let launch = |step: usize| {
            let (from, to) = (&u[(from + step) % 2], &u[(from + step + 1) % 2]);
            setup.launch(
                0,
                groups,
                [50, 1, 1],
                vec![int(n as i32), number(0.0625), whole(from, false), whole(to, true)],
            )
        };
        (0..launches).map(launch).collect()
    };
    let phases = vec![phase(0), phase(1)];
    Loop { memory: u.to_vec(), phases, setup }
}

#[test]
fn a_wrap_that_is_chosen_and_several_steps_a_repetition() {
    ring(1003, 1).same(3, &[7, 5]);
    ring(845, 3).same(3, &[4, 8]);
}

/// The number of an item and its place in the group are in what it computes; groups are steps of a loop; walls stay as they are.
const NUMBERED: &str = "
@kernel void step(const int n, const double *u, double *v) {
  for (int b = 0; b < n; b += 50; @outer) {
    for (int i = b; i < b + 50; ++i; @inner) {
      if (i >= 3 && i < n - 3) {
        v[i] = 0.25 * (u[i - 3] + u[i + 3]) + 0.25 * (u[i - 1] - u[i + 2]) + 0.001 * (i % 7) + 0.002 * (i - b);
      }
    }
  }
}";

#[test]
fn items_may_use_their_numbers() {
    let setup = Setup::of(NUMBERED);
    let values = |shift: usize| (0..1203).map(|i| ((i * i + shift) % 97) as f64 / 97.0 - 0.4).collect::<Vec<f64>>();
    let u = [setup.memory(&values(0)), setup.memory(&values(5))];
    let phase = |from: usize| {
        let arguments = vec![int(1203), whole(&u[from], false), whole(&u[1 - from], true)];
        vec![setup.launch(0, [25, 1, 1], [50, 1, 1], arguments)]
    };
    let phases = vec![phase(0), phase(1)];
    let (plan, ..) = planned(&phases, TilingSetting::Steps(5));
    assert_eq!((plan.row.shrink, plan.row.middle.clone()), ([3, 3], 6..1197));
    Loop { memory: u.to_vec(), phases, setup }.same(5, &[13, 6]);
}

/// A copy of one value.
fn ghost(memory: &Memory, from: usize, to: usize) -> GraphCommand {
    GraphCommand::Copy {
        destination: memory.clone(),
        destination_offset: 8 * to,
        destination_stride: 0,
        source: memory.clone(),
        source_offset: 8 * from,
        bytes: 8,
    }
}

/// The loop of [`FLUXES`] whose ghosts others fill: a copy, a library, and a launch of a kernel that windows could not run.
fn messages(n: usize) -> Loop {
    let mut fluxes = fluxes(n);
    for (number, phase) in fluxes.phases.iter_mut().enumerate() {
        let own = fluxes.memory[1 - number].clone();
        let at = pointer_to(&*own, 0).expect("it is this backend's");
        let work: NativeWork = Arc::new(move |stream| {
            // SAFETY: values of this driver's memory.
            let send = move || unsafe {
                let values = at as *mut f64;
                *values.add(n - 1) = 0.25 * *values.add(1) + *values.add(2);
            };
            fake::queue(stream, send);
            Ok(())
        });
        let touched = |first: usize, count: usize, mutable| TouchedMemory {
            memory: own.clone(),
            offset: 8 * first,
            bytes: 8 * count,
            mutable,
        };
        let memory = vec![touched(1, 2, false), touched(n - 1, 1, true)];
        phase.insert(2, GraphCommand::Native { work, memory, mail: None });
        phase.push(ghost(&own, n - 3, 0));
        let end =
            GraphCommand::Fill { destination: own.clone(), offset: 8 * (n - 2), bytes: 8, pattern: vec![0x3f; 8] };
        phase.push(end);
    }
    fluxes
}

#[test]
fn what_is_short_runs_beside_the_windows_as_it_was_recorded() {
    let messages = messages(2111);
    let (plan, _, text) = planned(&messages.phases, TilingSetting::Steps(5));
    assert_eq!((plan.ends, plan.row.last, plan.row.middle.clone()), (Ends::Recorded, 1, 3..2108));
    assert!(!text.contains("okl_ends") && !text.contains("ghosts_group"), "{text}");
    messages.same(5, &[13, 7, 2]);
    messages.same(9, &[9, 31]);
    // The ends are wider than a group.
    messages.same(21, &[22, 45]);
}

#[test]
fn one_value_of_each_neighbour() {
    let Loop { setup, memory, mut phases } = burgers(3001);
    for (number, phase) in phases.iter_mut().enumerate() {
        phase.extend([(3001, 0), (1, 3002)].map(|(from, to)| ghost(&memory[1 - number], from, to)));
    }
    let burgers = Loop { setup, memory, phases };
    let (plan, _, text) = planned(&burgers.phases, TilingSetting::Steps(31));
    assert_eq!((plan.ends, text.matches(" okl_copy(okl_pieces<unsigned").count()), (Ends::Shared, 2 * 2));
    burgers.same(31, &[32, 64, 7]);
    burgers.same(3, &[4, 5]);
}

/// A mailbox in which each message that is sent is the one of the same number that is received, or none ever comes.
struct Echo {
    memory: Memory,
    is_silent: bool,
}

/// Bytes of two slots.
const SLOTS: u64 = 2 * SLOT as u64;

impl BackendMailbox for Echo {
    fn takes(&self, _: &[usize]) -> bool {
        true
    }
    fn address(&self) -> ferrocca_core::Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn connect(&self, _: usize, _: &[Vec<u8>]) -> ferrocca_core::Result<()> {
        Ok(())
    }
    fn exchange(&self, _: u64, _: &[MailMessage], _: &[MailMessage]) -> ferrocca_core::Result<()> {
        Ok(())
    }
    fn parcels(
        &self,
        sends: &[MailMessage],
        receives: &[MailMessage],
    ) -> ferrocca_core::Result<Option<Vec<MailParcel>>> {
        let base = pointer_to(&*self.memory, 0)?;
        let parcel = |is_sent: bool, (number, message): (usize, &MailMessage)| {
            let slots = base + number as u64 * (SLOTS + 256);
            let (sender, receiver) = (slots + SLOTS, slots + SLOTS + 64);
            let shift = if self.is_silent && !is_sent { 2 * (SLOTS + 256) } else { 0 };
            let (own, other) = if is_sent { (sender, receiver + 8) } else { (receiver, sender + 8) };
            let (address, bytes, ended) = (message.address, message.bytes as u64, slots + SLOTS + 128);
            MailParcel { is_sent, address, bytes, slots: slots + shift, own, other, ended }
        };
        let of = |is_sent, all: &[MailMessage]| {
            all.iter().enumerate().map(|message| parcel(is_sent, message)).collect::<Vec<_>>()
        };
        Ok(Some([of(true, sends), of(false, receives)].concat()))
    }
    fn end(&self) {}
}

/// The loop of [`BURGERS`] whose ghosts come by messages: some values of each end to behind the other one.
fn echoes(points: usize, ghosts: usize, is_silent: bool) -> (Loop, Arc<Echo>) {
    let Loop { setup, memory, mut phases } = burgers(points);
    let mailbox = Arc::new(Echo { memory: setup.memory(&vec![0.0; 4 * (SLOTS as usize + 256) / 8]), is_silent });
    for (number, phase) in phases.iter_mut().enumerate() {
        let own = memory[1 - number].clone();
        let begin = pointer_to(&*own, 0).expect("it is this backend's");
        let message =
            |first: usize, count: usize| MailMessage { other: 1, address: begin + 8 * first as u64, bytes: 8 * count };
        let sends = vec![message(points + 1 - ghosts, ghosts), message(ghosts, 1)];
        let receives = vec![message(0, ghosts), message(points + 1, 1)];
        let pairs: Vec<_> = sends.iter().copied().zip(receives.iter().copied()).collect();
        let touched = |mutable: bool, all: &[MailMessage]| {
            let of = |message: &MailMessage| TouchedMemory {
                memory: own.clone(),
                offset: (message.address - begin) as usize,
                bytes: message.bytes,
                mutable,
            };
            all.iter().map(of).collect::<Vec<_>>()
        };
        let memory = [touched(false, &sends), touched(true, &receives)].concat();
        let work: NativeWork = Arc::new(move |stream| {
            for (from, to) in pairs.clone() {
                // SAFETY: values of this driver's memory.
                let copy = move || unsafe {
                    std::ptr::copy(from.address as *const u8, to.address as *mut u8, from.bytes);
                };
                fake::queue(stream, copy);
            }
            Ok(())
        });
        let mail = Some(Mail { mailbox: mailbox.clone(), sends, receives });
        phase.push(GraphCommand::Native { work, memory, mail });
    }
    (Loop { setup, memory, phases }, mailbox)
}

#[test]
fn the_block_of_the_ends_sends_and_receives() {
    for (points, ghosts, steps, replays) in [(2500, 1, 31, [32, 64, 7]), (1700, 3, 5, [4, 5, 18])] {
        let (echoes, mailbox) = echoes(points, ghosts, false);
        let (plan, binding, text) = planned(&echoes.phases, TilingSetting::Steps(steps));
        assert_eq!((plan.ends, plan.messages, binding.messages.len()), (Ends::Shared, 4, 4));
        assert_eq!(text.matches("if (okl_send(").count(), 2 * 2);
        let Some(repetitions) = echoes.same(steps, &replays) else { continue };
        // What was sent and acknowledged, and what was received, of each message.
        let words = echoes.setup.read(&mailbox.memory);
        for control in [0, 1].map(|message| (message + 1) * SLOTS as usize / 8 + message * 256 / 8) {
            assert_eq!([1, 2, 8 + 3].map(|word| words[control + word]), [repetitions; 3]);
        }
    }
}

#[test]
fn nobody_waits_for_what_was_ended() {
    let (echoes, mailbox) = echoes(1700, 1, true);
    let Some(tiles) = echoes.tiles(TilingSetting::Steps(5)) else { return };
    for message in [0, 1] {
        let ended = (message + 1) * SLOTS + message * 256 + 128;
        echoes.setup.stream.copy_in(&*mailbox.memory, ended as usize, &1_u64.to_ne_bytes()).expect("it copies");
    }
    echoes.pass(&tiles, 0, 5, false);
    // Both were sent once; nothing was received.
    let words = echoes.setup.read(&mailbox.memory);
    let control = |message: usize| (message + 1) * SLOTS as usize / 8 + message * 256 / 8;
    assert_eq!([0, 1].map(|message| [words[control(message) + 2], words[control(message) + 8 + 3]]), [[1, 0]; 2]);
}

#[test]
fn the_text_knows_how_large_a_slot_is() {
    assert!(MESSAGES.contains(&format!("number % 2 * {SLOT} ")));
}

#[test]
fn the_ends_have_as_many_groups_as_a_pass_needs() {
    let mut phases = burgers(9000).phases;
    let GraphCommand::Launch { arguments, .. } = &phases[0][0] else { panic!("a launch") };
    let [.., GraphArgument::Memory { memory: Some(from), .. }, GraphArgument::Memory { memory: Some(to), .. }] =
        &arguments[..]
    else {
        panic!("two fields")
    };
    let own = [to.clone(), from.clone()];
    phases.iter_mut().zip(&own).for_each(|(phase, memory)| phase.push(ghost(memory, 1, 9001)));
    let (plan, ..) = planned(&phases, TilingSetting::Steps(31));
    assert_eq!((plan.row.middle.clone(), plan.window(), plan.windows(31)), (3..8999, 992, 10));
    // 62 points beside the middle at each end, in groups of 256: windows between elements 257 and 8,705 touch nothing of these.
    let parts = plan.parts(31).expect("there are enough windows");
    let groups = vec![Some([0..1, 34..36]), None];
    let saved = [3..995, 7443..8999];
    assert_eq!(parts, Parts { groups, beside: 1..8, windows: 10, saved });
    assert_eq!(planned(&phases, TilingSetting::Steps(3)).0.parts(3).map(|parts| parts.beside), Some(1..8));
}

#[test]
fn values_can_be_replaced_and_sizes_make_it_anew() {
    let mut burgers = burgers(500);
    if !burgers.setup.run_on_host() {
        return;
    }
    let Some(mut tiles) = burgers.tiles(TilingSetting::Steps(3)) else { return };
    let before = burgers.read();
    assert!(tiles.set_value(0, 2, &0.05_f64.to_ne_bytes()));
    tiles.launch(0, 3, &burgers.setup.stream).expect("it runs");
    let own = burgers.setup.read(&burgers.memory[1]);
    burgers.write(&before);
    set_value(&mut burgers.phases, 0, 2, &0.05_f64.to_ne_bytes()).expect("it is a value");
    burgers.single(0, 3);
    assert!(own == burgers.setup.read(&burgers.memory[1]));
    assert!(!tiles.set_value(0, 0, &499_i32.to_ne_bytes()), "a constant of the text");
}

#[test]
fn the_text_does_not_depend_on_addresses() {
    let text = |of: &Loop| planned(&of.phases, TilingSetting::Auto).2;
    assert_eq!(text(&burgers(9000)), text(&burgers(9000)));
    assert_ne!(text(&burgers(9000)), text(&burgers(9001)));
}

#[test]
fn passes_leave_the_last_repetition_and_keep_the_roles() {
    let (plan, ..) = planned(&burgers(40_000).phases, TilingSetting::Auto);
    assert_eq!((plan.per_thread, plan.steps, plan.row.last), (31, 31, 1));
    assert_eq!(plan.row.stored(plan.steps), [1]);
    let passes: Vec<_> = [1, 3, 4, 5, 31, 32, 33, 1000].map(|left| plan.pass(left)).into();
    assert_eq!(passes, [None, None, Some(3), Some(3), Some(29), Some(31), Some(31), Some(31)]);
    assert_eq!(plan.windows(31), 43);
}

#[test]
fn what_cannot_be_tiled_is_refused_with_the_reason() {
    let Loop { setup, memory: u, phases } = burgers(40_000);
    let step = &phases[0][0];
    let auto = |phases: &[Vec<GraphCommand>]| refusal(phases, TilingSetting::Auto);
    assert!(auto(&[vec![step.clone(), snapshot(&u[1], &u[0])]]).contains("a snapshot of each repetition"));
    let back = vec![step.clone(), phases[1][0].clone()];
    assert!(auto(&[back]).contains("write buffers that its windows still read"));
    assert!(auto(&burgers(1500).phases).contains("windows do not fit"));
    let contracted = Setup::with_options(BURGERS, &crate::compile::base_options("sm_90", true));
    let arguments = vec![int(40_000), number(0.01), number(0.2), whole(&u[0], false), whole(&u[1], true)];
    let launch = contracted.launch(0, [157, 1, 1], [256, 1, 1], arguments);
    assert!(auto(&[vec![launch]]).contains("--fmad=true"));
    drop(setup);

    let of = |source: &str, group: u64| {
        let setup = Setup::of(source);
        let u = [0, 1].map(|_| setup.memory(&vec![1.0; 40_000]));
        let phase = |from: usize| {
            let arguments = vec![int(40_000), whole(&u[from], false), whole(&u[1 - from], true)];
            vec![setup.launch(0, [40_000 / group, 1, 1], [group, 1, 1], arguments)]
        };
        auto(&[phase(0), phase(1)])
    };
    let kernel = |body: &str| {
        format!(
            "@kernel void k(const int n, const double *u, double *v) {{
               for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {{ {body} }}
             }}"
        )
    };
    let refused = [
        ("if (u[i] > 0) v[i] = 1;", "may depend on data"),
        ("v[n - 1 - i] = u[i];", "do not touch neighbouring elements"),
        ("v[i] = u[i] + u[0];", "do not touch neighbouring elements"),
        ("double s = u[i]; while (s > 2) { s *= 0.5; } v[i] = s;", "has a loop"),
        ("if (i >= 40 && i < n - 40) v[i] = u[i - 40] + u[i + 40];", "windows do not fit"),
    ];
    for (body, reason) in refused {
        let said = of(&kernel(body), 32);
        assert!(said.contains(reason), "{body}: {said}");
    }
    let shared = "@kernel void k(const int n, const double *u, double *v) {
      for (int b = 0; b < n; b += 32; @outer) {
        @shared double s[32];
        for (int i = 0; i < 32; ++i; @inner) { s[i] = u[b + i]; }
        for (int i = 0; i < 32; ++i; @inner) { v[b + i] = s[31 - i]; }
      }
    }";
    assert!(of(shared, 32).contains("share memory"));
}
