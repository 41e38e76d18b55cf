"""A page on this machine that shows the running solver, and steers it:

    cargo run --release --example burgers -- --insitu examples/insitu/live.py --points 1000 --dt 1e-4 --final-time 50

Open the address that it prints. `FERROCCA_LIVE_PORT` chooses the port.
"""

import os

from ferrocca.insitu import Live

hook = Live(int(os.environ.get("FERROCCA_LIVE_PORT", "0")))
