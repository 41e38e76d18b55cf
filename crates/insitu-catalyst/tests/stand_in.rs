//! What a library of Catalyst's or Ascent's gets, byte by byte: from a stand-in that is compiled here, with the same entry
//! points. `FERROCCA_REQUIRE_CC=1` fails where there is no C compiler.

use ferrocca_backend_cpu as _;
use ferrocca_conformance::null::NullBackend;
use ferrocca_core::backend::Api;
use ferrocca_core::{Device, Element, Memory};
use ferrocca_insitu::{Field, Frame, Hook, Run};
use ferrocca_insitu_catalyst::{AscentHook, CatalystHook, Transfer, UniformGrid};
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The library has one log, and Catalyst one state.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct StandIn {
    library: PathBuf,
    log: PathBuf,
    _directory: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl StandIn {
    /// Compiles it where there is a compiler.
    fn new() -> Option<Self> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = tempfile::tempdir().expect("a directory");
        let (library, log) = (directory.path().join("libstand_in.so"), directory.path().join("log"));
        let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let source = Path::new(&root).join("tests/stand_in.c");
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let command =
            Command::new(&compiler).args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).output();
        match command {
            Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
            Err(error) => {
                assert!(std::env::var_os("FERROCCA_REQUIRE_CC").is_none(), "{compiler}: {error}");
                eprintln!("skipped: {compiler}: {error}");
                return None;
            }
        }
        let stand_in = Self { library, log, _directory: directory, _turn: turn };
        stand_in.set(false, 8);
        Some(stand_in)
    }

    fn set(&self, is_blind: bool, index_bytes: c_int) {
        let log = CString::new(self.log.to_str().expect("UTF-8")).expect("no zero byte");
        // SAFETY: the library is ours, and so is the function's type.
        unsafe {
            let library = Box::leak(Box::new(libloading::Library::new(&self.library).expect("it loads")));
            let set =
                library.get::<unsafe extern "C" fn(*const c_char, c_int, c_int)>(b"stand_in_set").expect("it is there");
            set(log.as_ptr(), is_blind.into(), index_bytes);
        }
    }

    /// What was received since the last time: calls, each with its entries.
    fn received(&self) -> Vec<(String, Vec<Entry>)> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let _ = std::fs::remove_file(&self.log);
        let mut calls: Vec<(String, Vec<Entry>)> = Vec::new();
        for line in text.lines() {
            match line.strip_prefix("  ") {
                Some(entry) => calls.last_mut().expect("a call").1.push(Entry::of(entry)),
                None => calls.push((line.to_owned(), Vec::new())),
            }
        }
        calls
    }
}

#[derive(Debug, PartialEq)]
enum Entry {
    Value { path: String, kind: String, value: String },
    External { path: String, kind: String, address: u64, layout: [i64; 5], bytes: Vec<u8> },
}

impl Entry {
    fn of(line: &str) -> Self {
        let words: Vec<&str> = line.split(' ').collect();
        let own = |place: usize| words[place].to_owned();
        if words[1] != "external" {
            return Self::Value { path: own(0), kind: own(1), value: words[2..].join(" ") };
        }
        let address = u64::from_str_radix(words[3].trim_start_matches("0x"), 16).expect("an address");
        let number = |place: usize| words[place].parse().expect("a number");
        let digits = words.get(9).copied().unwrap_or_default();
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte");
        let bytes = (0..digits.len()).step_by(2).map(byte).collect();
        Self::External { path: own(0), kind: own(2), address, layout: [4, 5, 6, 7, 8].map(number), bytes }
    }
}

fn value(path: &str, kind: &str, value: &str) -> Entry {
    Entry::Value { path: path.to_owned(), kind: kind.to_owned(), value: value.to_owned() }
}

fn serial() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| Device::open("Serial").expect("it needs no compiler to open"))
}

fn bytes_of<T: Element>(values: &[T]) -> Vec<u8> {
    let memory = serial().malloc_from(values).expect("memory");
    let mut bytes = vec![0; memory.untyped().bytes()];
    memory.untyped().copy_to_bytes(&mut bytes).expect("a copy");
    bytes
}

