//! Persistent loops, as texts and as what they compute, without a GPU.

use super::{PersistentLoop, plan, source};
use crate::artifact::Parts;
use crate::compile::base_options;
use crate::context::Context;
use crate::graph::enqueue;
use crate::kernel::{CudaKernel, Module};
use crate::memory::CudaMemory;
use crate::stream::CudaStream;
use crate::texts::{filetests, nvrtc};
use crate::{emulator, fake};
use ferrocca_core::backend::rows::NoPlan;
use ferrocca_core::backend::{
    BackendMemory, BackendStream, GraphArgument, GraphCommand, GraphReplay, LaunchDims, LaunchFootprint, Placement,
};
use okl::back::cuda::{CudaTarget, LaunchHints};
use okl::signature::{NestArgument, NestSignature};
use okl::value::ScalarValue;
use okl::{NoIncludes, Request};
use std::sync::{Arc, OnceLock};

const LIMIT: u64 = 227 << 10;

/// A device of the fake driver and a source's kernels on it.
pub(crate) struct Setup {
    context: Arc<Context>,
    pub(crate) stream: CudaStream,
    pub(crate) module: Arc<Module>,
    nests: Vec<NestSignature>,
}

impl Setup {
    pub(crate) fn of(source: &str) -> Self {
        Self::with_options(source, &base_options("sm_90", false))
    }

    pub(crate) fn with_options(source: &str, options: &[String]) -> Self {
        let request = Request { name: "test.okl", source, mode: "CUDA", defines: &[], includes: &NoIncludes };
        let compiled = okl::compile(&request, &CudaTarget).unwrap_or_else(|errors| panic!("{errors}"));
        let cubin = [b"\x7fELF".as_slice(), &[0; 100]].concat();
        let artifact = Parts { cubin: &cubin, options: &options.join("\n"), text: &compiled.text }.join();
        let context = Context::retain(fake::driver().expect("there is one"), 0).expect("a context");
        let stream = CudaStream::create(&context, true).expect("a stream");
        let module = Module::load(&context, &artifact).expect("it loads");
        let nests = compiled.signatures.into_iter().flat_map(|signature| signature.nests).collect();
        Self { context, stream, module, nests }
    }

    /// Lets single launches of its kernels run on the host.
    pub(crate) fn run_on_host(&self) -> bool {
        let entries: Vec<&str> = self.nests.iter().map(|nest| nest.entry.as_str()).collect();
        emulator::load(self.module.text(), &entries, 0)
    }

    pub(crate) fn memory(&self, values: &[f64]) -> Arc<dyn BackendMemory> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let memory = CudaMemory::allocate(&self.context, &OnceLock::new(), bytes.len(), Placement::Device);
        let memory: Arc<dyn BackendMemory> = Arc::new(memory.expect("there is memory"));
        self.stream.copy_in(&*memory, 0, &bytes).expect("it copies");
        memory
    }

    pub(crate) fn read(&self, memory: &Arc<dyn BackendMemory>) -> Vec<u64> {
        let mut bytes = vec![0; memory.bytes()];
        self.stream.copy_out(&**memory, 0, &mut bytes).expect("it copies");
        bytes.as_chunks().0.iter().map(|value| u64::from_ne_bytes(*value)).collect()
    }

    pub(crate) fn launch(
        &self,
        nest: usize,
        outer: [u64; 3],
        inner: [u64; 3],
        arguments: Vec<GraphArgument>,
    ) -> GraphCommand {
        let nest = &self.nests[nest];
        let kernel = CudaKernel::find(&self.module, &nest.entry, 0, [1 << 30; 3]).expect("it is there");
        let footprint = footprint(nest, outer, inner, &arguments);
        let (kernel, nest) = (Arc::new(kernel), Arc::new(nest.clone()));
        GraphCommand::Launch { kernel, nest, dims: LaunchDims { outer, inner }, arguments, footprint }
    }

    /// A launch of a nest that takes some of its kernel's parameters, which are all given.
    pub(crate) fn launch_some(
        &self,
        nest: usize,
        outer: [u64; 3],
        inner: [u64; 3],
        params: &[GraphArgument],
    ) -> GraphCommand {
        let taken: Vec<usize> = self.nests[nest]
            .arguments
            .iter()
            .map(|argument| match argument {
                NestArgument::Param(param) => *param as usize,
                NestArgument::Slot(_) => panic!("the host computes it"),
            })
            .collect();
        let arguments = taken.iter().map(|&param| params[param].clone()).collect();
        let mut footprint = footprint(&self.nests[nest], outer, inner, params).expect("it is known");
        for span in Arc::make_mut(&mut footprint).boxes.iter_mut().flatten() {
            span.param = taken.iter().position(|&param| param == span.param as usize).expect("it is one") as u32;
        }
        let mut launch = self.launch(nest, outer, inner, arguments);
        if let GraphCommand::Launch { footprint: own, .. } = &mut launch {
            *own = Ok(footprint);
        }
        launch
    }

    /// The loop of these phases, which runs on the host where that is possible.
    fn persistent(&self, phases: &[Vec<GraphCommand>]) -> Option<PersistentLoop> {
        let (plan, binding) = plan::plan(phases, LIMIT, false).expect("it fits");
        let (text, entry) = (source::text(&plan), source::entry(&plan));
        check_by_nvrtc(&text, &plan.options);
        if !emulator::load(&text, &[&entry], plan.dynamic_bytes) {
            return None;
        }
        let kernel = CudaKernel::find(&self.module, &entry, plan.dynamic_bytes, [1 << 30; 3]).expect("it is there");
        Some(PersistentLoop::bound(Arc::new(kernel), plan, binding))
    }

    fn refusal(&self, phases: &[Vec<GraphCommand>], limit: u64) -> String {
        match plan::plan(phases, limit, false) {
            Err(NoPlan::Refused(reason)) => reason,
            Err(NoPlan::Fault(error)) => panic!("{error}"),
            Ok(_) => panic!("it is not refused"),
        }
    }
}

