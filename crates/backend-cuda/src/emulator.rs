//! Emitted CUDA C++ run by the host, for tests: compiled by the machine's C++ compiler with a few words defined, one
//! thread of the system for each thread of a block, one block after the other.

use libloading::Library;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::process::{Command, Stdio};
use std::rc::Rc;

/// What CUDA's compiler knows by itself.
const WORDS: &str = r#"
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#undef INT32_MIN
#undef INT64_MIN
#undef NAN
#undef INFINITY
#define __device__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(count)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
struct okl_index { unsigned x, y, z; };
static thread_local okl_index threadIdx, blockIdx;
static pthread_barrier_t okl_barrier, okl_warp_barriers[32];
static void __syncthreads() { pthread_barrier_wait(&okl_barrier); }
static void __syncwarp() { pthread_barrier_wait(&okl_warp_barriers[threadIdx.x / 32]); }
static std::atomic<int> okl_votes[2];
static thread_local unsigned okl_vote = 0;
static int __syncthreads_or(int value) {
    std::atomic<int> &votes = okl_votes[okl_vote++ % 2];
    if (value) votes = 1;
    __syncthreads();
    const int any = votes;
    __syncthreads();
    votes = 0;
    return any;
}
static unsigned char okl_lanes[1024][8];
template <typename T>
static T okl_shuffle_lanes(T value, unsigned from) {
    std::memcpy(okl_lanes[threadIdx.x], &value, sizeof(T));
    __syncwarp();
    T other = value;
    if (from / 32 == threadIdx.x / 32) std::memcpy(&other, okl_lanes[from], sizeof(T));
    __syncwarp();
    return other;
}
template <typename T>
static T __shfl_up_sync(unsigned, T value, unsigned by) { return okl_shuffle_lanes(value, threadIdx.x - by); }
template <typename T>
static T __shfl_down_sync(unsigned, T value, unsigned by) { return okl_shuffle_lanes(value, threadIdx.x + by); }
static std::mutex okl_lock;
template <typename T, typename U>
static T atomicAdd(T *at, U value) {
    std::lock_guard<std::mutex> guard(okl_lock);
    const T old = *at;
    *at = old + value;
    return old;
}
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
template <typename... A, std::size_t... I>
static void okl_call(void (*entry)(A...), void **values, std::index_sequence<I...>) {
    entry(*(std::remove_const_t<A> *)values[I]...);
}
template <typename... A>
static void okl_launch(void (*entry)(A...), const unsigned *grid, const unsigned *block, void **values) {
    const unsigned count = block[0] * block[1] * block[2];
    pthread_barrier_init(&okl_barrier, nullptr, count);
    for (unsigned warp = 0; warp < 32; ++warp) pthread_barrier_init(&okl_warp_barriers[warp], nullptr, 32);
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < count; ++thread) {
        threads.emplace_back([=] {
            threadIdx = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
            for (unsigned z = 0; z < grid[2]; ++z) for (unsigned y = 0; y < grid[1]; ++y) for (unsigned x = 0; x < grid[0]; ++x) {
                blockIdx = {x, y, z};
                okl_call(entry, values, std::index_sequence_for<A...>{});
                __syncthreads();
            }
        });
    }
    for (auto &thread : threads) thread.join();
    pthread_barrier_destroy(&okl_barrier);
}
"#;

type Entry = unsafe extern "C" fn(*const u32, *const u32, *mut *mut c_void);

thread_local! {
    static LOADED: RefCell<HashMap<String, (Entry, Rc<Library>)>> = RefCell::default();
}

/// Compiles a text, so that launches of its entries on this thread run; false where there is no C++ compiler.
pub(crate) fn load(text: &str, entries: &[&str], dynamic_bytes: u64) -> bool {
    // A namespace, because the text names types as C's headers do. A text for a GPU names shared memory twice static, or
    // of a size that the launch tells.
    let text = text.replace("static __shared__", "__shared__").replace(
        "extern __shared__ __align__(16) unsigned char okl_state[];",
        &format!("static __align__(16) unsigned char okl_state[{}];", dynamic_bytes.max(1)),
    );
    let mut code = format!("{WORDS}namespace okl_text {{\n{text}\n}}\n");
    for entry in entries {
        code += &format!(
            "\nextern \"C\" void okl_emulated_{entry}(const unsigned *grid, const unsigned *block, void **values) {{\n    \
             okl_launch(okl_text::{entry}, grid, block, values);\n}}\n"
        );
    }
    let Some(library) = compile(&code) else { return false };
    let library = Rc::new(library);
    for entry in entries {
        // SAFETY: the functions were written above with this type.
        let function =
            *unsafe { library.get::<Entry>(format!("okl_emulated_{entry}").as_bytes()) }.expect("it is there");
        LOADED.with_borrow_mut(|loaded| loaded.insert((*entry).to_owned(), (function, library.clone())));
    }
    true
}

/// Compiles C++ to a library and opens it; `None` where there is no C++ compiler.
pub(crate) fn compile(code: &str) -> Option<Library> {
    let Some(compiler) = compiler() else {
        assert!(std::env::var_os("FERROCCA_REQUIRE_CC").is_none(), "there is no C++ compiler");
        println!("skipped: there is no C++ compiler");
        return None;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let (source, library) = (directory.path().join("code.cpp"), directory.path().join("code.so"));
    std::fs::write(&source, code).expect("a file");
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-O1", "-ffp-contract=off", "-w", "-fPIC", "-shared", "-pthread", "-o"]);
    let output = command.arg(&library).arg(&source).output().expect("the compiler starts");
    assert!(output.status.success(), "{}\n{code}", String::from_utf8_lossy(&output.stderr));
    // SAFETY: the code has no initialisers that ask for anything.
    Some(unsafe { Library::new(&library) }.expect("it loads"))
}

/// Runs a launch of an entry that was loaded; nothing happens for others.
///
/// # Safety
/// The values fit the entry.
pub(crate) unsafe fn run(entry: &str, grid: [u32; 3], block: [u32; 3], values: *mut *mut c_void) {
    let found = LOADED.with_borrow(|loaded| loaded.get(entry).cloned());
    if let Some((function, _library)) = found {
        // SAFETY: by the caller.
        unsafe { function(grid.as_ptr(), block.as_ptr(), values) };
    }
}

fn compiler() -> Option<&'static str> {
    ["c++", "clang++", "g++"].into_iter().find(|name| {
        let version = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    })
}