fn step(hook: &mut dyn Hook, step: u64, fields: &[Field<'_>]) -> ferrocca_core::Result<()> {
    hook.step(&Frame { step, time: 0.125 * step as f64, fields }).map(drop)
}

/// The mesh of a frame of one axis, with a field `u` of doubles.
fn expected_mesh(prefix: &str, step: u64, points: usize, u: Entry) -> Vec<Entry> {
    let entry = |path: &str, kind: &str, text: &str| value(&format!("{prefix}{path}"), kind, text);
    let mut entries = vec![
        entry("state/cycle", "int64", &step.to_string()),
        entry("state/time", "float64", &format!("{}", 0.125 * step as f64)),
        entry("coordsets/coords/type", "char8_str", "uniform"),
        entry("coordsets/coords/dims/i", "int64", &points.to_string()),
        entry("coordsets/coords/origin/x", "float64", "0.5"),
        entry("coordsets/coords/spacing/dx", "float64", "0.25"),
        entry("topologies/mesh/type", "char8_str", "uniform"),
        entry("topologies/mesh/coordset", "char8_str", "coords"),
        entry("fields/u/association", "char8_str", "vertex"),
        entry("fields/u/topology", "char8_str", "mesh"),
    ];
    entries.push(u);
    entries
}

fn external(prefix: &str, memory: &Memory<f64>, halo: usize, values: &[f64]) -> Entry {
    let inside = &values[halo..values.len() - halo];
    Entry::External {
        path: format!("{prefix}fields/u/values"),
        kind: "float64".to_owned(),
        address: memory.ptr() as u64,
        layout: [inside.len() as i64, 8 * halo as i64, 8, 8, 0],
        bytes: inside.iter().flat_map(|value| value.to_ne_bytes()).collect(),
    }
}

#[test]
fn catalyst_gets_the_solvers_own_memory() {
    let Some(stand_in) = StandIn::new() else { return };
    let values: Vec<f64> = (0..10).map(|i| f64::from(i) / 3.0).collect();
    let (mut u, run) = (serial().malloc_from(&values).expect("memory"), Run::new("test"));
    let grid = UniformGrid::new(&[0.5], &[0.25]).expect("a grid").ghosts(1);
    let hook = CatalystHook::open(&stand_in.library, grid).expect("it opens");
    let mut hook = hook.implementation("paraview", Some("/opt/catalyst")).script("a.py").script("b.py");
    hook.start(&run).expect("it starts");
    let again = CatalystHook::open(&stand_in.library, UniformGrid::new(&[0.0], &[1.0]).expect("a grid"));
    let error = again.expect("it opens").start(&run).unwrap_err().to_string();
    assert!(error.contains("one state"), "{error}");
    step(&mut hook, 3, &[Field::new("u", &u)]).expect("a step");
    let changed: Vec<f64> = values.iter().map(|value| -value).collect();
    u.copy_from(&changed).expect("a copy");
    step(&mut hook, 4, &[Field::new("u", &u)]).expect("a step");
    hook.finish(&run).expect("it ends");
    drop(hook);

    let prefix = "catalyst/channels/mesh/data/";
    let execute = |number: u64, values: &[f64]| {
        let mut entries = vec![
            value("catalyst/state/timestep", "int64", &number.to_string()),
            value("catalyst/state/time", "float64", &format!("{}", 0.125 * number as f64)),
            value("catalyst/channels/mesh/type", "char8_str", "mesh"),
        ];
        entries.extend(expected_mesh(prefix, number, 8, external(prefix, &u, 1, values)));
        ("catalyst_execute".to_owned(), entries)
    };
    let initialize = vec![
        value("catalyst_load/implementation", "char8_str", "paraview"),
        value("catalyst_load/search_paths/paraview", "char8_str", "/opt/catalyst"),
        value("catalyst/scripts/script0", "char8_str", "a.py"),
        value("catalyst/scripts/script1", "char8_str", "b.py"),
    ];
    let expected = [
        ("catalyst_initialize".to_owned(), initialize),
        execute(3, &values),
        execute(4, &changed),
        ("catalyst_finalize".to_owned(), vec![]),
        ("alive 1".to_owned(), vec![]),
    ];
    assert_eq!(
        stand_in.received(),
        expected,
        "the node of `catalyst_finalize` alone is alive, and nothing came after it"
    );
}

#[test]
fn ascent_gets_the_same_node() {
    let Some(stand_in) = StandIn::new() else { return };
    let values: Vec<f64> = (0..6).map(|i| f64::from(i).sin()).collect();
    let (u, run) = (serial().malloc_from(&values).expect("memory"), Run::new("test"));
    let hook =
        AscentHook::open(&stand_in.library, UniformGrid::new(&[0.5], &[0.25]).expect("a grid")).expect("it opens");
    let mut hook = hook.option("actions_file", "actions.yaml");
    assert!(step(&mut hook, 1, &[Field::new("u", &u)]).unwrap_err().to_string().contains("`start`"));
    hook.start(&run).expect("it starts");
    step(&mut hook, 7, &[Field::new("u", &u)]).expect("a step");
    drop(hook);
    let expected = [
        ("ascent_open".to_owned(), vec![value("actions_file", "char8_str", "actions.yaml")]),
        ("ascent_publish".to_owned(), expected_mesh("", 7, 6, external("", &u, 0, &values))),
        ("ascent_execute".to_owned(), vec![]),
        ("ascent_close 1".to_owned(), vec![]),
        ("ascent_destroy 1".to_owned(), vec![]),
        ("alive 0".to_owned(), vec![]),
    ];
    assert_eq!(stand_in.received(), expected);
}

/// One step of one field; what came of it.
fn published(stand_in: &StandIn, grid: UniformGrid, transfer: Transfer, field: Field<'_>) -> Result<Entry, String> {
    let hook = AscentHook::open(&stand_in.library, grid).expect("it opens");
    let mut hook = hook.transfer(transfer);
    hook.start(&Run::new("test")).expect("it starts");
    let done = step(&mut hook, 1, &[field]);
    drop(hook);
    let received = stand_in.received();
    done.map_err(|error| error.to_string())?;
    let publish = received.into_iter().find(|(call, _)| call == "ascent_publish").expect("a call");
    Ok(publish.1.into_iter().find(|entry| matches!(entry, Entry::External { .. })).expect("a field"))
}

fn check_type<T: Element>(stand_in: &StandIn, kind: &str, values: &[T]) {
    let memory = serial().malloc_from(values).expect("memory");
    let grid = || UniformGrid::new(&[0.0], &[1.0]).expect("a grid");
    for transfer in [Transfer::InPlace, Transfer::DevicePointers, Transfer::Copy] {
        let entry = published(stand_in, grid(), transfer, Field::new("u", &memory)).expect("it is taken");
        let Entry::External { kind: found, address, bytes, .. } = entry else { unreachable!() };
        assert_eq!((found.as_str(), bytes), (kind, bytes_of(values)));
        assert_eq!(address == memory.ptr() as u64, transfer != Transfer::Copy, "{kind} {transfer:?}");
    }
}

#[test]
fn every_type_of_elements_has_its_function() {
    let Some(stand_in) = StandIn::new() else { return };
    check_type(&stand_in, "float64", &[1.0_f64, -0.0, f64::NAN]);
    check_type(&stand_in, "float32", &[1.5_f32, f32::MIN]);
    check_type(&stand_in, "int8", &[-1_i8, 127, 3]);
    check_type(&stand_in, "int16", &[-2_i16, 300, 3]);
    check_type(&stand_in, "int32", &[-3_i32, 70_000, 3]);
    check_type(&stand_in, "int64", &[-4_i64, 1 << 40]);
    check_type(&stand_in, "uint8", &[255_u8, 0, 9]);
    check_type(&stand_in, "uint16", &[65_535_u16, 1, 2]);
    check_type(&stand_in, "uint32", &[u32::MAX, 4]);
    check_type(&stand_in, "uint64", &[u64::MAX, 5]);
    let halves = serial().malloc::<ferrocca_core::f16>(4).expect("memory");
    let grid = UniformGrid::new(&[0.0], &[1.0]).expect("a grid");
    let error = published(&stand_in, grid, Transfer::Copy, Field::new("u", &halves)).unwrap_err();
    assert!(error.contains("Conduit has no such type"), "{error}");
}

#[test]
fn planes_blocks_and_halos() {
    let Some(stand_in) = StandIn::new() else { return };
    let values: Vec<f64> = (0..60).map(f64::from).collect();
    let memory = serial().malloc_from(&values).expect("memory");
    let grid = |axes: usize| UniformGrid::new(&vec![0.0; axes], &vec![1.0; axes]).expect("a grid");
    let of = |places: &[usize]| places.iter().flat_map(|&i| values[i].to_ne_bytes()).collect::<Vec<u8>>();
    let field = || Field::new("u", &memory);
    let inner = [6, 7, 8, 11, 12, 13];
    // A block as it is, every second element, and what has gaps: by a copy alone.
    type Case<'m> = (Field<'m>, UniformGrid, Option<[i64; 5]>, Vec<u8>);
    let cases: [Case<'_>; 5] = [
        (field().shape(&[3, 4, 5]), grid(3), Some([60, 0, 8, 8, 0]), of(&(0..60).collect::<Vec<_>>())),
        (field().strided(&[30], &[2]), grid(1), Some([30, 0, 16, 8, 0]), of(&(0..60).step_by(2).collect::<Vec<_>>())),
        (
            field().strided(&[30], &[2]),
            grid(1).ghosts(2),
            Some([26, 32, 16, 8, 0]),
            of(&(4..56).step_by(2).collect::<Vec<_>>()),
        ),
        (field().strided(&[4, 5], &[5, 1]), grid(2).ghosts(1), None, of(&inner)),
        (field().strided(&[2, 3], &[10, 2]), grid(2), None, of(&[0, 2, 4, 10, 12, 14])),
    ];
    for (field, grid, in_place, expected) in cases {
        match (published(&stand_in, grid.clone(), Transfer::InPlace, field), in_place) {
            (Ok(Entry::External { address, layout, bytes, .. }), Some(wanted)) => {
                assert_eq!((address, layout, &bytes), (memory.ptr() as u64, wanted, &expected));
            }
            (Err(error), None) => assert!(error.contains("Transfer::Copy"), "{error}"),
            (other, _) => panic!("{field:?}: {other:?}"),
        }
        let copied = published(&stand_in, grid, Transfer::Copy, field).expect("a copy");
        let Entry::External { address, layout, bytes, .. } = copied else { unreachable!() };
        assert_eq!((layout[1], layout[2], bytes), (0, 8, expected));
        assert_ne!(address, memory.ptr() as u64);
    }
}