/// What core tells of a launch whose values of four bytes are integers.
fn footprint(nest: &NestSignature, outer: [u64; 3], inner: [u64; 3], arguments: &[GraphArgument]) -> LaunchFootprint {
    let scalar = |argument: &GraphArgument| match argument {
        GraphArgument::Value(bytes) if bytes.len() == 4 => {
            Some(ScalarValue::I32(i32::from_ne_bytes(bytes[..].try_into().expect("four bytes"))))
        }
        _ => None,
    };
    let scalars: Vec<Option<ScalarValue>> = arguments.iter().map(scalar).collect();
    let found = nest.bounds.footprint(&scalars[..], &[], outer, inner);
    found.map(Arc::new).map_err(|param| format!("parameter {param:?} is not known").into())
}

pub(crate) fn int(value: i32) -> GraphArgument {
    GraphArgument::Value(value.to_ne_bytes().to_vec())
}

pub(crate) fn number(value: f64) -> GraphArgument {
    GraphArgument::Value(value.to_ne_bytes().to_vec())
}

pub(crate) fn part(memory: &Arc<dyn BackendMemory>, offset_bytes: u64, bytes: u64, mutable: bool) -> GraphArgument {
    GraphArgument::Memory { memory: Some(memory.clone()), offset_bytes, bytes, element_bytes: 8, mutable }
}

pub(crate) fn whole(memory: &Arc<dyn BackendMemory>, mutable: bool) -> GraphArgument {
    part(memory, 0, memory.bytes() as u64, mutable)
}

pub(crate) fn snapshot(source: &Arc<dyn BackendMemory>, ring: &Arc<dyn BackendMemory>) -> GraphCommand {
    GraphCommand::Copy {
        destination: ring.clone(),
        destination_offset: 0,
        destination_stride: source.bytes(),
        source: source.clone(),
        source_offset: 0,
        bytes: source.bytes(),
    }
}

