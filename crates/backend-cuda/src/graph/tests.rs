//! Graphs on a driver that captures and replays copies and fills.

use super::*;
use crate::artifact::Parts;
use crate::compile::Compiler;
use crate::context::Context;
use crate::driver::Code;
use crate::fake;
use crate::kernel::Module;
use ferrocca_core::backend::NativeWork;

/// A loop that fills `v` with bytes, copies parts of two buffers that swap roles, and keeps each repetition in a slot.
struct Setup {
    internal: Arc<InternalKernels>,
    stream: CudaStream,
    memory: [Arc<dyn BackendMemory>; 3],
}

const LEN: usize = 16;

impl Setup {
    fn new(slots: usize) -> Self {
        let context = Context::retain(fake::driver().expect("there is one"), 0).expect("a context");
        let architecture = "sm_90".to_owned();
        let compiler = Compiler { named: None, driver: (13, 0), architecture, max_shared_bytes: 0 };
        let internal = InternalKernels::new(compiler, [1 << 30; 3], Default::default(), None, context.clone());
        // What NVRTC would compile is known to the driver by its name.
        let cubin = [b"\x7fELF".as_slice(), &[0; 100]].concat();
        let module = Module::load(&context, &Parts { cubin: &cubin, options: "", text: "" }.join()).expect("it loads");
        let kernel = CudaKernel::find(&module, "okl_copy_to_slot", 0, [1 << 30; 3]).expect("it is there");
        internal.put_copy_to_slot(Arc::new(kernel));
        let stream = CudaStream::create(&context, true).expect("a stream");
        let memory = [LEN, LEN, slots * LEN].map(|bytes| {
            let memory = CudaMemory::allocate(&context, &OnceLock::new(), bytes, Placement::Device);
            let memory: Arc<dyn BackendMemory> = Arc::new(memory.expect("there is memory"));
            memory
        });
        let setup = Self { internal, stream, memory };
        setup.reset();
        setup
    }

    fn reset(&self) {
        for (memory, first) in self.memory.iter().zip([1, 101, 0]) {
            let values: Vec<u8> = (0..memory.bytes()).map(|i| if first == 0 { 0 } else { (first + i) as u8 }).collect();
            self.stream.copy_in(&**memory, 0, &values).expect("it copies");
        }
    }

    /// Moves the bytes of one buffer by one place into the other, so that every repetition shows.
    fn phases(&self) -> Vec<Vec<GraphCommand>> {
        let [a, b, ring] = &self.memory;
        let copy = |from: &Arc<dyn BackendMemory>, at, to: &Arc<dyn BackendMemory>, offset, stride, bytes| {
            GraphCommand::Copy {
                destination: to.clone(),
                destination_offset: offset,
                destination_stride: stride,
                source: from.clone(),
                source_offset: at,
                bytes,
            }
        };
        let fill = |to: &Arc<dyn BackendMemory>, value| GraphCommand::Fill {
            destination: to.clone(),
            offset: 3,
            bytes: 2,
            pattern: vec![value],
        };
        let phase = |from: &Arc<dyn BackendMemory>, to: &Arc<dyn BackendMemory>| {
            vec![
                copy(from, 0, to, 1, 0, LEN - 1),
                copy(from, LEN - 1, to, 0, 0, 1),
                fill(to, 77),
                copy(to, 0, ring, 0, LEN, LEN),
            ]
        };
        vec![phase(a, b), phase(b, a)]
    }

    fn read(&self) -> Vec<Vec<u8>> {
        let read = |memory: &Arc<dyn BackendMemory>| {
            let mut bytes = vec![0; memory.bytes()];
            self.stream.copy_out(&**memory, 0, &mut bytes).expect("it copies");
            bytes
        };
        self.memory.iter().map(read).collect()
    }

    /// A graph after replays of these first phases, first slots and numbers of repetitions, which have left the bytes of the
    /// commands one by one.
    fn replayed(&self, phases: &[Vec<GraphCommand>], replays: &[(usize, u64, u64)]) -> CudaGraph {
        let mut graph = CudaGraph::new(&self.internal, phases).expect("it is made ready");
        let all = || {
            let replay = |&(first_phase, first_slot, times)| GraphReplay { first_phase, first_slot, times };
            replays.iter().map(replay)
        };
        all().for_each(|replay| graph.queue_singly(replay, &self.stream).expect("it runs"));
        let expected = self.read();
        self.reset();
        all().for_each(|replay| graph.replay(replay, &self.stream).expect("it runs"));
        assert!(self.read() == expected);
        graph
    }
}

