//! NVRTC itself: CUDA C++ text to CUBIN, from memory to memory. It needs no GPU.

use crate::error;
use crate::find::Found;
use ferrocca_core::{Error, Result};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

type Program = *mut c_void;
type Status = c_int;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Bytes = unsafe extern "C" fn(Program, *mut c_char) -> Status;

/// `NVRTC_ERROR_COMPILATION`: the text is at fault, not the call.
const COMPILATION: Status = 6;

/// What the text is called in messages about lines that come from no source line.
const TEXT_NAME: &CStr = c"<emitted text>";

/// A compiler may say a lot about one mistake; more than this helps nobody.
const MOST_OUTPUT: usize = 16 << 10;

/// The functions of a loaded NVRTC.
pub(crate) struct Nvrtc {
    version: (u32, u32),
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    create: Create,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    log_size: Size,
    log: Bytes,
    cubin_size: Size,
    cubin: Bytes,
    #[cfg(test)]
    ptx_size: Size,
    #[cfg(test)]
    ptx: Bytes,
    #[cfg(test)]
    architecture_count: unsafe extern "C" fn(*mut c_int) -> Status,
    #[cfg(test)]
    architectures: unsafe extern "C" fn(*mut c_int) -> Status,
    /// Keeps the functions above valid.
    _library: Library,
    /// Found by NVRTC because it is loaded.
    _builtins: Option<Library>,
}

