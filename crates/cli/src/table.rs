//! Text in columns.

/// Rows of cells, printed with each column as wide as its widest cell. The last column is not padded.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose first row is `head`.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { rows: vec![head.map(str::to_owned).to_vec()] }
    }

    /// Adds a row, which may have fewer cells than others.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines, each with its end.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            // A row's last cell runs on, as a sentence does.
            let cells = self.rows.iter().filter(|row| column + 1 < row.len());
            cells.map(|row| row[column].chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
                line.push_str(&format!("{cell:<width$}  "));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_a_last_cell_runs_on() {
        let mut table = Table::new(["mode", "name", "cores"]);
        table.row(vec!["Serial".into(), "µ-processor".into(), "1".into()]);
        table.row(vec!["CUDA".into(), "there is no driver on this machine".into()]);
        let expected = "mode    name         cores\n\
                        Serial  µ-processor  1\n\
                        CUDA    there is no driver on this machine\n";
        assert_eq!(table.render(), expected);
    }
}
