// What Theano's generated code includes, in its order. Compiled once (headers.py), it takes the
// greater part of the time that g++ needs for each operation.
#include <Python.h>
#include <iostream>
#include "theano_mod_helper.h"
#include <math.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <vector>
#include <algorithm>
