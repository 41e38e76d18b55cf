//! Overlaps of small loops: what is found, and that any order of what runs at the same time has the same bits.

use super::*;
use crate::graph::{enqueue, enqueue_groups};
use crate::persistent::tests::{Setup, int, whole};
use crate::stream::CudaStream;
use ferrocca_core::backend::{BackendMemory, NativeWork, TouchedMemory};
use std::sync::Arc;

const SOURCE: &str = "
@kernel void step(const int n, const double *u, double *v) {
  for (int b = 0; b < n; b += 8; @outer) for (int i = b; i < b + 8; ++i; @inner) {
    if (i < n) v[i + 1] = 0.5 * u[i + 1] + 0.25 * u[i] + 0.125 * u[i + 2];
  }
}
@kernel void backwards(const int n, const double *u, double *v) {
  for (int b = 0; b < n; b += 8; @outer) for (int i = b; i < b + 8; ++i; @inner) {
    if (i < n) v[n - i] = 0.5 * u[n - i] + 0.25 * u[n - i - 1] + 0.125 * u[n - i + 1];
  }
}
@kernel void planes(const int n, const double *u, double *v) {
  for (int z = 0; z < n; ++z; @outer(1)) for (int y = 0; y < 4; ++y; @outer(0)) for (int x = 0; x < 4; ++x; @inner) {
    const int i = ((z + 1) * 4 + y) * 4 + x;
    if (y < n) v[i] = 0.5 * u[i] + 0.25 * u[i - 16] + 0.125 * u[i + 16];
  }
}
@kernel void rows(double *v) {
  for (int z = 0; z < 10; ++z; @outer) for (int x = 0; x < 4; ++x; @inner) v[(z + 1) * 16 + 12 + x] = v[(z + 1) * 16 + x];
}
@kernel void move(const int from, const int to, const double *a, double *b) {
  for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < 2; ++i; @inner) b[to + i] = a[from + i];
}";

const LISTED: &str = "
@kernel void listed(const int n, const double *u, const int *list, double *v) {
  for (int b = 0; b < n; b += 8; @outer) for (int i = b; i < b + 8; ++i; @inner) if (i < n) v[list[i]] = u[i];
}";

const N: usize = 101;

struct Case {
    setup: Setup,
    u: Arc<dyn BackendMemory>,
    v: Arc<dyn BackendMemory>,
    /// Two values each: packed ends, and what comes for the ghosts.
    packed: Arc<dyn BackendMemory>,
}

impl Case {
    fn new() -> Self {
        let setup = Setup::of(SOURCE);
        let [u, v] = [3.0, 5.0].map(|k| setup.memory(&(0..200).map(|i| (f64::from(i) * k).sin()).collect::<Vec<_>>()));
        let packed = setup.memory(&[0.0; 8]);
        Self { setup, u, v, packed }
    }

    fn step(&self, nest: usize, n: usize, outer: [u64; 3], inner: [u64; 3]) -> GraphCommand {
        self.setup.launch(nest, outer, inner, vec![int(n as i32), whole(&self.u, false), whole(&self.v, true)])
    }

    fn shift(&self, from: usize, a: &Arc<dyn BackendMemory>, to: usize, b: &Arc<dyn BackendMemory>) -> GraphCommand {
        let arguments = vec![int(from as i32), int(to as i32), whole(a, false), whole(b, true)];
        self.setup.launch(4, [1; 3], [2, 1, 1], arguments)
    }

    /// Messages: each value of the second list becomes one more than twice that of the first, at places of a memory.
    fn messages(memory: &Arc<dyn BackendMemory>, moves: &[(usize, usize)]) -> GraphCommand {
        let begin = pointer_to(&**memory, 0).expect("it is this backend's");
        let all = moves.to_vec();
        let work: NativeWork = Arc::new(move |stream| {
            let all = all.clone();
            crate::fake::queue(stream, move || {
                for (from, to) in &all {
                    // SAFETY: places of the memory.
                    unsafe { *(begin as *mut f64).add(*to) = 2.0 * *(begin as *const f64).add(*from) + 1.0 };
                }
            });
            Ok(())
        });
        let of = |at: usize, mutable| TouchedMemory { memory: memory.clone(), offset: 8 * at, bytes: 8, mutable };
        let touched = moves.iter().flat_map(|(from, to)| [of(*from, false), of(*to, true)]).collect();
        GraphCommand::Native { work, memory: touched, mail: None }
    }

