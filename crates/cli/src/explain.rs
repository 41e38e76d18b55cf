//! `explain`: the compiler's rules and warnings.

use crate::table::Table;
use ferrocca::okl::{Severity, rules};
use ferrocca::{Error, Result};

/// One rule, or a list of all.
pub(crate) fn explain(name: Option<&str>) -> Result<String> {
    let Some(name) = name else {
        let mut table = Table::new(["code", "name", "kind", "what must hold"]);
        for rule in rules::all() {
            let kind = if rule.severity == Severity::Error { "error" } else { "warning" };
            table.row([rule.code, rule.name, kind, rule.sentence].map(str::to_owned).to_vec());
        }
        return Ok(table.render_wrapped(crate::table::terminal_width()));
    };
    let rule = rules::find(name).ok_or_else(|| {
        Error::invalid(format!("there is no rule `{name}`; `ferrocca explain` lists all, with their codes and names"))
    })?;
    Ok(rule.page())
}
