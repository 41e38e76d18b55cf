//! The macro `okl!`, which `ferrocca` exports: a file of kernels becomes Rust items while the program compiles.
//!
//! Invariant: what the macro refuses is refused with the compiler's own findings, each with its place in the `.okl` file.
//! Not here: which device compiles the kernels, and when; that is asked of `Kernels::build` when the program runs.

mod call;
mod items;

use proc_macro::TokenStream;

/// Checks the kernels of a file while the program compiles, and makes a launch function of each.
///
/// `okl!("kernels/scale.okl", dfloat = "double", WIDTH = 64)` takes a path from the package's root, and macros to define. It
/// stands where items do, best in a module of its own, and becomes:
///
/// - `struct Kernels`, the kernels built for a device;
/// - `Kernels::build(&device, props)`, which builds them from the text within the program: no file is read when it runs;
/// - a method for each kernel, with its parameters: numbers by value, `&Memory<T>` for `const` pointers, `&mut Memory<T>` for
///   others, so that a wrong argument does not compile;
/// - a method `NAME_kernel` for each, the [`Kernel`](https://docs.rs/ferrocca) itself.
///
/// The program is compiled anew when the file, or one that it includes, changes.
#[proc_macro]
pub fn okl(input: TokenStream) -> TokenStream {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let made = call::Call::parse(&input.to_string()).and_then(|call| items::of(&call, root.as_ref()));
    let text = made.unwrap_or_else(|why| format!("::core::compile_error!({:?});", format!("\n{why}")));
    text.parse().unwrap_or_else(|error| panic!("okl! has made what is no Rust, please report it: {error}\n{text}"))
}
