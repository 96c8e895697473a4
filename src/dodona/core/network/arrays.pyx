"""Checked conversion of a network's arrays: float32, or int8 with a scale per row.

A file may be damaged or malicious. So type and size of every array are checked before use, and
weights are bounded such that no result is infinite: with weights within ±128, at most 1,024 units
and 32 layers, the sum of the squares of a row is below 2**124.
"""
from libc.math cimport lrintf

cdef enum:
    LARGEST_WEIGHT = 128
    MOST_STEPS = 32767
    MOST_TABLE_ROWS = 1 << 24


cdef int checked(value, str name, int least, int most, int unit) except -1:
    if type(value) is not int or not least <= value <= most or value % unit:
        wanted = f"a multiple of {unit}" if unit > 1 else "a number"
        raise ValueError(f"{name} of the network is {value!r}, not {wanted} from {least} to {most}")
    return value


cdef int number_of(about, str name, int least, int most, int unit=1) except -1:
    """Return one of the sizes of a network."""
    return checked(about.get(name), name, least, most, unit)


cdef list numbers_of(about, str name, int least, int most, int unit=1):
    """Return a list of sizes of a network."""
    values = about.get(name)
    if not isinstance(values, (list, tuple)) or len(values) > MOST_OF_A_KIND:
        raise ValueError(f"{name} of the network is not a list of at most {MOST_OF_A_KIND} numbers")
    return [checked(value, name, least, most, unit) for value in values]


cdef flat(arrays, str name, Py_ssize_t n_rows, Py_ssize_t width, formats):
    """Return the array of this name as a flat view, after checks of type and size."""
    try:
        view = memoryview(arrays[name])
    except KeyError:
        raise ValueError(f"the network has no array {name!r}") from None
    except TypeError:
        raise ValueError(f"{name}: not an array") from None
    if view.format not in formats:
        wanted = " or ".join({"f": "float32", "b": "int8"}[format] for format in formats)
        raise ValueError(f"{name}: numbers of type {view.format!r}, not {wanted}")
    if not view.c_contiguous:
        raise ValueError(f"{name}: the array is not contiguous")
    n = view.nbytes // view.itemsize
    if n != n_rows * width or (view.ndim == 2 and view.shape != (n_rows, width)):
        raise ValueError(f"{name}: {' x '.join(map(str, view.shape))} numbers, "
                         f"not {n_rows} x {width}")
    return view if view.ndim == 1 else view.cast("B").cast(view.format)


cdef int check_floats(const float[::1] numbers, str name, float least=-LARGEST_WEIGHT,
                      float largest=LARGEST_WEIGHT) except -1:
    """Raise ValueError if a number is out of bounds or NaN."""
    cdef Py_ssize_t i
    for i in range(numbers.shape[0]):
        if not least <= numbers[i] <= largest:
            raise ValueError(f"{name}: {numbers[i]} is not between {least:g} and {largest:g}")
    return 0


cdef int check_bytes(const int8_t[::1] numbers, str name) except -1:
    cdef Py_ssize_t i
    for i in range(numbers.shape[0]):
        if numbers[i] == -128:
            raise ValueError(f"{name}: -128 is not between -127 and 127")
    return 0


cdef const float[::1] floats_of(arrays, str name, Py_ssize_t n_rows, Py_ssize_t width):
    cdef const float[::1] numbers = flat(arrays, name, n_rows, width, ("f",))
    check_floats(numbers, name)
    return numbers


cdef const int8_t[::1] bytes_of(arrays, str name, Py_ssize_t n_rows, Py_ssize_t width):
    cdef const int8_t[::1] numbers = flat(arrays, name, n_rows, width, ("b",))
    check_bytes(numbers, name)
    return numbers


cdef const float[::1] scales_of(arrays, str name, Py_ssize_t n_rows):
    """Return the scale of each row of int8."""
    cdef const float[::1] scales = flat(arrays, f"{name}.scale", n_rows, 1, ("f",))
    check_floats(scales, f"{name}.scale", 0, LARGEST_WEIGHT / 127.0)
    return scales


cdef bint is_float(arrays, str name, Py_ssize_t n_rows, Py_ssize_t width) except -1:
    return flat(arrays, name, n_rows, width, ("f", "b")).format == "f"


cdef int pack_matrix(Matrix* matrix, arrays, str name, int n_out, int n_in, bint has_bias=True,
                     bint as_bytes=False) except -1:
    """Pack a matrix for the kernels; `as_bytes` quantises float32 to int8."""
    cdef const float[::1] numbers, bias, scales
    cdef const int8_t[::1] small
    cdef const float* first_bias = NULL
    if has_bias:
        bias = floats_of(arrays, f"{name}.bias", n_out, 1)
        first_bias = &bias[0]
    if is_float(arrays, name, n_out, n_in):
        numbers = floats_of(arrays, name, n_out, n_in)
        matrix.shape(n_out, n_in, first_bias)
        if as_bytes:
            matrix.pack_as_bytes(&numbers[0])
        else:
            matrix.pack(&numbers[0])
    else:
        small = bytes_of(arrays, name, n_out, n_in)
        scales = scales_of(arrays, name, n_out)
        matrix.shape(n_out, n_in, first_bias)
        matrix.pack(&small[0], &scales[0])
    return 0


cdef int copy_table(Table* table, arrays, str name, int width) except -1:
    """Copy the embedding table of a field; its size determines the number of rows."""
    cdef const float[::1] numbers, scales
    cdef const int8_t[::1] small
    try:
        n_numbers = memoryview(arrays[name]).nbytes // memoryview(arrays[name]).itemsize
    except (KeyError, TypeError):
        n_numbers = width                 # `flat` raises the error
    if not width <= n_numbers <= width * MOST_TABLE_ROWS:
        raise ValueError(f"{name}: {n_numbers // width} rows, not 1 to {MOST_TABLE_ROWS}")
    table.width, table.n_rows = width, n_numbers // width
    if is_float(arrays, name, table.n_rows, width):
        numbers = floats_of(arrays, name, table.n_rows, width)
        table.floats.assign(&numbers[0], &numbers[0] + numbers.shape[0])
    else:
        small = bytes_of(arrays, name, table.n_rows, width)
        scales = scales_of(arrays, name, table.n_rows)
        table.bytes.assign(&small[0], &small[0] + small.shape[0])
        table.units.assign(&scales[0], &scales[0] + scales.shape[0])
    return 0


cdef int copy_floats(vector[float]* to, arrays, str name, int n_rows, int width) except -1:
    """Copy floats."""
    cdef const float[::1] numbers = floats_of(arrays, name, n_rows, width)
    to.assign(&numbers[0], &numbers[0] + numbers.shape[0])
    return 0


cdef int copy_steps(vector[int16_t]* to, arrays, str name, int n_rows, int width) except -1:
    """Copy rows as int16 in steps of 1/1024."""
    cdef const float[::1] numbers = floats_of(arrays, name, n_rows, width)
    cdef Py_ssize_t i
    to.resize(numbers.shape[0])
    for i in range(numbers.shape[0]):
        to[0][i] = <int16_t> max(-MOST_STEPS - 1, min(MOST_STEPS, lrintf(numbers[i] * STEPS)))
    return 0


cdef int copy_wide_steps(vector[int32_t]* to, arrays, str name, int n) except -1:
    """Copy numbers as int32 in steps of 1/1024."""
    cdef const float[::1] numbers = floats_of(arrays, name, n, 1)
    cdef Py_ssize_t i
    to.resize(n)
    for i in range(n):
        to[0][i] = <int32_t> lrintf(numbers[i] * STEPS)
    return 0