#[test]
fn memory_of_a_device_goes_by_its_address_or_by_a_copy_or_not_at_all() {
    let Some(stand_in) = StandIn::new() else { return };
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).expect("it opens");
    backend.set_addresses_of(Api::CUDA);
    let memory = device.malloc_from(&[1.0, 2.0, 3.0]).expect("memory");
    let grid = || UniformGrid::new(&[0.0], &[1.0]).expect("a grid");
    let error = published(&stand_in, grid(), Transfer::InPlace, Field::new("u", &memory)).unwrap_err();
    assert!(error.contains("Transfer::DevicePointers") && error.contains("Transfer::Copy"), "{error}");
    stand_in.set(true, 8);
    let entry = published(&stand_in, grid(), Transfer::DevicePointers, Field::new("u", &memory)).expect("an address");
    let Entry::External { address, layout, .. } = entry else { unreachable!() };
    assert_eq!((address, layout), (memory.ptr() as u64, [3, 0, 8, 8, 0]));
    stand_in.set(false, 8);
    let entry = published(&stand_in, grid(), Transfer::Copy, Field::new("u", &memory)).expect("a copy");
    let Entry::External { bytes, .. } = entry else { unreachable!() };
    assert_eq!(bytes, bytes_of(&[1.0, 2.0, 3.0]));
}

