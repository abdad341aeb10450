/* Kullback from C, and from any language that calls C. No function throws, prints, exits or writes a file,
 * but for those whose name says write. Objects of different threads are independent; one model may be used by
 * several threads at once (kb_model_* are safe, each thread evaluates its own copy inside); one fit may be
 * read by several.
 *
 * Functions that can fail return a kb_status; where it is not KB_OK and `error` is not NULL, *error is a
 * message that the caller frees with kb_error_free. Texts are UTF-8 and end with 0. Pointers that a getter
 * returns belong to their object and live as long as it does. */
#ifndef KULLBACK_H
#define KULLBACK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KB_API __attribute__((visibility("default")))
#else
#define KB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a function changes its meaning or goes; new functions do not change it. */
#define KB_ABI 1
KB_API int kb_abi(void);
KB_API const char* kb_version(void); /* "0.1.0" */

/* The same numbers are exit codes of the command line. */
typedef enum kb_status {
  KB_OK = 0,
  KB_USAGE = 64,     /* an option that does not exist or a value without sense */
  KB_BAD_INPUT = 65, /* a program with errors, data that do not fit it */
  KB_NO_INPUT = 66,  /* a file or folder that cannot be read */
  KB_INTERNAL = 70,  /* a bug of Kullback */
  KB_CANNOT_WRITE = 73,
  KB_NOT_FINITE = 75, /* the density is not finite at a point, or the program rejects it */
  KB_CANCELLED = 130
} kb_status;

typedef struct kb_error kb_error;
/* The message as the command line prints it: where, the window of the source, what was found, what was
 * needed, the hint. Options are written as on the command line, those with a value in a code span:
 * `--target-accept 0.95` is {"target-accept": 0.95} among the options of kb_fit_run. */
KB_API const char* kb_error_text(const kb_error* error);
KB_API const char* kb_error_message(const kb_error* error); /* one sentence, without place and hint */
KB_API const char* kb_error_hint(const kb_error* error);    /* may be empty */
KB_API void kb_error_free(kb_error* error);

/* ---- Watching ---- */

typedef struct kb_progress {
  size_t chain, chains; /* which one this is of */
  uint64_t done, total; /* steps; total 0: not known */
  int is_warming_up;
  uint64_t gradients, divergences;
  double seconds;
} kb_progress;

/* Called about ten times a second by the thread that made the call, for all chains; not 0: stop. */
typedef int (*kb_watch)(const kb_progress* progress, size_t chains, void* user);

/* ---- Models ---- */

typedef struct kb_model kb_model;

/* `program` is the text of a Stan program, `name` what messages call it ("model.stan"); `data` is JSON (NULL
 * or "": none). `options` is a JSON object or NULL: {"include_paths": [...], "max_memory": bytes, "seed": n
 * (of random transformed data), "data_name": what messages call the data}. Warnings of the checker and about
 * data, as text, are kb_model_warnings. */
KB_API kb_status kb_model_new(const char* program, const char* name, const char* data, const char* options,
                              kb_model** model, kb_error** error);
/* The same with a watch: it is called with no chains while data are read and transformed data run, and
 * stops either; KB_CANCELLED then, and *model is NULL. */
KB_API kb_status kb_model_new_watched(const char* program, const char* name, const char* data,
                                      const char* options, kb_watch watch, void* user, kb_model** model,
                                      kb_error** error);
KB_API void kb_model_free(kb_model* model);
KB_API const char* kb_model_warnings(const kb_model* model);

KB_API size_t kb_model_dim(const kb_model* model); /* of theta, unconstrained */
/* Blocks of columns, by the bits of `parts`. */
enum { KB_PARAMETERS = 1, KB_TRANSFORMED = 2, KB_GENERATED = 4, KB_ALL = 7 };
KB_API size_t kb_model_size(const kb_model* model, int parts); /* how many columns */
/* Names of columns, CmdStan's ("theta.1"), separated by commas; `unconstrained`: of theta. */
KB_API const char* kb_model_names(const kb_model* model, int parts);
KB_API const char* kb_model_unconstrained_names(const kb_model* model);

/* K points at once. `theta` is [points][dim], row after row; `log_density` [points]; `gradient` [points][dim]
 * or NULL; `status` [points] or NULL: KB_OK or KB_NOT_FINITE (log density -infinity, gradient NaN there).
 * `jacobian`: with the log Jacobian of the constraints; `constants`: not zero for terms that do not depend on
 * parameters too. Returns KB_OK also where some points are not finite. */
KB_API kb_status kb_model_log_density(kb_model* model, size_t points, const double* theta, int jacobian,
                                      int constants, double* log_density, double* gradient, kb_status* status,
                                      kb_error** error);
/* Why a point is not finite: KB_NOT_FINITE with the statement and the value behind it; KB_OK where it is
 * finite. */
