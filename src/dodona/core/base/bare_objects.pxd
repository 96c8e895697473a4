"""Compiled classes without a public `__new__`: objects are made by calling the class.

`__new__` alone makes an object that no initialiser has filled in; its methods would follow null
pointers. `tools/join.py` adds a call of `forbid_new` for every class. Calling a class and Cython's
own calls of `__new__` use the slot `tp_new`, which stays.
"""

cdef extern from *:
    """
    static PyObject* dodona_refuse_new(PyObject* type, PyObject* args, PyObject* named) {
        (void) args;
        (void) named;
        return PyErr_Format(
            PyExc_TypeError, "%s.__new__ would make an object without content; call the class",
            ((PyTypeObject*) type)->tp_name);
    }
    static PyMethodDef dodona_no_new = {
        "__new__", (PyCFunction) (void (*)(void)) dodona_refuse_new, METH_VARARGS | METH_KEYWORDS,
        NULL};
    static int dodona_forbid_new(PyObject* type) {
        PyObject* refuse = PyCFunction_New(&dodona_no_new, type);
        int failed = refuse == NULL
            || PyDict_SetItemString(((PyTypeObject*) type)->tp_dict, "__new__", refuse) < 0;
        Py_XDECREF(refuse);
        PyType_Modified((PyTypeObject*) type);
        return failed ? -1 : 0;
    }
    """
    int forbid_new "dodona_forbid_new" (object type) except -1