impl Nvrtc {
    /// The library that was found; it is loaded once in a process, and stays.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Compiler`] when it does not load.
    pub(crate) fn of(found: &Found) -> Result<&'static Self> {
        static LOADED: Mutex<Vec<(PathBuf, &Nvrtc)>> = Mutex::new(Vec::new());
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, nvrtc)) = loaded.iter().find(|(path, _)| *path == found.path) {
            return Ok(nvrtc);
        }
        let nvrtc = Self::load(found)
            .map_err(|reason| error::compiler(format!("NVRTC {} does not load: {reason}", found.path.display())))?;
        let nvrtc: &'static Self = Box::leak(Box::new(nvrtc));
        loaded.push((found.path.clone(), nvrtc));
        Ok(nvrtc)
    }

    fn load(found: &Found) -> Result<Self, String> {
        let builtins = load_builtins(found);
        // SAFETY: opening NVRTC has no requirement; the types of its functions are those of nvrtc.h.
        unsafe {
            let library = Library::new(&found.path).map_err(|error| error.to_string())?;
            let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status = symbol(&library, "nvrtcVersion")?;
            let (mut major, mut minor) = (0, 0);
            if version(&mut major, &mut minor) != 0 {
                return Err("nvrtcVersion fails".into());
            }
            Ok(Self {
                version: (major.unsigned_abs(), minor.unsigned_abs()),
                error_string: symbol(&library, "nvrtcGetErrorString")?,
                create: symbol(&library, "nvrtcCreateProgram")?,
                destroy: symbol(&library, "nvrtcDestroyProgram")?,
                compile: symbol(&library, "nvrtcCompileProgram")?,
                log_size: symbol(&library, "nvrtcGetProgramLogSize")?,
                log: symbol(&library, "nvrtcGetProgramLog")?,
                cubin_size: symbol(&library, "nvrtcGetCUBINSize")?,
                cubin: symbol(&library, "nvrtcGetCUBIN")?,
                #[cfg(test)]
                ptx_size: symbol(&library, "nvrtcGetPTXSize")?,
                #[cfg(test)]
                ptx: symbol(&library, "nvrtcGetPTX")?,
                #[cfg(test)]
                architecture_count: symbol(&library, "nvrtcGetNumSupportedArchs")?,
                #[cfg(test)]
                architectures: symbol(&library, "nvrtcGetSupportedArchs")?,
                _library: library,
                _builtins: builtins,
            })
        }
    }

    /// Compiles `text`, which may have `#line` directives, for the architecture that `options` name.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Kernel`] with NVRTC's messages when the text is refused,
    /// [`ferrocca_core::ErrorKind::Compiler`] for every other failure.
    pub(crate) fn compile(&self, text: &str, options: &[String]) -> Result<Vec<u8>> {
        let program = self.compiled(text, options)?;
        self.read(&program, self.cubin_size, self.cubin, "nvrtcGetCUBIN")
    }

    /// The same, as PTX, for what it can say about the machine's instructions.
    #[cfg(test)]
    pub(crate) fn compile_to_ptx(&self, text: &str, options: &[String]) -> Result<String> {
        let program = self.compiled(text, options)?;
        let ptx = self.read(&program, self.ptx_size, self.ptx, "nvrtcGetPTX")?;
        Ok(String::from_utf8_lossy(&ptx).into_owned())
    }

    /// What NVRTC says about a text that it takes; nothing where it finds nothing wrong.
    #[cfg(test)]
    pub(crate) fn warnings(&self, text: &str, options: &[String]) -> Result<String> {
        Ok(self.said(&self.compiled(text, options)?))
    }

    /// Every architecture that it compiles for: 90 is `sm_90`.
    #[cfg(test)]
    pub(crate) fn architectures(&self) -> Result<Vec<u32>> {
        let mut count = 0;
        // SAFETY: the call writes one number.
        self.check(unsafe { (self.architecture_count)(&mut count) }, "nvrtcGetNumSupportedArchs")?;
        let mut all = vec![0; count.unsigned_abs() as usize];
        // SAFETY: the buffer has as many numbers as NVRTC said.
        self.check(unsafe { (self.architectures)(all.as_mut_ptr()) }, "nvrtcGetSupportedArchs")?;
        Ok(all.into_iter().map(c_int::unsigned_abs).collect())
    }

    fn compiled(&self, text: &str, options: &[String]) -> Result<Owned<'_>> {
        let nul = |what: &str| error::compiler(format!("{what} has a NUL byte, which NVRTC cannot be given"));
        let text = CString::new(text).map_err(|_| nul("the text of a kernel"))?;
        let options: Vec<CString> = options
            .iter()
            .map(|option| CString::new(option.as_str()).map_err(|_| nul("a compiler option")))
            .collect::<Result<_>>()?;
        let pointers: Vec<_> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program = Owned { raw: std::ptr::null_mut(), nvrtc: self };
        let none = std::ptr::null();
        // SAFETY: the strings outlive the calls, and the program is destroyed by its owner.
        let status = unsafe {
            let created = (self.create)(&mut program.raw, text.as_ptr(), TEXT_NAME.as_ptr(), 0, none, none);
            self.check(created, "nvrtcCreateProgram")?;
            (self.compile)(program.raw, pointers.len() as c_int, pointers.as_ptr())
        };
        if status == 0 { Ok(program) } else { Err(self.refusal(&program, status)) }
    }

    fn read(&self, program: &Owned<'_>, size: Size, bytes: Bytes, call: &'static str) -> Result<Vec<u8>> {
        let mut len = 0;
        // SAFETY: the program lives, and the buffer has the size that NVRTC asks for.
        unsafe {
            self.check(size(program.raw, &mut len), call)?;
            let mut buffer = vec![0_u8; len];
            self.check(bytes(program.raw, buffer.as_mut_ptr().cast()), call)?;
            Ok(buffer)
        }
    }

    /// The messages of a compilation.
    fn said(&self, program: &Owned<'_>) -> String {
        let log = self.read(program, self.log_size, self.log, "nvrtcGetProgramLog").unwrap_or_default();
        String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned()
    }

    /// Why a compilation failed. An option that NVRTC does not know, or a GPU, is not the kernel's fault.
    fn refusal(&self, program: &Owned<'_>, status: Status) -> Error {
        let log = self.said(program);
        let name = format!("NVRTC {}.{}", self.version.0, self.version.1);
        if status == COMPILATION {
            return error::refused(format!(
                "{name} refused the text that was emitted for this kernel:\n{}",
                shorten(&log)
            ));
        }
        error::compiler(format!("{name}: {}\n{}", self.describe(status), shorten(&log)).trim_end().to_owned())
    }

    fn check(&self, status: Status, call: &str) -> Result<()> {
        if status == 0 { Ok(()) } else { Err(error::compiler(format!("{call}: {}", self.describe(status)))) }
    }

    fn describe(&self, status: Status) -> String {
        // SAFETY: answers a text that is never freed, for every status.
        let text = unsafe { (self.error_string)(status) };
        if text.is_null() {
            return format!("status {status}");
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// The library that NVRTC opens by its bare name at the first compilation.
///
/// Some packages of NVRTC, PyPI's for CUDA 13.0 among them, do not tell the dynamic loader to look for it beside
/// themselves: NVRTC then fails with `failed to open libnvrtc-builtins.so.13.0`. The loader takes what is loaded
/// under that name already. Where there is no such file, NVRTC finds it by itself or says what it misses.
fn load_builtins(found: &Found) -> Option<Library> {
    let name = format!("libnvrtc-builtins.so.{}.{}", found.version.0, found.version.1);
    // A toolkit's NVRTC may be a link into another directory.
    let real = found.path.canonicalize().ok()?;
    let path = [&found.path, &real].map(|nvrtc| nvrtc.with_file_name(&name)).into_iter().find(|path| path.is_file())?;
    // SAFETY: the library has no initialiser that requires anything.
    unsafe { Library::new(path) }.ok()
}

/// A function of a library.
///
/// # Safety
/// `F` is the type of the function with that name.
unsafe fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: by the caller.
    unsafe { library.get::<F>(name.as_bytes()) }.map(|symbol| *symbol).map_err(|error| error.to_string())
}

fn shorten(log: &str) -> String {
    if log.len() <= MOST_OUTPUT {
        return log.to_owned();
    }
    let end = (0..=MOST_OUTPUT).rfind(|&at| log.is_char_boundary(at)).unwrap_or(0);
    format!("{}\n… ({} more bytes)", &log[..end], log.len() - end)
}

/// A program of NVRTC's, destroyed when dropped.
struct Owned<'a> {
    raw: Program,
    nvrtc: &'a Nvrtc,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: created once, destroyed once.
            unsafe { (self.nvrtc.destroy)(&mut self.raw) };
        }
    }
}