KB_API kb_status kb_model_explain(kb_model* model, const double* theta, int jacobian, int constants,
                                  kb_error** error);
/* H v at one point for `count` directions, rows of v and of `result`: of the log density with the Jacobian.
 * KB_NOT_FINITE where it is not finite there. */
KB_API kb_status kb_model_hessian_times(kb_model* model, const double* theta, size_t count, const double* v,
                                        double* result, kb_error** error);
/* `columns` is [points][kb_model_size(parts)]. `seed` and the point's number decide generated quantities.
 * KB_NOT_FINITE where the program rejects a point: its columns from there on are NaN, all other points are
 * written. */
KB_API kb_status kb_model_constrain(kb_model* model, size_t points, const double* theta, int parts,
                                    uint64_t seed, double* columns, kb_error** error);
/* From the columns of parameters: [points][kb_model_size(KB_PARAMETERS)]. */
KB_API kb_status kb_model_unconstrain(kb_model* model, size_t points, const double* columns, double* theta,
                                      kb_error** error);
/* From {"mu": 1, "theta": [..]}, with every parameter; other names are left aside. */
KB_API kb_status kb_model_unconstrain_json(kb_model* model, const char* values, double* theta,
                                           kb_error** error);

/* ---- Fits ---- */

typedef struct kb_fit kb_fit;

/* `options` is a JSON object with the names of the command line's options, or NULL: {"method": "nuts",
 * "chains": 4, "seed": 1, "draws": 1000, "tolerance": 0.1, "threads": 2, "out": "folder", "force": true,
 * ...}. Draws are those of `kullback fit` with the same options, bit for bit. Nothing is written unless "out"
 * is given, which keeps checkpoints there too (and the data, as data.json). "init" may be an object with
 * values of parameters. An option that is null is not given. Where `watch` stops the run, *fit holds what
 * there is and the status is KB_CANCELLED (or *fit is NULL where there is nothing yet). */
KB_API kb_status kb_fit_run(kb_model* model, const char* options, kb_watch watch, void* user, kb_fit** fit,
                            kb_error** error);
KB_API kb_status kb_fit_read(const char* folder, kb_fit** fit, kb_error** error);
KB_API void kb_fit_free(kb_fit* fit);

KB_API size_t kb_fit_chains(const kb_fit* fit);
KB_API size_t kb_fit_draws(const kb_fit* fit); /* of each chain */
KB_API size_t kb_fit_columns(const kb_fit* fit);
KB_API const char* kb_fit_names(const kb_fit* fit);      /* of columns: "mu,theta.1,..." */
KB_API const char* kb_fit_stat_names(const kb_fit* fit); /* "accept_stat__,..."; may be empty */
/* Copies [chains][draws]. */
KB_API kb_status kb_fit_column(const kb_fit* fit, size_t column, double* values, kb_error** error);
/* Copies [chains][draws][columns from first to first + count]. */
KB_API kb_status kb_fit_columns_copy(const kb_fit* fit, size_t first, size_t count, double* values,
                                     kb_error** error);
/* By name: a stat, "lp__", "log_q", "log_weight". KB_USAGE where the fit has none of that name. */
KB_API kb_status kb_fit_stat(const kb_fit* fit, const char* name, double* values, kb_error** error);
/* Of draws with weights: which draws, counted chain after chain, stand for all with equal weight. Copies
 * [chains * draws] numbers; those draws are in chain-1.csv and posterior.nc. KB_USAGE where there are no
 * weights. */
KB_API kb_status kb_fit_equal_weights(const kb_fit* fit, size_t* chosen, kb_error** error);
/* JSON, as the files of a result folder have it: run.json, summary.json, certificate.json ("" where none was
 * asked for). */
KB_API const char* kb_fit_record(const kb_fit* fit);
KB_API const char* kb_fit_summary(const kb_fit* fit);
KB_API const char* kb_fit_certificate(const kb_fit* fit);
/* What the command line prints at the end: table, findings, verdict. */
KB_API const char* kb_fit_text(const kb_fit* fit);
/* The result folder that `kullback fit --out` leaves. */
KB_API kb_status kb_fit_write(const kb_fit* fit, const char* folder, int force, kb_error** error);
/* The report of any result folder, as one HTML file. */
KB_API kb_status kb_report_write(const char* folder, const char* path, kb_error** error);

/* ---- Data ---- */

/* Numbers as JSON for kb_model_new, with the fewest digits that read back to the same double: a number for
 * rank 0, [1,2.5] for rank 1, [[1,2],[3,4]] for rank 2 ... of `dims` [rank], the last index running fastest.
 * Whole numbers have no point, so that they serve as int too; what is not finite is NaN, Infinity, -Infinity.
 * Returns the length of the text without the 0 at its end; at most `capacity` bytes are written, and where
 * that is too small `text` holds nothing of use. */
KB_API size_t kb_number_text(const double* numbers, size_t rank, const size_t* dims, char* text,
                             size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
