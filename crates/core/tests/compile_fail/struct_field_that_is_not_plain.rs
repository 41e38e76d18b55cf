ferrocca_core::kernel_struct! {
    struct Holder { name: &'static str }
}

fn main() {}
