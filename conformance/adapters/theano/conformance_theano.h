// What Theano's generated code includes, in its order. Compiled once (compiling.py), it saves the
// greater part of the time that g++ needs for each operation. Theano's own trials of g++ include
// it too, and they do not say where Python's headers are.
#if __has_include(<Python.h>)
#include <Python.h>
#include <iostream>
#include "theano_mod_helper.h"
#include <math.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <vector>
#include <algorithm>
#endif
