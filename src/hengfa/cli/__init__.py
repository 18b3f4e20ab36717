"""The command line: parse, call, print. Everything that thinks is further down."""