#[test]
fn replays_of_every_length_have_the_bytes_of_single_commands() {
    // Short ones are queued singly, long ones are several executables with a rest; phases and slots go on.
    let replays = [(0, 0, 1), (1, 1, 7), (0, 8, 7), (1, 15, 1025), (0, 1040, 256), (0, 1296, 1), (1, 1297, 600)];
    let setup = Setup::new(1897);
    let graph = setup.replayed(&setup.phases(), &replays);
    // Two replays of 7, five pieces of 1,025 and a rest, 256, and three pieces of 600.
    assert_eq!(fake::count("graph_launch"), 2 + 5 + 1 + 3);
    // Pieces are whole cycles, so that one executable serves all of a replay but its rest.
    assert_eq!(fake::count("graph_instantiate"), 2 + 2 + 1 + 1);
    drop(graph);
    assert_eq!(fake::graphs(), 0, "graphs are destroyed with their owner");
}

#[test]
fn a_replay_of_known_length_is_instantiated_once() {
    let setup = Setup::new(100);
    let mut graph = CudaGraph::new(&setup.internal, &setup.phases()).expect("it is made ready");
    for first_slot in [0, 10, 20] {
        graph.replay(GraphReplay { first_phase: 0, first_slot, times: 10 }, &setup.stream).expect("it runs");
    }
    assert_eq!((fake::count("graph_instantiate"), fake::count("graph_launch")), (1, 3));
    assert_eq!(fake::count("graph_exec_memset_node_set_params"), 2, "the first slot is 0 already");
    // Another value: what is instantiated is updated when it is launched again.
    graph.version += 1;
    graph.replay(GraphReplay { first_phase: 0, first_slot: 30, times: 10 }, &setup.stream).expect("it runs");
    assert_eq!((fake::count("graph_instantiate"), fake::count("graph_exec_update")), (1, 1));
    fake::fail("graph_exec_update", 1, Code(910));
    graph.version += 1;
    graph.replay(GraphReplay { first_phase: 0, first_slot: 40, times: 10 }, &setup.stream).expect("it runs");
    assert_eq!(fake::count("graph_instantiate"), 2, "what cannot be updated is made anew");
}

/// The same loop, in which another library raises a byte of what each repetition copies.
fn with_a_library(setup: &Setup) -> Vec<Vec<GraphCommand>> {
    let [a, b, _] = &setup.memory;
    let raise = |memory: &Arc<dyn BackendMemory>| {
        let at = pointer_to(&**memory, 5).expect("it is this backend's");
        // SAFETY: a byte of this driver's memory.
        let raise = move || unsafe { *(at as *mut u8) += 3 };
        let work: NativeWork = Arc::new(move |stream| {
            fake::queue(stream, raise);
            Ok(())
        });
        GraphCommand::Native { work, memory: Vec::new(), mail: None }
    };
    let mut phases = setup.phases();
    phases[0].insert(2, raise(b));
    phases[1].insert(2, raise(a));
    phases
}

#[test]
fn what_other_libraries_queue_is_a_part_of_graphs() {
    let setup = Setup::new(300);
    let graph = setup.replayed(&with_a_library(&setup), &[(0, 0, 101), (1, 101, 50), (1, 151, 1)]);
    // Once for each phase of each executable, however long that is.
    assert_eq!(fake::count("stream_begin_capture"), 2 + 2 + 1);
    assert_eq!(fake::count("graph_add_child_graph_node"), 101 + 50 + 1);
    drop(graph);
    assert_eq!(fake::graphs(), 0, "what was captured is destroyed, too");
}

#[test]
fn a_library_that_fails_is_told_by_its_own_error() {
    let setup = Setup::new(1);
    let work: NativeWork = Arc::new(|_| Err(error::internal("the library has no memory left")));
    let phases = vec![vec![GraphCommand::Native { work, memory: Vec::new(), mail: None }; 5]];
    let mut graph = CudaGraph::new(&setup.internal, &phases).expect("it is made ready");
    let replay = GraphReplay { first_phase: 0, first_slot: 0, times: 3 };
    for _ in 0..2 {
        let error = graph.replay(replay, &setup.stream).expect_err("it fails").to_string();
        assert!(error.contains("no memory left"), "{error}");
    }
    drop(graph);
    assert_eq!(fake::graphs(), 0);
}
