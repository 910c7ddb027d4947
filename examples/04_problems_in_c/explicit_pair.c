/* The problems from your own program, in C: take one, integrate it, ask for the digits, keep the record.
 *
 * The method is the pair of orders 3 and 2 of P. Bogacki and L. F. Shampine (Appl. Math. Lett. 2 (1989) 321-325), explicit, with error control.
 * Nothing here knows how ivp runs solvers: the program is in charge, and the functions ivp_test_... count what it asks for. The interface is
 * ivp/ivp.h. */
#include <ivp/ivp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest_n = 500 };

int main(int argc, char** argv)
{
    const char* const id = argc > 1 ? argv[1] : "plei";
    const double rtol = argc > 2 ? atof(argv[2]) : 1e-6;
    const char* const store = argc > 3 ? argv[3] : NULL;

    ivp_test* const test = ivp_test_open(id, NULL, 0);
    if (test == NULL) {
        fprintf(stderr, "%s\n", ivp_last_error());
        return 2;
    }
    const int n = ivp_test_dimension(test);
    static double y[largest_n], rtols[largest_n], atols[largest_n], k1[largest_n], k2[largest_n], k3[largest_n], k4[largest_n], stage[largest_n];
    if (ivp_test_form(test) != IVP_ODE || n > largest_n || ivp_test_tolerances(test, rtol, rtols, atols) != IVP_OK) {
        fprintf(stderr, "%s is no ODE of at most %d equations, or the tolerance is wrong: %s\n", id, (int)largest_n, ivp_last_error());
        ivp_test_close(test);
        return 2;
    }

    /* At the breakpoints of the problem, the solver starts again. */
    ivp_problem_description facts = {.version = IVP_PLUGIN_VERSION, .size = sizeof facts};
    ivp_test_describe(test, &facts);
    ivp_submission run = {IVP_VERSIONED(ivp_submission), .solver = "bs32-example", .solver_version = "1.0", .language = "C", .rtol = rtol, .y = y};
    run.outcome = IVP_SUCCESS;
    run.t = ivp_test_t0(test);
    ivp_test_initial(test, y, NULL);

    ivp_test_begin(test); /* counts are zero, the clock runs */
    for (int part = 0; part <= facts.breakpoint_count && run.outcome == IVP_SUCCESS; ++part) {
        const double end = part < facts.breakpoint_count ? facts.breakpoints[part] : ivp_test_tend(test);
        double h = fmin(1e-6, 1e-3 * (end - run.t));
        int status = ivp_test_f(test, run.t, y, k1);
        while (run.t < end) {
            if (run.steps == 1000000) run.outcome = IVP_TOO_MANY_STEPS;
            if (run.t + h == run.t) run.outcome = IVP_STEP_TOO_SMALL;
            if (run.outcome != IVP_SUCCESS) break;
            ++run.steps;
            const double t_new = run.t + 1.001 * h < end ? run.t + h : end;
            h = t_new - run.t;
            for (int i = 0; i < n; ++i) stage[i] = y[i] + h / 2 * k1[i];
            status = ivp_test_f(test, run.t + h / 2, stage, k2);
            for (int i = 0; i < n; ++i) stage[i] = y[i] + 3 * h / 4 * k2[i];
            if (status == IVP_OK) status = ivp_test_f(test, run.t + 3 * h / 4, stage, k3);
            for (int i = 0; i < n; ++i) stage[i] = y[i] + h / 9 * (2 * k1[i] + 3 * k2[i] + 4 * k3[i]);
            if (status == IVP_OK) status = ivp_test_f(test, t_new, stage, k4);
            if (status != IVP_OK) { /* outside the domain: a smaller step may help */
                h /= 4;
                continue;
            }
            double norm = 0;
            for (int i = 0; i < n; ++i) {
                const double error = h / 72 * (-5 * k1[i] + 6 * k2[i] + 8 * k3[i] - 9 * k4[i]);
                const double weight = atols[i] + rtols[i] * fmax(fabs(y[i]), fabs(stage[i]));
                norm += error / weight * (error / weight) / n;
            }
            if (norm <= 1) {
                ++run.accepted;
                run.t = t_new;
                memcpy(y, stage, (size_t)n * sizeof(double));
                memcpy(k1, k4, (size_t)n * sizeof(double));
            }
            h *= fmax(0.2, fmin(5, 0.9 * pow(norm, -1.0 / 6.0)));
        }
    }

    const char* const record = ivp_test_submit(test, &run, store);
    if (record == NULL) {
        fprintf(stderr, "%s\n", ivp_last_error());
        ivp_test_close(test);
        return 2;
    }
    double scd, mescd;
    ivp_counts counts = {.version = IVP_PLUGIN_VERSION, .size = sizeof counts};
    ivp_test_digits(test, rtol, NULL, y, &scd, &mescd);
    ivp_test_counts(test, &counts);
    printf("%s, %d equations, rtol %g: %lld steps (%lld accepted), %lld evaluations, scd %.2f, mescd %.2f\n", id, n, rtol, (long long)run.steps,
           (long long)run.accepted, (long long)counts.nfev, scd, mescd);
    if (store != NULL) printf("The record was added to %s.\n", store);
    ivp_test_close(test);
    return run.outcome == IVP_SUCCESS ? 0 : 1;
}
