"""The script of `burgers --live [PORT]`, and of other programs that offer the page: its argument is the port, 0 for any."""

import sys

from ferrocca.insitu import Live

hook = Live(int(sys.argv[1]) if sys.argv[1:2] and sys.argv[1].isdigit() else 0)