#[test]
fn what_cannot_be_is_told() {
    let Some(stand_in) = StandIn::new() else { return };
    let grid = |axes: usize| UniformGrid::new(&vec![0.0; axes], &vec![1.0; axes]).expect("a grid");
    let memory = serial().malloc_filled(8, 1.0).expect("memory");
    let refused = |field: Field<'_>| published(&stand_in, grid(1), Transfer::InPlace, field).unwrap_err();
    assert!(refused(Field::new("u/v", &memory)).contains("part of a path"));
    assert!(refused(Field::new("u", &memory).shape(&[2, 4])).contains("1 axes"));
    let mut hook = AscentHook::open(&stand_in.library, grid(1)).expect("it opens");
    hook.start(&Run::new("test")).expect("it starts");
    let (whole, part) = (Field::new("u", &memory), Field::new("v", &memory).shape(&[4]));
    assert!(step(&mut hook, 1, &[whole, part]).unwrap_err().to_string().contains("a mesh has one"));
    assert!(step(&mut hook, 1, &[]).unwrap_err().to_string().contains("no mesh"));
    drop(hook);

    let run = Run::new("test");
    let hook = CatalystHook::open(&stand_in.library, grid(1)).expect("it opens");
    let mut missing = hook.implementation("missing", None::<PathBuf>);
    let error = missing.start(&run).unwrap_err().to_string();
    assert!(error.contains("`catalyst_initialize` answered 3") && error.contains("was not found"), "{error}");
    drop(missing);
    let mut next = CatalystHook::open(&stand_in.library, grid(1)).expect("it opens");
    next.start(&run).expect("after one that failed, another one starts");
    drop(next);
    let calls: Vec<String> = stand_in.received().into_iter().map(|(call, _)| call).collect();
    let last = ["catalyst_initialize", "catalyst_initialize", "catalyst_finalize", "alive 1"];
    assert_eq!(calls[calls.len() - 4..], last, "what never started is not finalised");

    let Err(error) = CatalystHook::open("/nowhere/libcatalyst.so", grid(1)) else { panic!("there is none") };
    assert!(
        error.to_string().contains("/nowhere/libcatalyst.so") && error.to_string().contains("LD_LIBRARY_PATH"),
        "{error}"
    );
    stand_in.set(false, 4);
    let Err(error) = CatalystHook::open(&stand_in.library, grid(1)) else { panic!("indices of 4 bytes") };
    assert!(error.to_string().contains("indices of 4 bytes"), "{error}");
}
