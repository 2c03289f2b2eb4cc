"""Entry points: the command line and what it calls. Imports all rooms."""