/// NVRTC takes the text, and reads the state by instructions for shared memory alone.
fn check_by_nvrtc(text: &str, options: &[String]) {
    let Some(nvrtc) = nvrtc() else { return };
    nvrtc.compile(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut virtual_options = options.to_vec();
    virtual_options[0] = virtual_options[0].replace("sm_", "compute_");
    let ptx = nvrtc.compile_to_ptx(text, &virtual_options).expect("it compiled before");
    assert!(ptx.contains("ld.shared") && ptx.contains("st.shared"), "{ptx}");
    let is_generic = |line: &&str| {
        let line = line.trim_start().trim_start_matches(['@', '!', '%']).trim_start();
        let word = line.split_whitespace().find(|word| word.starts_with("ld.") || word.starts_with("st."));
        word.is_some_and(|word| ![".shared", ".param", ".global", ".local", ".const"].iter().any(|s| word.contains(s)))
    };
    let generic: Vec<&str> = ptx.lines().filter(is_generic).collect();
    assert!(generic.is_empty(), "accesses whose memory is found when they run: {generic:#?}\n{text}");
}

pub(crate) const BURGERS: &str = include_str!("../../../burgers/kernels/burgers.okl");

/// The loop of the Burgers solver, with a snapshot of each step.
struct Burgers {
    setup: Setup,
    u: [Arc<dyn BackendMemory>; 2],
    ring: Arc<dyn BackendMemory>,
    phases: Vec<Vec<GraphCommand>>,
}

fn burgers(points: usize, slots: usize) -> Burgers {
    let setup = Setup::of(BURGERS);
    let start: Vec<f64> = (0..points + 2).map(|i| (i as f64 * 0.1).sin() + 1.5).collect();
    let u = [setup.memory(&start), setup.memory(&vec![0.0; points + 2])];
    let ring = setup.memory(&vec![-1.0; slots * (points + 2)]);
    let groups = [(points as u64).div_ceil(256), 1, 1];
    let phase = |from: usize| {
        let arguments =
            vec![int(points as i32), number(0.01), number(0.2), whole(&u[from], false), whole(&u[1 - from], true)];
        vec![setup.launch(0, groups, [256, 1, 1], arguments), snapshot(&u[1 - from], &ring)]
    };
    let phases = vec![phase(0), phase(1)];
    Burgers { phases, u, ring, setup }
}

/// Runs a replay by single commands and as one kernel, and compares all memory bit by bit.
fn same(burgers: Burgers, replays: &[(usize, u64, u64)]) {
    let Burgers { setup, u, ring, phases } = burgers;
    if !setup.run_on_host() {
        return;
    }
    let memory = [&u[0], &u[1], &ring];
    let before = memory.map(|memory| setup.read(memory));
    for &(first_phase, first_slot, times) in replays {
        for repetition in 0..times {
            let phase = &phases[(first_phase + repetition as usize) % 2];
            phase.iter().for_each(|c| enqueue(c, first_slot + repetition, &setup.stream).expect("it runs"));
        }
    }
    let expected = memory.map(|memory| setup.read(memory));
    assert_ne!(expected, before);
    for (memory, bits) in memory.iter().zip(&before) {
        let bytes: Vec<u8> = bits.iter().flat_map(|value| value.to_ne_bytes()).collect();
        setup.stream.copy_in(&***memory, 0, &bytes).expect("it copies");
    }
    let launches = fake::launches().len();
    let Some(mut persistent) = setup.persistent(&phases) else { return };
    for &(first_phase, first_slot, times) in replays {
        let replay = GraphReplay { first_phase, first_slot, times };
        assert!(persistent.can_run(replay));
        persistent.launch(replay, phases.len(), &setup.stream).expect("it runs");
    }
    assert_eq!(fake::launches().len() - launches, replays.len(), "a replay is one launch");
    assert!(memory.map(|memory| setup.read(memory)) == expected, "{replays:?}");
}

#[test]
fn a_time_loop_has_the_bits_of_single_launches() {
    same(burgers(256, 12), &[(0, 0, 5), (1, 5, 4), (1, 9, 1), (0, 10, 2)]);
}

#[test]
fn more_items_than_threads_and_a_rest() {
    same(burgers(1250, 4), &[(0, 0, 3), (1, 3, 1)]);
}

#[test]
fn values_can_be_replaced() {
    let Burgers { setup, u, ring: _, phases } = burgers(100, 1);
    let Some(mut persistent) = setup.persistent(&phases) else { return };
    let once = GraphReplay { first_phase: 0, first_slot: 0, times: 1 };
    persistent.launch(once, 2, &setup.stream).expect("it runs");
    let before = setup.read(&u[1]);
    persistent.set_value(0, 2, &0.0_f64.to_ne_bytes());
    persistent.launch(once, 2, &setup.stream).expect("it runs");
    assert_ne!(setup.read(&u[1]), before, "without viscosity the step is another one");
}

const BARRIERS: &str = "
struct Factor { double a; int count; };
@kernel void smooth(const Factor factor, const double *u, double *v) {
  for (int g = 0; g < 3; ++g; @outer) {
    @shared double tile[8];
    @exclusive double own;
    for (int i = 0; i < 8; ++i; @inner) { own = u[8 * g + i]; tile[i] = own; }
    for (int i = 0; i < 8; ++i; @inner) { v[8 * g + i] = factor.a * (tile[7 - i] + factor.count * own); }
  }
}
@kernel void add(const int n, const double *shift, double *v) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) { v[i] += shift[i % 2]; }
}";

