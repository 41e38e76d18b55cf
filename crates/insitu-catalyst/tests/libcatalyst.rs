//! Frames through a real libcatalyst and its stub implementation, which writes what it receives; the library itself reads
//! that back and judges the mesh. `FERROCCA_LIBCATALYST=/path/to/lib/libcatalyst.so` names it, built with
//! `CATALYST_BUILD_STUB_IMPLEMENTATION`; the stub lies beside it in `catalyst/`.

use ferrocca_backend_cpu as _;
use ferrocca_core::Device;
use ferrocca_insitu::{Field, Frame, Hook, Run};
use ferrocca_insitu_catalyst::{CatalystHook, UniformGrid};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

type Node = *mut c_void;

/// A function of the library's Conduit.
///
/// # Safety
/// `T` is its type.
unsafe fn conduit<T: Copy>(library: &Library, name: &str) -> T {
    let name = format!("catalyst_conduit_{name}");
    // SAFETY: the caller's promise.
    *unsafe { library.get::<T>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn new_node(library: &Library) -> Node {
    // SAFETY: the type is that of `conduit_node.h`.
    unsafe { conduit::<unsafe extern "C" fn() -> Node>(library, "node_create")() }
}

/// The library's own view of a file that its stub wrote.
struct Dump<'a> {
    library: &'a Library,
    node: Node,
}

impl<'a> Dump<'a> {
    fn load(library: &'a Library, file: &Path) -> Self {
        type Load = unsafe extern "C" fn(Node, *const c_char, *const c_char);
        assert!(file.is_file(), "{} was not written", file.display());
        let (node, file) = (new_node(library), text(file.to_str().expect("UTF-8")));
        // SAFETY: the type is that of `conduit_node.h`, and the node is live.
        unsafe { conduit::<Load>(library, "node_load")(node, file.as_ptr(), c"conduit_bin".as_ptr()) };
        Self { library, node }
    }

    fn at(&self, path: &str) -> Node {
        let path = text(path);
        // SAFETY: types are those of `conduit_node.h`; the node is live.
        unsafe {
            let has: unsafe extern "C" fn(Node, *const c_char) -> c_int = conduit(self.library, "node_has_path");
            assert_ne!(has(self.node, path.as_ptr()), 0, "nothing at {path:?}");
            let fetch: unsafe extern "C" fn(Node, *const c_char) -> Node = conduit(self.library, "node_fetch");
            fetch(self.node, path.as_ptr())
        }
    }

    /// What a function of one node gives for the node at a path.
    fn ask<T>(&self, function: &str, path: &str) -> T {
        // SAFETY: the callers name functions with these types.
        unsafe { conduit::<unsafe extern "C" fn(Node) -> T>(self.library, &format!("node_{function}"))(self.at(path)) }
    }

    fn int(&self, path: &str) -> i64 {
        self.ask("as_int64", path)
    }

    fn float(&self, path: &str) -> f64 {
        self.ask("as_float64", path)
    }

    fn str(&self, path: &str) -> String {
        // SAFETY: the node's text ends in a zero byte, and the node is live.
        unsafe { CStr::from_ptr(self.ask::<*const c_char>("as_char8_str", path)) }.to_str().expect("UTF-8").to_owned()
    }

    /// An array, which a file holds without gaps.
    fn array<T: Copy>(&self, kind: &str, path: &str) -> Vec<T> {
        let len: i64 = self.ask("number_of_elements", path);
        let first: *const T = self.ask(&format!("as_{kind}_ptr"), path);
        // SAFETY: the node has so many elements of that type.
        unsafe { std::slice::from_raw_parts(first, len as usize) }.to_vec()
    }

    /// Whether it is a mesh as Conduit's blueprint wants it.
    fn is_mesh(&self, path: &str) -> bool {
        type Verify = unsafe extern "C" fn(*const c_char, Node, Node) -> c_int;
        // SAFETY: the type is that of `conduit_blueprint.h`; what it says goes to a node of its own.
        unsafe {
            let verify: Verify = conduit(self.library, "blueprint_verify");
            verify(c"mesh".as_ptr(), self.at(path), new_node(self.library)) != 0
        }
    }
}

fn text(of: &str) -> CString {
    CString::new(of).expect("no zero byte")
}

#[test]
fn the_stub_writes_the_frames_that_were_handed_over() {
    let Some(path) = std::env::var_os("FERROCCA_LIBCATALYST").map(PathBuf::from) else {
        eprintln!("skipped: FERROCCA_LIBCATALYST does not name a libcatalyst");
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    // SAFETY: the only test of this program, and nothing else runs yet.
    unsafe { std::env::set_var("CATALYST_DATA_DUMP_DIRECTORY", directory.path()) };

    let device = Device::open("Serial").expect("it needs no compiler to open");
    let (rows, columns) = (4, 5);
    let values = |step: u64| -> Vec<f64> { (0..rows * columns).map(|i| f64::from(i) / 3.0 + step as f64).collect() };
    let counts: Vec<i32> = (0..rows * columns).collect();
    let mut u = device.malloc_from(&values(0)).expect("memory");
    let v = device.malloc_from(&counts.iter().map(|&count| count as f32 * 0.5).collect::<Vec<_>>()).expect("memory");
    let count = device.malloc_from(&counts).expect("memory");
    let shape = [rows as usize, columns as usize];
    let grid = UniformGrid::new(&[0.5, -1.0], &[0.25, 0.125]).expect("a grid");
    let hook = CatalystHook::open(&path, grid).expect("it opens");
    let mut hook = hook.implementation("stub", Some(path.with_file_name("catalyst"))).script("pipeline.py");
    let run = Run::new("test");
    hook.start(&run).expect("it starts");
    for step in 0..3 {
        u.copy_from(&values(step)).expect("a copy");
        let fields = [
            Field::new("u", &u).shape(&shape),
            Field::new("v", &v).shape(&shape),
            Field::new("count", &count).shape(&shape),
        ];
        hook.step(&Frame { step, time: 0.125 * step as f64, fields: &fields }).expect("a step");
    }
    hook.finish(&run).expect("it ends");

    // SAFETY: the library was initialised when the hook opened it.
    let library = unsafe { Library::new(&path) }.expect("it loads");
    let dump = |name: &str| Dump::load(&library, &directory.path().join(format!("{name}_params.conduit_bin.1.0")));
    let initialize = dump("initialize");
    assert_eq!(initialize.str("catalyst_load/implementation"), "stub");
    assert_eq!(initialize.str("catalyst/scripts/script0"), "pipeline.py");
    for step in 0..3 {
        let frame = dump(&format!("execute_invc{step}"));
        assert_eq!(frame.int("catalyst/state/timestep"), step as i64);
        assert_eq!(frame.float("catalyst/state/time"), 0.125 * step as f64);
        assert_eq!(frame.str("catalyst/channels/mesh/type"), "mesh");
        let mesh = "catalyst/channels/mesh/data";
        assert!(frame.is_mesh(mesh), "the library takes it for a mesh");
        assert_eq!(frame.int(&format!("{mesh}/coordsets/coords/dims/i")), i64::from(columns));
        assert_eq!(frame.int(&format!("{mesh}/coordsets/coords/dims/j")), i64::from(rows));
        let field = |name: &str| format!("{mesh}/fields/{name}/values");
        assert_eq!(frame.array::<f64>("float64", &field("u")), values(step));
        assert_eq!(frame.array::<f32>("float32", &field("v"))[3], 1.5);
        assert_eq!(frame.array::<i32>("int32", &field("count")), counts);
    }
    dump("finalize");
}
