/* What the Fortran side (face/) and the C++ side of libnsdtst and libstdtst say to each other.
 *
 * The Fortran interface of DETEST is global by nature: METHOD, FCN and STATS find the current problem without being told. So there is one run at a
 * time in a process, from one thread; a second one inside METHOD is refused. */
#ifndef IVP_DETEST_FORTRAN_ENGINE_H
#define IVP_DETEST_FORTRAN_ENGINE_H

#ifdef __cplusplus
extern "C" {
#endif

#define IVP_DETEST_API __attribute__((visibility("default")))

/* In the numbers of the original's IFLAG. */
enum { ivp_detest_timing = 0, ivp_detest_start = 2, ivp_detest_statistics = 3 };

/* A problem at one tolerance, before METHOD is called for it. */
struct ivp_detest_task {
    double tol;
    double xend;
    int n;
    int id;     /* 1 for A1, 13 for B3: the code of IDLIST less 10 */
    int scaled; /* 1, or -1 */
    const double* weight;
};

struct ivp_detest_counts {
    int fcn, jac, lud;
};

/* What was found at one tolerance. */
struct ivp_detest_row {
    double x_reached, x_true, start_step;
    float time, overhead, truth_time, end_error, max_global_error, max_local_error;
    int fcn, jac, lud, steps, lumped, deceived, badly_deceived, assessed, start_calls;
    int global_flag, local_flag;
};

enum { ivp_detest_most_components = 60 };

/* What IVALU says of a problem; seconds: of one FCN, PDERV and DDCOMP, 0 where it does not know. */
struct ivp_detest_beginning {
    int n;
    double x, xend, hbegin, hmax;
    double y[ivp_detest_most_components], w[ivp_detest_most_components], seconds[3];
};

typedef void (*ivp_detest_procedure)(void); /* NOLINT(modernize-*): this is C */

/* One call of NSDTST or STDTST. */
struct ivp_detest_call {
    int stiff;
    int single; /* the precision of the program */
    int debug;  /* the first steps only */
    const char* title;
    int title_length;
    const char* machine;
    int machine_length;
    const int* option; /* 4 are read */
    const float* tol;  /* up to 11 are read, to the first 0 */
    const int* idlist; /* up to 60 are read, to the zero behind the last group */
    int ntol, ngrp;    /* what PARCHK found */
    const int* grplst; /* size of each group, and how many elements of idlist are before it */
    float flag;        /* its faults */
    float roundoff;    /* CONST(1), of the arithmetic METHOD has */
    float underflow;   /* CONST(2) */
    float timing;      /* CONST(4), seconds of CLOCK */
    float truth;       /* CONST(5), not 0: true solutions in the precision of the program */

    ivp_detest_procedure fcn;   /* FCN(X, Y, YP) */
    ivp_detest_procedure pderv; /* PDERV(X, Y, DY); null: non-stiff */
    int own_problems;           /* FCN, PDERV and IVALU are the package's own */

    void (*start)(int id, int scaled, struct ivp_detest_beginning* start);     /* IVALU */
    void (*end_values)(int n, const double* w, int scaled, int id, double* y); /* EVALU */
    void (*begin_task)(const struct ivp_detest_task* task);
    void (*end_task)(const struct ivp_detest_row* row);
    /* METHOD: x and y in and out; x = xend where it got there. seconds: of CLOCK, with those of true solutions. */
    void (*method)(int phase, int n, double* x, double* y, double xend, double tol, double hmax, double hstart, struct ivp_detest_counts* counts,
                   double* seconds);
    /* Seconds of one FCN, one PDERV, one DDCOMP at this point. */
    void (*unit_costs)(int n, double x, const double* y, double* seconds);
    void (*put_line)(const char* text, int length); /* length below 0: no further line for a while */
    /* TRUE of the program, null: ours. ind = 2 begins anew, else the global solution goes on from where it was. */
    void (*program_truth)(int is_global, int n, double* x, double* y, double xend, double tol, int* ind);
    float (*distance)(int n, const double* a, const double* b); /* DIFNRM of the program, null: ours */
};

/* FLAG, in the digits of the documentation; 9 is the package's own failure, told in words. */
IVP_DETEST_API float ivp_detest_run(const struct ivp_detest_call* call);

/* PARCHK. */
IVP_DETEST_API float ivp_detest_check(int stiff, int opt, int normef, int nrmtyp, const float* tol, const int* idlist, int* ntol, int* ngrp,
                                      int* grplst);
/* DIFNRM. */
IVP_DETEST_API float ivp_detest_distance(int nrmtyp, int n, const double* a, const double* b);

/* STATS in phases 2 and 3. estimate may be null. 1: METHOD is to stop. */
IVP_DETEST_API int ivp_detest_step(double x, const double* y, double bound, const double* estimate, int lud);

/* The problems, by set (stiff: 1), id and scaling as above. 0: there is no such problem. */
struct ivp_detest_function {
    int (*formula)(const void* self, double x, const double* y, double* yp); /* 0, or why the formula was not evaluated */
    const void* self;
};
IVP_DETEST_API int ivp_detest_find(int stiff, int id, int scaled, struct ivp_detest_function* found);
/* After an answer of the formula that is not 0: what FCN cannot compute must not look like a number. */
IVP_DETEST_API void ivp_detest_mark_refused(int stiff, int id, int scaled, int answer, double* yp);
IVP_DETEST_API int ivp_detest_jacobian(int stiff, int id, int scaled, double x, const double* y, double* dy);
IVP_DETEST_API int ivp_detest_initial(int stiff, int id, int scaled, int* n, double* x, double* xend, double* hbegin, double* hmax, double* y,
                                      double* w);
IVP_DETEST_API int ivp_detest_end(int stiff, int id, int scaled, double* y);

/* The name of the machine, with blanks to the length. */
IVP_DETEST_API void ivp_detest_machine(char* text, int length);

/* TRUE, that is DVERK and SECDER with the arguments of the original. single: reals are floats, else doubles; fcn and pderv are Fortran procedures
 * with the arguments that each code gives them. What cannot be done is said by put_line, and the answer is 0; else 1. */
IVP_DETEST_API int ivp_detest_dverk(int single, int n, ivp_detest_procedure fcn, void* x, void* y, const void* xend, const void* tol, int* ind,
                                    void* c, int nw, void* w, float roundoff, float underflow, void (*put_line)(const char* text, int length));
IVP_DETEST_API int ivp_detest_secder(int single, ivp_detest_procedure fcn, ivp_detest_procedure pderv, int ndim, int n, void* x, void* y,
                                     const void* xend, const void* tol, int* ind, void* c, int* inf, void* work, int* lud, float roundoff,
                                     float underflow, void (*put_line)(const char* text, int length));

#ifdef __cplusplus
}
#endif

#endif
