use ferrocca_core::{Kernel, Result, args};

fn text(kernel: &Kernel) -> Result<()> {
    kernel.launch(args!["text"])
}

fn main() {}