    /// Checks that the interior may run before all that it runs beside, and after it.
    fn check_orders(&self, commands: &[GraphCommand]) {
        let memory = [&self.u, &self.v, &self.packed];
        let before = memory.map(|memory| self.setup.read(memory));
        let run = |work: &dyn Fn(&CudaStream)| {
            for (memory, values) in memory.iter().zip(&before) {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
                use ferrocca_core::backend::BackendStream;
                self.setup.stream.copy_in(&***memory, 0, &bytes).expect("it copies");
            }
            work(&self.setup.stream);
            memory.map(|memory| self.setup.read(memory))
        };
        let add = |command: &GraphCommand, stream: &CudaStream| enqueue(command, 0, stream).expect("it runs");
        let expected = run(&|stream| commands.iter().for_each(|command| add(command, stream)));
        assert!(expected != before);
        let Overlap { commands: stretch, parted } = find(commands, 0).expect("it is this backend's").remove(0);
        for interior_first in [true, false] {
            let found = run(&|stream| {
                let launch = |part: &Parted, groups| {
                    enqueue_groups(&commands[part.launch], part.axis, groups, stream).expect("it runs");
                };
                let interior = || parted.iter().for_each(|part| launch(part, part.interior.clone()));
                commands[..stretch.start].iter().for_each(|command| add(command, stream));
                if interior_first {
                    interior();
                }
                for at in stretch.clone() {
                    match parted.iter().find(|part| part.launch == at) {
                        Some(part) => part.edges().for_each(|groups| launch(part, groups)),
                        None => add(&commands[at], stream),
                    }
                }
                if !interior_first {
                    interior();
                }
                commands[stretch.end..].iter().for_each(|command| add(command, stream));
            });
            assert!(found == expected, "{stretch:?}, {parted:?}, the interior first: {interior_first}");
        }
        // The next check begins as this one did.
        run(&|_| ());
    }
}

fn only(commands: &[GraphCommand]) -> (Range<usize>, Vec<(usize, Range<u64>)>) {
    let found = find(commands, 0).expect("it is this backend's");
    assert_eq!(found.len(), 1, "{found:?}");
    (found[0].commands.clone(), found[0].parted.iter().map(|part| (part.launch, part.interior.clone())).collect())
}

#[test]
fn what_runs_beside_messages_may_run_before_and_after_them() {
    let case = Case::new();
    assert!(case.setup.run_on_host() || cfg!(not(unix)), "there is a compiler");
    the_groups_at_both_ends_run_before_the_messages(&case);
    packing_and_unpacking_run_beside_the_interior_too(&case);
    several_launches_have_interiors_beside_the_same_messages(&case);
}

fn the_groups_at_both_ends_run_before_the_messages(case: &Case) {
    let (row, items) = ([13, 1, 1], [8, 1, 1]);
    for (nest, interior) in [(0, 1..12), (1, 1..12)] {
        // The first and the last value go out, and the ghosts come in.
        let commands = [case.step(nest, N, row, items), Case::messages(&case.v, &[(1, N + 1), (N, 0)])];
        assert_eq!(only(&commands), (0..2, vec![(0, interior)]));
        case.check_orders(&commands);
    }
    // Three groups at one end, and what comes is read by the same step: it writes where the messages put something.
    let commands = [case.step(0, N, row, items), Case::messages(&case.v, &[(20, N + 1), (N, 0)])];
    assert_eq!(only(&commands), (0..2, vec![(0, 3..12)]));
    case.check_orders(&commands);
    // Planes of an array.
    let commands = [case.step(2, 10, [4, 10, 1], [4, 1, 1]), Case::messages(&case.v, &[(16, 176), (175, 15)])];
    assert_eq!(only(&commands), (0..2, vec![(0, 1..9)]));
    case.check_orders(&commands);
}

