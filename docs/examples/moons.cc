// SPDX-License-Identifier: GPL-3.0-or-later
//
// C++: WellSVM on generated two moons.  Objects of the library are freed by unique_ptr, its errors become exceptions.
//   c++ -o moons moons.cc $(pkg-config --cflags --libs weaklab); ./moons
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <weaklab/run.h>

// One function frees the objects of each type.
struct Free {
    void operator()(wlab_params *p) const
    {
        wlab_params_destroy(p);
    }
    void operator()(wlab_dataset *p) const
    {
        wlab_dataset_unref(p);
    }
    void operator()(wlab_problem *p) const
    {
        wlab_problem_unref(p);
    }
    void operator()(wlab_run *p) const
    {
        wlab_run_destroy(p);
    }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

// call(f, ...): f(..., &err), or an exception with its sentence.
template <class... P, class... A> void call(wlab_code (*f)(P...), A... args)
{
    wlab_err err;
    if (f(args..., &err))
        throw std::runtime_error(err.message);
}
// make(f, ...): the object that f writes to its first argument.
template <class T, class... P, class... A> Owned<T> make(wlab_code (*f)(T **, P...), A... args)
{
    T *made = nullptr;
    call(f, &made, args...);
    return Owned<T>(made);
}
static Owned<wlab_params> settings(const wlab_param_info *table,
                                   std::initializer_list<std::pair<const char *, const char *>> values)
{
    auto params = make(wlab_params_create, table);
    for (const auto &v : values)
        call(wlab_params_set, params.get(), v.first, v.second);
    return params;
}

int main()
try {
    const wlab_generator *moons = wlab_generator_find("two-moons");
    const wlab_task *ssl = wlab_task_find("ssl");
    const wlab_algo *wellsvm = wlab_algo_find("wellsvm");
    wlab_ctx ctx = {};

    auto made = settings(moons->params, {{"n", "100"}, {"seed", "1"}});
    auto data = make(wlab_dataset_generate, moons, "moons", made.get(), &ctx);
    auto shown = settings(ssl->params, {{"labeled", "4"}});
    auto problem = make(wlab_problem_create, data.get(), nullptr, 0, nullptr, 0, ssl,
                        (const wlab_params *)shown.get(), nullptr);
    auto choice = settings(wellsvm->params, {{"kernel", "rbf"}});
    auto run = make(wlab_run_create, "a", 1, problem.get(), wellsvm, choice.get(), size_t{0}, &ctx);

    for (bool did = true; did && wlab_run_iter(run.get()) < 5;) {
        wlab_digest now;
        call(wlab_run_step, run.get(), &ctx, &did);
        wlab_run_digest(run.get(), &now);
        if (did) // false: the run had ended before
            std::printf("step %lld: objective %.12g\n", (long long)now.iter, now.objective);
    }
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
