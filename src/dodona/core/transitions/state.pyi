# The layout of a configuration, for compiled code only: nothing here is visible from Python.
