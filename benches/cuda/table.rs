//! Rows of the table: what was measured, of us and of the peer, and the bar that it is held to.

/// What a measured value is held to.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    /// No bar: for comparison.
    None,
    /// At most this much.
    AtMost(f64),
    /// At most so much more than the peer.
    MoreThanPeer(f64),
    /// At most this many times what the peer needs.
    TimesPeer(f64),
    /// At least this share of what the peer reaches.
    ShareOfPeer(f64),
}

/// A measured row.
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: &'static str,
    pub(crate) own: f64,
    /// The peer's name and value.
    pub(crate) peer: Option<(&'static str, f64)>,
    pub(crate) bar: Bar,
}

/// Prints the table's head.
pub(crate) fn head() {
    println!(
        "{:<60}{:>6}{:>10}{:>10}  {:<17}{:>7}  {:<21}met",
        "what", "unit", "ferrocca", "peer", "the peer", "ratio", "bar"
    );
}

impl Row {
    /// Whether the bar is met; `None` where there is none, or no peer to compare with.
    fn met(&self) -> Option<bool> {
        let peer = self.peer.map(|(_, value)| value);
        match self.bar {
            Bar::None => None,
            Bar::AtMost(most) => Some(self.own <= most),
            Bar::MoreThanPeer(more) => Some(self.own <= peer? + more),
            Bar::TimesPeer(times) => Some(self.own <= peer? * times),
            Bar::ShareOfPeer(share) => Some(self.own >= peer? * share),
        }
    }

    pub(crate) fn print(&self) {
        let bar = match self.bar {
            Bar::None => String::new(),
            Bar::AtMost(most) => format!("at most {most}"),
            Bar::MoreThanPeer(more) => format!("at most peer + {more}"),
            Bar::TimesPeer(times) => format!("at most {times} x"),
            Bar::ShareOfPeer(share) => format!("at least {share} x"),
        };
        let met = self.met().map_or("", |met| if met { "yes" } else { "NO" });
        let (name, value, ratio) = match self.peer {
            Some((name, value)) => (name, digits(value), format!("{:.3}", self.own / value)),
            None => ("", String::new(), String::new()),
        };
        let own = digits(self.own);
        println!("{:<60}{:>6}{own:>10}{value:>10}  {name:<17}{ratio:>7}  {bar:<21}{met}", self.what, self.unit);
    }
}

/// Four digits and more, without an exponent.
fn digits(value: f64) -> String {
    let decimals = match value.abs() {
        large if large >= 1000.0 => 0,
        large if large >= 10.0 => 2,
        _ => 4,
    };
    format!("{value:.decimals$}")
}
