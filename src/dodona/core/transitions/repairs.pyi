# For compiled code only: nothing here is visible from Python.
