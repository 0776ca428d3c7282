"""`python -m hopscope` is the command line."""

from hopscope.cli import main

main()