/// Groups with barriers, slices at odd places, copies, fills, a struct and a buffer that is only read.
fn with_barriers(setup: &Setup, memory: &[Arc<dyn BackendMemory>; 4]) -> Vec<Vec<GraphCommand>> {
    let [u, v, shift, w] = memory;
    let factor = [0.25_f64.to_ne_bytes(), 3_u64.to_ne_bytes()].concat();
    vec![vec![
        setup.launch(0, [3, 1, 1], [8, 1, 1], vec![GraphArgument::Value(factor), whole(u, false), whole(v, true)]),
        setup.launch(1, [5, 1, 1], [4, 1, 1], vec![int(19), whole(shift, false), part(v, 24, 21 * 8, true)]),
        GraphCommand::Copy {
            destination: u.clone(),
            destination_offset: 8,
            destination_stride: 0,
            source: v.clone(),
            source_offset: 16,
            bytes: 20 * 8,
        },
        GraphCommand::Fill { destination: w.clone(), offset: 8, bytes: 24, pattern: 1.5_f64.to_ne_bytes().to_vec() },
        GraphCommand::Fill { destination: w.clone(), offset: 33, bytes: 9, pattern: vec![1, 2, 3] },
        GraphCommand::Fill { destination: w.clone(), offset: 48, bytes: 16, pattern: (10..26).collect() },
    ]]
}

#[test]
fn groups_with_barriers_copies_and_fills() {
    let setup = Setup::of(BARRIERS);
    let values: Vec<f64> = (0..24).map(|i| f64::from(i) * 0.7 - 3.0).collect();
    let memory = || [setup.memory(&values), setup.memory(&values), setup.memory(&[0.5, 0.25]), setup.memory(&[0.0; 8])];
    let (single, looped) = (memory(), memory());
    if !setup.run_on_host() {
        return;
    }
    let phases = with_barriers(&setup, &single);
    for _ in 0..4 {
        phases[0].iter().for_each(|command| enqueue(command, 0, &setup.stream).expect("it runs"));
    }
    let Some(mut persistent) = setup.persistent(&with_barriers(&setup, &looped)) else { return };
    let replay = GraphReplay { first_phase: 0, first_slot: 0, times: 4 };
    persistent.launch(replay, 1, &setup.stream).expect("it runs");
    for (one, other) in single.iter().zip(&looped) {
        assert_eq!(setup.read(one), setup.read(other));
    }
}

#[test]
fn a_slice_of_no_elements_has_no_place_in_the_state() {
    let setup = Setup::of(BARRIERS);
    let values = [1.0, 2.0, 3.0, 4.0];
    // The lower address is that of the empty slices, so that no piece of the state lies before them.
    let memory = || {
        let mut both = [setup.memory(&values), setup.memory(&values)];
        both.sort_by_key(|memory| memory.handle().raw());
        both
    };
    let nothing = |memory: &Arc<dyn BackendMemory>| {
        let empty = |offset, mutable| part(memory, offset, 0, mutable);
        setup.launch(1, [1; 3], [4, 1, 1], vec![int(0), empty(0, false), empty(8, true)])
    };
    let phases = |[low, high]: &[Arc<dyn BackendMemory>; 2]| {
        let work = setup.launch(1, [1; 3], [4, 1, 1], vec![int(2), part(high, 16, 16, false), part(high, 0, 16, true)]);
        vec![vec![nothing(low), work]]
    };
    let (single, looped) = (memory(), memory());
    if !setup.run_on_host() {
        return;
    }
    for command in &phases(&single)[0] {
        enqueue(command, 0, &setup.stream).expect("it runs");
    }
    let Some(mut persistent) = setup.persistent(&phases(&looped)) else { return };
    let once = GraphReplay { first_phase: 0, first_slot: 0, times: 1 };
    persistent.launch(once, 1, &setup.stream).expect("it runs");
    for (one, other) in single.iter().zip(&looped) {
        assert_eq!(setup.read(one), setup.read(other));
    }
    let (plan, _) = plan::plan(&[vec![nothing(&looped[0])]], LIMIT, false).expect("it fits");
    assert!(
        plan.segments.is_empty() && source::text(&plan).contains("okl_pointer{nullptr}"),
        "there is no state at all"
    );
}

