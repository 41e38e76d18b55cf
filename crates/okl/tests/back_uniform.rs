//! What the uniformity analysis says of the variables of a kernel.

use okl::ir::{Kernel, VarId};
use okl::passes::uniform::{Uniformity, Varies};
use okl::{NoIncludes, Request};

const SOURCE: &str = "
@kernel void k(const int n, const double *u, double *v) {
  for (int b = 0; b < n; ++b; @outer) {
    @shared double s[16];
    @exclusive int mine;
    const int base = b * 16;
    for (int j = 0; j < 4; ++j; @inner(1)) {
      for (int i = 0; i < 4; ++i; @inner(0)) {
        const int row = j * 2 + base;
        const int item = row + i;
        const bool edge = n > 3 && base < 7;
        int chosen = 1;
        if (i > 2) chosen = 2;
        int turns = 0;
        for (int k = 0; k < j; ++k) turns += 2;
        int fixed = 0;
        for (int k = 0; k < n; ++k) fixed += k;
        int left = 0;
        for (int k = 0; k < n; ++k) {
          if (k > i) break;
          left += 1;
        }
        const double read = u[base];
        s[i] = v[base];
        const double wrote = v[base + 1];
        mine = chosen;
        v[item] = read + wrote + s[i] + turns + fixed + left + edge;
      }
    }
    for (int j = 0; j < 4; ++j; @inner(1)) {
      for (int i = 0; i < 4; ++i; @inner(0)) {
        const int kept = mine + 1;
        const double total = s[3];
        v[kept] += total;
      }
    }
  }
}";

fn var(kernel: &Kernel, name: &str) -> VarId {
    let position = kernel.body.vars.iter().position(|variable| variable.name == name);
    VarId(position.unwrap_or_else(|| panic!("there is no `{name}`")) as u32)
}

#[test]
fn values_vary_along_the_axes_they_depend_on() {
    let request = Request { name: "k", source: SOURCE, mode: "CPU", defines: &[], includes: &NoIncludes };
    let (module, ..) = okl::to_ir(&request).unwrap_or_else(|e| panic!("{e}"));
    let kernel = &module.kernels[0];
    let found = Uniformity::of_nest(kernel, &kernel.nests[0]);
    let (x, y) = (Varies::axis(0), Varies::axis(1));
    let expected = [
        ("b", Varies::NOTHING),
        ("base", Varies::NOTHING),
        ("edge", Varies::NOTHING),
        ("fixed", Varies::NOTHING),
        ("row", y),
        ("item", x | y),
        ("chosen", x),
        ("turns", y),
        ("left", x),
        ("read", Varies::NOTHING),
        ("wrote", Varies::MEMORY),
        ("mine", x),
        ("kept", x),
        ("total", Varies::MEMORY),
    ];
    for (name, varies) in expected {
        assert_eq!(found.var(var(kernel, name)), varies, "{name}");
    }
    assert!(found.var(var(kernel, "wrote")).is_uniform() && !found.var(var(kernel, "wrote")).is_plainly_uniform());
    assert!(found.var(var(kernel, "row")).along(1) && !found.var(var(kernel, "row")).along(0));
}
