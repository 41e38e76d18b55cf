//! Names of the IR: unique within a body and no word that any target reserves, so that emitters print them as they are.

use std::collections::{HashMap, HashSet};

/// The names that one body has given out.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    used: HashSet<String>,
    /// Last number appended to a name, so that a thousand loops over `i` cost no search.
    last: HashMap<String, u32>,
}

impl Names {
    /// Takes a name out of the pool: nothing will be called so.
    pub(super) fn reserve(&mut self, name: &str) {
        self.used.insert(name.to_owned());
    }

    /// A name that nothing else has: `wanted` itself where possible, else with a number.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let base = legal(wanted);
        if !is_reserved(&base) && self.used.insert(base.clone()) {
            return base;
        }
        let last = self.last.entry(base.clone()).or_default();
        loop {
            *last += 1;
            let name = format!("{base}_{last}");
            if !is_reserved(&name) && self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

/// C reserves `__x` and `_X`; WGSL knows neither `_` nor a leading `__`.
fn legal(wanted: &str) -> String {
    let rest = wanted.trim_start_matches('_');
    let leading = wanted.len() - rest.len();
    let upper = rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    if rest.is_empty() || leading >= 2 || (leading == 1 && upper) {
        format!("v{wanted}").replace("__", "_")
    } else {
        wanted.replace("__", "_")
    }
}

/// Whether any target reserves a word.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.split_ascii_whitespace().any(|word| word == name) || super::math::is_function(name)
}

/// Keywords and macros of C, C++ and CUDA, OpenCL C and WGSL, and the C library's names that emitted text may use.
const RESERVED: &str = "
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
    constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
    new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires
    restrict return short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
    atomic_cancel atomic_commit atomic_noexcept reflexpr synchronized complex imaginary linux unix i386
    int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t ptrdiff_t intptr_t uintptr_t main
    assert errno stdin stdout stderr memcpy memset malloc free printf NULL EOF NAN INFINITY HUGE_VAL I
    threadIdx blockIdx blockDim gridDim warpSize atomicAdd atomicSub atomicExch atomicMin atomicMax atomicCAS
    kernel global local constant generic uniform pipe read_only write_only read_write half quad uchar ushort uint
    ulong sampler_t event_t image1d_t image2d_t image3d_t barrier clamp degrees mix radians step smoothstep sign cross
    dot distance length normalize select any all as_type mad vload vstore prefetch
    char2 char3 char4 char8 char16 uchar2 uchar3 uchar4 uchar8 uchar16 short2 short3 short4 short8 short16 ushort2
    ushort3 ushort4 ushort8 ushort16 int2 int3 int4 int8 int16 uint2 uint3 uint4 uint8 uint16 long2 long3 long4
    long8 long16 ulong2 ulong3 ulong4 ulong8 ulong16 float2 float3 float4 float8 float16 double2 double3 double4
    double8 double16
    alias array atomic bitcast const_assert continuing diagnostic discard enable f16 f32 f64 fn i32 i64 let loop
    mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 override ptr requires sampler storage_1d u32 u64
    vec2 vec3 vec4 var workgroup function storage
    NULL Self abstract active as async attribute await become cast coherent column_major common compile
    compile_fragment cbuffer crate debugger def demote dot do_while examples exports extends external fallthrough
    filter final finally from fxgroup get goto groupshared highp impl implements import in inout instanceof interface
    invariant layout lowp macro match mediump meta mod module move mut namespace nil noinline nointerpolation
    nonce noncoherent noperspective null of packed partial pass patch pixelfragment precise precision premerge priv
    pub readonly ref regardless resource self sequential set shared smooth snorm snorm_ subroutine super target
    technique texture then trait type unless unorm unorm_ unsafe unsized use varying vec volatile wgsl where with
    writeonly yield";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_legal_everywhere() {
        let mut names = Names::default();
        names.reserve("helper");
        let given: Vec<_> = ["i", "i", "i_1", "class", "fn", "helper", "__x", "_", "_X", "sqrt", "a__b"]
            .into_iter()
            .map(|wanted| names.unique(wanted))
            .collect();
        assert_eq!(given, ["i", "i_1", "i_1_1", "class_1", "fn_1", "helper_1", "v_x", "v_", "v_X", "sqrt_1", "a_b"]);
    }
}