#[test]
fn a_state_beyond_what_a_text_may_declare_is_given_by_the_launch() {
    // Wide values that few items touch: the rest of the state comes and goes with them.
    let setup = Setup::of(BARRIERS);
    let long: Vec<f64> = (0..8000).map(f64::from).collect();
    let memory = || [setup.memory(&long), setup.memory(&[0.5, 0.25])];
    let phases = |[v, shift]: &[Arc<dyn BackendMemory>; 2]| {
        vec![vec![setup.launch(1, [5, 1, 1], [4, 1, 1], vec![int(19), whole(shift, false), whole(v, true)])]]
    };
    let (single, looped) = (memory(), memory());
    let (plan, _) = plan::plan(&phases(&looped), LIMIT, false).expect("it fits");
    assert!(!plan.is_static && plan.dynamic_bytes == 64_016, "{}", plan.dynamic_bytes);
    if !setup.run_on_host() {
        return;
    }
    (0..3).for_each(|_| enqueue(&phases(&single)[0][0], 0, &setup.stream).expect("it runs"));
    let Some(mut persistent) = setup.persistent(&phases(&looped)) else { return };
    let replay = GraphReplay { first_phase: 0, first_slot: 0, times: 3 };
    persistent.launch(replay, 1, &setup.stream).expect("it runs");
    assert_eq!(setup.read(&single[0]), setup.read(&looped[0]));
}

#[test]
fn the_text_does_not_depend_on_addresses() {
    let text = |burgers: &Burgers| source::text(&plan::plan(&burgers.phases, LIMIT, false).expect("it fits").0);
    let (one, other) = (burgers(200, 3), burgers(200, 3));
    assert_eq!(text(&one), text(&other));
    assert_ne!(text(&one), text(&burgers(201, 3)));
}

#[test]
fn barriers_stand_only_where_they_are_needed() {
    let (plan, _) = plan::plan(&burgers(200, 3).phases, LIMIT, false).expect("it fits");
    let barriers: Vec<Vec<bool>> =
        plan.phases.iter().map(|phase| phase.iter().map(|step| step.barrier_after).collect()).collect();
    // Behind each step, whose result the snapshot reads; the next step writes what nobody reads any more.
    assert_eq!(barriers, [vec![true, false], vec![true, false]]);
    assert_eq!(plan.written.len(), 2);
    assert_eq!(plan.threads, 256);
}

#[test]
fn what_one_block_cannot_run_is_refused_with_the_reason() {
    let Burgers { setup, u, phases, .. } = burgers(256, 1);
    let refused = setup.refusal(&phases, 4000);
    assert!(refused.contains("4128 bytes of shared memory, a block has 4000"), "{refused}");
    let long = burgers(4000, 1).phases;
    let refused = setup.refusal(&long, LIMIT);
    assert!(refused.contains("`burgers_step_0` makes some"), "{refused}");
    assert!(plan::plan(&long, LIMIT, true).is_ok(), "it fits, and may be slower");
    let contracted = Setup::with_options(BURGERS, &base_options("sm_90", true));
    let arguments = vec![int(10), number(0.01), number(0.2), whole(&u[0], false), whole(&u[1], true)];
    let refused = setup.refusal(&[vec![contracted.launch(0, [1; 3], [256, 1, 1], arguments)]], LIMIT);
    assert!(refused.contains("--fmad=true"), "{refused}");
    let overlapping = GraphCommand::Copy {
        destination: u[0].clone(),
        destination_offset: 0,
        destination_stride: 0,
        source: u[0].clone(),
        source_offset: 8,
        bytes: 80,
    };
    let one = phases[0][0].clone();
    assert!(setup.refusal(&[vec![one, overlapping.clone()]], LIMIT).contains("overlap"));
    assert!(setup.refusal(&[vec![overlapping]], LIMIT).contains("no kernel"));
    let many = vec![phases.concat(); 10].concat();
    assert!(setup.refusal(&[many], LIMIT).contains("40 commands"));
}

