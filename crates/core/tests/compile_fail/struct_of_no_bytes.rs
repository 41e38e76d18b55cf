ferrocca_core::kernel_struct! {
    struct Nothing { a: [f64; 0] }
}

fn main() {}
