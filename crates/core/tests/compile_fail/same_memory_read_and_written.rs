use ferrocca_core::{Kernel, Memory, Result, args};

fn in_place(kernel: &Kernel, mut u: Memory<f64>) -> Result<()> {
    kernel.launch(args![&u, &mut u])
}

fn main() {}