fn packing_and_unpacking_run_beside_the_interior_too(case: &Case) {
    let commands = [
        case.shift(0, &case.v, 6, &case.packed),
        case.step(0, N, [13, 1, 1], [8, 1, 1]),
        case.shift(1, &case.v, 0, &case.packed),
        case.shift(N - 1, &case.v, 2, &case.packed),
        Case::messages(&case.packed, &[(0, 4), (1, 5), (2, 6), (3, 7)]),
        case.shift(4, &case.packed, N + 1, &case.v),
        case.shift(6, &case.packed, N + 3, &case.v),
        // This reads what the interior writes.
        case.shift(50, &case.v, 0, &case.packed),
    ];
    assert_eq!(only(&commands), (1..7, vec![(1, 1..12)]));
    case.check_orders(&commands);
    // A second round of messages, which brings what the first one has brought.
    let rounds = [&commands[1..5], &[Case::messages(&case.packed, &[(4, 0), (5, 1)])]].concat();
    assert_eq!(only(&rounds), (0..5, vec![(0, 1..12)]));
    case.check_orders(&rounds);
    // Messages of something else hinder nobody.
    let apart = [commands[1].clone(), Case::messages(&case.packed, &[(0, 4)])];
    assert_eq!(only(&apart), (0..2, vec![(0, 0..13)]));
    case.check_orders(&apart);
    let stopped = [&commands[1..5], &[Case::messages(&case.v, &[(50, 199)])]].concat();
    assert_eq!(only(&stopped), (0..4, vec![(0, 1..12)]));
    case.check_orders(&stopped);
}

fn several_launches_have_interiors_beside_the_same_messages(case: &Case) {
    // A step over planes; the ghosts of each plane's rows, which a later step reads; those of the outer planes; messages of both.
    let planes = |nest| case.step(nest, 10, [4, 10, 1], [4, 1, 1]);
    let rows = case.setup.launch(3, [10, 1, 1], [4, 1, 1], vec![whole(&case.v, true)]);
    let commands = [
        planes(2),
        rows,
        case.shift(16, &case.v, 0, &case.v),
        Case::messages(&case.v, &[(17, 190), (174, 14)]),
        case.shift(190, &case.v, 176, &case.v),
    ];
    let (stretch, parted) = only(&commands);
    assert_eq!((stretch, parted), (0..5, vec![(0, 1..9), (1, 1..9)]));
    case.check_orders(&commands);
    // What fills the ghosts of a plane is urgent as a whole where it is not known which ghosts it fills.
    let mut unknown = commands.to_vec();
    let GraphCommand::Launch { footprint, .. } = &mut unknown[1] else { panic!("it is a launch") };
    *footprint = Err("nobody knows".into());
    assert_eq!(find(&unknown, 0).expect("it is this backend's"), []);
}

#[test]
fn what_cannot_be_parted_runs_in_order() {
    let case = Case::new();
    let none = |commands: &[GraphCommand]| assert_eq!(find(commands, 0).expect("it is this backend's"), []);
    let (row, items) = ([13, 1, 1], [8, 1, 1]);
    let step = || case.step(0, N, row, items);
    // The messages need most of it, or nothing.
    none(&[step(), Case::messages(&case.v, &[(50, 0)])]);
    none(&[Case::messages(&case.v, &[(1, 0)]), step()]);
    // What is between needs all.
    let all = GraphCommand::Copy {
        destination: case.u.clone(),
        destination_offset: 0,
        destination_stride: 0,
        source: case.v.clone(),
        source_offset: 0,
        bytes: case.v.bytes(),
    };
    none(&[step(), all, Case::messages(&case.v, &[(1, 0)])]);
    // Nobody knows what it touches.
    let setup = Setup::of(LISTED);
    let list: Arc<dyn BackendMemory> = setup.memory(&[0.0; N]);
    let arguments = vec![int(N as i32), whole(&case.u, false), whole(&list, false), whole(&case.v, true)];
    none(&[setup.launch(0, row, items, arguments), Case::messages(&case.v, &[(1, 0)])]);
    // It is too short for that.
    assert_eq!(find(&[step(), Case::messages(&case.v, &[(1, 0)])], FEWEST_BYTES).expect("it is this backend's"), []);
}
