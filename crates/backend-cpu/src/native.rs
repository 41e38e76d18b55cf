//! C functions that are no OKL: they take addresses, as OCCA's native C kernels do, and run once on the calling thread.

use crate::kernel::{self, Loaded, address, aligned};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use okl::signature::NestSignature;
use std::ffi::c_void;
use std::sync::Arc;

/// A function whose parameters only its author knows.
type Function = unsafe extern "C" fn();

struct NativeKernel {
    function: Function,
    /// Keeps the code of `function` mapped.
    #[allow(dead_code)]
    loaded: Loaded,
}

/// Loads a library and finds a function of it.
pub(crate) fn load(library: &[u8], name: &str) -> Result<Arc<dyn BackendKernel>> {
    let loaded = kernel::open(library)?;
    // SAFETY: it is called as its caller says that it is declared, and only while `loaded` lives.
    let function = unsafe { loaded.entry::<Function>(name) }?;
    Ok(Arc::new(NativeKernel { function, loaded }))
}

impl BackendKernel for NativeKernel {
    fn max_inner(&self) -> u64 {
        kernel::MAX_INNER
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        _dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        _stream: &dyn BackendStream,
    ) -> Result<()> {
        let mut copies = Vec::new();
        let mut addresses = Vec::with_capacity(arguments.len());
        for argument in arguments {
            addresses.push(match *argument {
                PackedArgument::Memory { memory, offset_bytes, .. } => address(memory, offset_bytes)?,
                PackedArgument::Value(bytes) => aligned(bytes, &mut copies),
            });
        }
        // SAFETY: by the caller the function takes these arguments.
        unsafe { call(self.function, &addresses) };
        Ok(())
    }
}

/// # Safety
/// `function` takes as many addresses.
unsafe fn call(function: Function, addresses: &[*const c_void]) {
    macro_rules! call_with {
        ($($([$name:ident])*;)*) => {
            match *addresses {
                // SAFETY: by the caller it takes nothing.
                [] => unsafe { function() },
                $([$($name),*] => {
                    type Typed = unsafe extern "C" fn($(call_with!(@type $name)),*);
                    // SAFETY: by the caller this is its type.
                    unsafe { std::mem::transmute::<Function, Typed>(function)($($name),*) }
                })*
                _ => unreachable!("core passes at most 32 arguments"),
            }
        };
        (@type $name:ident) => { *const c_void };
    }
    call_with!(
        [a0];
        [a0][a1];
        [a0][a1][a2];
        [a0][a1][a2][a3];
        [a0][a1][a2][a3][a4];
        [a0][a1][a2][a3][a4][a5];
        [a0][a1][a2][a3][a4][a5][a6];
        [a0][a1][a2][a3][a4][a5][a6][a7];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25][a26];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25][a26][a27];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25][a26][a27][a28];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25][a26][a27][a28][a29];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25][a26][a27][a28][a29][a30];
        [a0][a1][a2][a3][a4][a5][a6][a7][a8][a9][a10][a11][a12][a13][a14][a15][a16][a17][a18][a19][a20][a21][a22][a23][a24][a25][a26][a27][a28][a29][a30][a31];
    );
}
