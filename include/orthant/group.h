/** @file
 * A group of processes that share the samples of a fit: each holds some of the rows of X, all hold
 * the same basis, and the factors have the same bits as one process's.
 *
 * The group moves bytes and the library computes: sums are added along a tree that the number of
 * samples and features alone decides. What a user supplies (over MPI, or anything else that moves
 * bytes between processes) are the three functions of orthant_group. The plug-in for MPI, which
 * the command uses under mpirun, is one such.
 *
 *     orthant_context_set_group(context, &group);
 *     orthant_group_rows(context, n, m, &first, &rows);
 *     ... X = rows [first, first + rows) of the data ...
 *     orthant_matrix_set_part(X, first, n);
 *     orthant_fit(model, X, &result);      every process makes the same calls
 *
 * All else that a model is given (labels, a graph, starts) is whole in every process. The result's
 * basis and history are the same in every process; its encodings are those of the process's own
 * rows. */
#ifndef ORTHANT_GROUP_H
#define ORTHANT_GROUP_H

#include "context.h"
#include "fit.h"
#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A group of processes, as one of them sees it. Every member makes the same calls in the same
 * order. The functions come in the thread that called the library, and return false on failure,
 * after which no other call is made but that of abort. */
typedef struct orthant_group {
    size_t size; /**< set it to sizeof(orthant_group) */
    int rank;    /**< of this process: 0, 1, ... */
    int ranks;   /**< how many there are */
    void *user;  /**< handed to the functions */
    /** Sends send_bytes[r] bytes at send[r] to each rank r, and receives receive_bytes[r] bytes
     * from it at receive[r]; itself is one of them. A pointer with no bytes may be NULL. */
    bool (*exchange)(void *user, const void *const *send, const int64_t *send_bytes,
                     void *const *receive, const int64_t *receive_bytes);
    /** Every rank's bytes to all: bytes[r] of rank r, one rank behind the other in `all`; `own`
     * are those of this one. */
    bool (*gather)(void *user, const void *own, void *all, const int64_t *bytes);
    /** This process cannot go on, and the others shall not wait for it: ends them, with the
     * message; it may return. */
    void (*abort)(void *user, const char *message);
} orthant_group;

/** Sets the group that fits of shared samples are made with; NULL: none. The struct is copied;
 * what `user` points to must outlive the context's use.
 * @return ORTHANT_ERROR_ARGUMENT where the context has the group of a plug-in. */
ORTHANT_API orthant_status orthant_context_set_group(orthant_context *context,
                                                     const orthant_group *group);
/** Sets the group that a plug-in makes; "mpi": all processes that mpirun started. It ends with the
 * context, which takes no other. The plug-in is a shared object, liborthant-NAME.so, that lies
 * beside the library or in the folder that the environment's ORTHANT_PLUGINS names.
 * @return ORTHANT_ERROR_UNSUPPORTED where there is none. */
ORTHANT_API orthant_status orthant_group_load(orthant_context *context, const char *name);
/** How many processes the context's group has; 1 without one. */
ORTHANT_API int orthant_context_ranks(const orthant_context *context);
/** Which of them this one is, from 0. */
ORTHANT_API int orthant_context_rank(const orthant_context *context);

/** The rows of n samples with m features that this process has: whole chunks, about as many as
 * any other; none where there are fewer chunks than processes. */
ORTHANT_API orthant_status orthant_group_rows(orthant_context *context, int64_t samples,
                                              int64_t features, int64_t *first, int64_t *rows);
/** Says that the matrix holds rows [first, first + its rows) of a matrix with `total` rows. */
ORTHANT_API orthant_status orthant_matrix_set_part(orthant_matrix *matrix, int64_t first,
                                                   int64_t total);
/** Of a matrix that every process has whole: keeps the rows of orthant_group_rows() and gives the
 * memory of the others back. Without a group nothing changes. */
ORTHANT_API orthant_status orthant_matrix_share(orthant_matrix *matrix);
/** Rows of the whole matrix that this one is a part of; its own where it is none. */
ORTHANT_API int64_t orthant_matrix_total_rows(const orthant_matrix *matrix);

/** Whether all went well: every process gives its own status, and gets the first that is a failure
 * by the rank, with its message. Without a group it is the status given. */
ORTHANT_API orthant_status orthant_group_agree(orthant_context *context, orthant_status status);
/** Brings the encodings of all processes to rank 0, whose result then has a row for every sample,
 * as a fit of one process has; those of the others stay, and are no part of a whole any more. */
ORTHANT_API orthant_status orthant_result_gather(orthant_result *result);

#ifdef __cplusplus
}
#endif
#endif