#[test]
fn a_ring_that_the_loop_reads_is_left_to_the_graph() {
    let Burgers { setup, u, ring, phases } = burgers(64, 2);
    let with = |snapshots: &[GraphCommand]| vec![[&phases[0][..1], snapshots].concat()];
    let at = |first_slot| GraphReplay { first_phase: 0, first_slot, times: 1 };
    let Some(twice) = setup.persistent(&with(&[snapshot(&u[0], &ring), snapshot(&u[1], &ring)])) else { return };
    assert!(!twice.can_run(at(0)), "both write one slot");
    let Some(own) = setup.persistent(&with(&[snapshot(&u[0], &u[1])])) else { return };
    assert!(!own.can_run(at(0)), "the ring is the state");
    assert!(own.can_run(at(1)), "the next slot lies behind it");
}

#[test]
fn blocks_of_two_groups_compute_what_single_ones_do() {
    let setup = Setup::of(
        "@kernel void smooth(const int n, const double *x, double *y) {
           for (int i = 1; i < n - 1; ++i; @tile(4, @outer, @inner)) {
             const double here = x[i];
             y[i] += 0.25 * (x[i - 1] - 2 * here + x[i + 1]);
             if (i == 1) y[0] = here;
           }
         }",
    );
    let nest = setup.nests[0].clone();
    let hints: LaunchHints = nest.hints.read().expect("CUDA's hints");
    let coarsened = hints.coarsened.as_deref().expect("it only moves data");
    let entries = [nest.entry.as_str(), coarsened];
    if !emulator::load(setup.module.text(), &entries, 0) {
        return;
    }
    // Odd and even numbers of groups, the last one full, in part and barely begun; one grid and several.
    for (len, max_grid) in [(6, 1 << 30), (7, 1 << 30), (10, 1 << 30), (11, 1 << 30), (40, 1 << 30), (41, 3), (42, 3)] {
        let values: Vec<f64> = (0..len).map(|i| f64::from(i * i % 17)).collect();
        let (x, outer) = (setup.memory(&values), (len as u64 - 2).div_ceil(4));
        let mut results = Vec::new();
        for is_coarsened in [false, true] {
            let kernel = CudaKernel::find(&setup.module, &nest.entry, 0, [max_grid; 3]).expect("it is there");
            let kernel = if is_coarsened { kernel.with_coarsened(coarsened, 0).expect("it is there") } else { kernel };
            let y = setup.memory(&values);
            let arguments = vec![int(len), whole(&x, false), whole(&y, true)];
            let dims = LaunchDims { outer: [outer, 1, 1], inner: [4, 1, 1] };
            let command = GraphCommand::Launch {
                kernel: Arc::new(kernel),
                nest: Arc::new(nest.clone()),
                dims,
                arguments,
                footprint: Err("nobody asks".into()),
            };
            enqueue(&command, 0, &setup.stream).expect("it runs");
            results.push(setup.read(&y));
        }
        assert_eq!(results[0], results[1], "{len} values, grids of {max_grid} groups");
        assert_ne!(results[0], setup.read(&x), "the kernel ran");
    }
    let launched = fake::launches().into_iter().filter(|launch| launch.kernel == coarsened);
    assert!(
        launched.map(|launch| launch.grid[0]).eq([1, 1, 2, 5, 2, 2, 2, 1, 2, 2, 2, 1]),
        "half as many blocks; a single group is not coarsened"
    );
}

#[test]
fn every_text_that_the_compiler_emits_can_stand_beside_others() {
    let texts = filetests();
    assert!(texts.len() > 40, "there are {} texts", texts.len());
    let text = source::namespaces(texts.iter().map(|(_, text)| text.as_str()));
    assert!(!text.contains("__global__") && !text.contains("extern \"C\""), "an entry is still one");
    let Some(nvrtc) = nvrtc() else { return };
    nvrtc.compile(&text, &base_options("sm_90", false)).unwrap_or_else(|error| panic!("{error}"));
}
