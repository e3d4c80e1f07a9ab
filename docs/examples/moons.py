# SPDX-License-Identifier: GPL-3.0-or-later
#
# Python: what moons.cc does, with the shared library, by ctypes.
#   python3 moons.py [LIBRARY]
import ctypes as c
import sys

lib = c.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libweaklab.so.0")


# The structs of the headers, as far as they are needed here.  Objects of the library are pointers.
class Err(c.Structure):
    _fields_ = [("code", c.c_int), ("line", c.c_long), ("column", c.c_long),
                ("file", c.c_char * 512), ("message", c.c_char * 1024)]


class Ctx(c.Structure):
    _fields_ = [("pool", c.c_void_p), ("interrupt", c.c_void_p), ("emit", c.c_void_p), ("sink", c.c_void_p),
                ("unpacked", c.c_int64), ("lean", c.c_bool)]


class Digest(c.Structure):
    _fields_ = [("run", c.c_char * 64), ("iter", c.c_int64), ("inner", c.c_int64), ("verdict", c.c_char * 16),
                ("objective", c.c_double), ("gap", c.c_double), ("flips", c.c_double),
                ("labels", c.c_char * 17), ("metrics", c.c_char * 17)]


class Generator(c.Structure):
    _fields_ = [("name", c.c_char_p * 3), ("params", c.c_void_p)]


class Task(c.Structure):
    _fields_ = [("name", c.c_char_p * 3), ("sees", c.c_int), ("scored", c.c_int), ("clusters", c.c_bool),
                ("params", c.c_void_p)]


class Algo(c.Structure):
    _fields_ = [("name", c.c_char_p * 3), ("params", c.c_void_p)]


for name, struct in ("generator", Generator), ("task", Task), ("algo", Algo):
    getattr(lib, f"wlab_{name}_find").restype = c.POINTER(struct)


def call(name, *args):
    """wlab_NAME(args..., &err), or an exception with its sentence."""
    err = Err()
    if getattr(lib, "wlab_" + name)(*args, c.byref(err)):
        raise RuntimeError(err.message.decode())


def make(name, *args):
    """The object that wlab_NAME writes to its first argument."""
    made = c.c_void_p()
    call(name, c.byref(made), *args)
    return made


def settings(table, **values):
    params = make("params_create", c.c_void_p(table))
    for name, value in values.items():
        call("params_set", params, name.encode(), str(value).encode())
    return params


moons = lib.wlab_generator_find(b"two-moons")
ssl = lib.wlab_task_find(b"ssl")
wellsvm = lib.wlab_algo_find(b"wellsvm")
ctx = c.byref(Ctx())

made = settings(moons.contents.params, n=100, seed=1)
data = make("dataset_generate", moons, b"moons", made, ctx)
shown = settings(ssl.contents.params, labeled=4)
problem = make("problem_create", data, None, c.c_int64(0), None, c.c_int64(0), ssl, shown)
choice = settings(wellsvm.contents.params, kernel="rbf")
run = make("run_create", b"a", 1, problem, wellsvm, choice, c.c_size_t(0), ctx)

did, now = c.c_bool(True), Digest()
while did and now.iter < 5:
    call("run_step", run, ctx, c.byref(did))
    lib.wlab_run_digest(run, c.byref(now))
    if did:  # false: the run had ended before
        print(f"step {now.iter}: objective {now.objective:.12g}")

lib.wlab_run_destroy(run)
lib.wlab_problem_unref(problem)
lib.wlab_dataset_unref(data)
for params in made, shown, choice:
    lib.wlab_params_destroy(params)
