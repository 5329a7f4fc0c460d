"""The commands of `skyhop`, one a module; each imports what is heavy only when it runs."""
