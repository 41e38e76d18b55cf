//! Races that a checked device finds in memory that a kernel gets twice, and none where it only reads.

use ferrocca_core::{Device, Result, args};

// Links the backend, which then registers itself.
use ferrocca_backend_cpu as _;

const SOURCE: &str = "
@kernel void shift(const int n, const double *from, double *to) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    to[i] = from[i + 1] + from[i];
  }
}
";

#[test]
fn a_parameter_that_is_only_read_races_where_another_one_writes_its_memory() -> Result<()> {
    let device = Device::open("mode=Serial, checked=true")?;
    let shift = device.build_kernel_from_string(SOURCE, "shift", ())?;
    let values: Vec<f64> = (0..9).map(f64::from).collect();
    let mut a = device.malloc_from(&values)?;
    let mut b = device.malloc_from(&values)?;
    // Memory that one launch reads and the next one writes, and back.
    for _ in 0..3 {
        shift.launch(args![8, &a, &mut b])?;
        shift.launch(args![8, &b, &mut a])?;
    }
    // Each item reads what its neighbour writes.
    let twice = a.share();
    let told = shift.launch(args![8, &twice, &mut a]).expect_err("a race").to_string();
    assert!(told.contains("race") && told.contains("`to[1]`"), "{told}");
    // The same memory in two parts that do not touch.
    let long = device.malloc_from(&[1.0; 18])?;
    let (from, mut to) = (long.slice(..9)?, long.slice(9..)?);
    shift.launch(args![8, &from, &mut to])?;
    assert_eq!(to.to_vec()?[..8], [2.0; 8]);
    Ok(())
}
