//! The same kernels under names that mean something to a target: names in the IR are hints, so any of them may be replaced
//! by any other, also by one that something else has.

use okl::ir::Module;

/// Keywords, types, macros, functions and constants of the targets' languages; what their texts add by themselves; names
/// that are reserved by their form.
const NASTY: &str = "
    kernel class template this operator new delete register auto inline restrict volatile typedef goto signed bool true
    false half uint ulong uchar double2 float4 int3 size_t ptrdiff_t int64_t uint32_t int8_t local global constant private
    generic event_t image2d_t sampler_t fn let var loop switch workgroup storage uniform array atomic vec2 mat3x3 f32 i32
    u32 f16 ptr override enable discard while struct union enum namespace using virtual typename asm complex imaginary
    threadIdx blockIdx blockDim gridDim warpSize __shared__ __global__ get_global_id get_local_id barrier INFINITY NAN
    INT32_MIN INT64_MIN LONG_MIN NULL main assert sqrt sin cos tan floor round rint fabs fmin fmax pow exp log min max abs
    clamp select mix step dot sign fract modf ldexp bitcast isnan isinf isfinite fma printf memcpy malloc free exit errno
    okl_max_i32 okl_group okl_item okl_shared OKL_INDEPENDENT okl_atomic_add_i32 args Args first first_x item item_x group
    group_x groups begin end dims scratch arguments launch stretch next next_x items value done ended start u_start u_end
    x y z w a a_1 a_1_1 a_2 _ _a __a _A __ a__b a__1 x_buffer x_start x_1_start first_1 k_0 k_0_group k_0_groups k_0_coarsened
    entry_0 entry_0_x storageBarrier workgroupBarrier workgroup_id local_invocation_id bits word offset at old expected";

/// How many times each kernel is renamed: `FERROCCA_NAME_ROUNDS`, else once.
pub(crate) fn rounds() -> u64 {
    std::env::var("FERROCCA_NAME_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// A deterministic source of choices.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        // The linear congruential generator of D. E. Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % count
    }
}

/// The module with every name replaced. Two things may get one name, unless a caller must tell them apart: kernels, the
/// parameters of a kernel, and the fields of a struct.
pub(crate) fn renamed(module: &Module, seed: u64) -> Module {
    let nasty: Vec<&str> = NASTY.split_ascii_whitespace().collect();
    let mut random = Random(seed);
    let mut module = module.clone();
    let mut any = |name: &mut String| *name = nasty[random.below(nasty.len())].to_owned();
    for definition in &mut module.structs {
        any(&mut definition.name);
    }
    module.constants.iter_mut().for_each(|constant| any(&mut constant.name));
    for function in &mut module.functions {
        any(&mut function.name);
        function.body.vars.iter_mut().for_each(|var| any(&mut var.name));
    }
    for kernel in &mut module.kernels {
        kernel.body.vars.iter_mut().for_each(|var| any(&mut var.name));
    }
    let mut distinct = |names: Vec<&mut String>| {
        let mut left = nasty.clone();
        for name in names {
            *name = left.swap_remove(random.below(left.len())).to_owned();
        }
    };
    module.structs.iter_mut().for_each(|of| distinct(of.fields.iter_mut().map(|field| &mut field.name).collect()));
    for kernel in &mut module.kernels {
        let (params, vars) = (&kernel.params, kernel.body.vars.iter_mut().enumerate());
        let is_param = |index: usize| params.iter().any(|param| param.0 as usize == index);
        distinct(vars.filter(|(index, _)| is_param(*index)).map(|(_, var)| &mut var.name).collect());
    }
    distinct(module.kernels.iter_mut().map(|kernel| &mut kernel.name).collect());
    module
}
