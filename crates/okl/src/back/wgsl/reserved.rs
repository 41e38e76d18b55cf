//! What WGSL reserves.

use crate::back::namer::{Reserved, is_one_of};

pub(super) const RESERVED: Reserved = Reserved { anywhere, at_module_scope, functions: |_| false, fields: is_word };

/// Keywords, and words that the language keeps for later.
fn is_word(name: &str) -> bool {
    is_one_of(WORDS, name)
}

const WORDS: &str = "
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for
    if let loop override requires return struct switch true var while NULL Self abstract active alignas alignof
    as asm asm_fragment async attribute auto await become cast catch class co_await co_return co_yield coherent
    column_major common compile compile_fragment concept const_cast consteval constexpr constinit crate debugger
    decltype delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external
    fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements import
    inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move mut mutable
    namespace new nil noexcept noinline nointerpolation non_coherent noncoherent noperspective null nullptr of
    operator package packoffset partition pass patch pixelfragment precise precision premerge priv protected pub
    public readonly ref regardless register reinterpret_cast require resource restrict self set shared sizeof
    smooth snorm static static_assert static_cast std subroutine super target template this thread_local throw
    trait try type typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual
    volatile wgsl where with writeonly yield";

/// What texts of ours read or call, and what naga finds before it looks at declarations.
fn anywhere(name: &str) -> bool {
    const NAMES: &str = "
        bool i16 i32 i64 u16 u32 u64 f16 f32 f64 array atomic ptr vec2 vec3 vec4 sampler sampler_comparison abs bitcast
        ceil extractBits floor fma max min round select sqrt trunc workgroupBarrier storageBarrier workgroupUniformLoad
        arrayLength countLeadingZeros firstLeadingBit exp2 ldexp frexp modf clamp sign acos acosh asin asinh atan
        atan2 atanh cos cosh exp log log2 pow sin sinh tan tanh inverseSqrt subgroupBallot subgroupShuffle";
    let starts = ["atomic", "mat2x", "mat3x", "mat4x", "vec2", "vec3", "vec4", "texture_"];
    is_word(name) || is_one_of(NAMES, name) || starts.iter().any(|start| name.starts_with(start))
}

/// Variables of the functions that reach memory, which would hide it, and the words of `var<…>`, which a declaration hides.
fn at_module_scope(name: &str) -> bool {
    const NAMES: &str = "
        at bits found next old shift swap value word function private workgroup uniform storage immediate read write
        read_write";
    is_one_of(NAMES, name)
}
