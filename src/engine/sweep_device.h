/* The sweep on the context's device (device.h): what sweep.c calls in the place of its own. The
 * host's W, S and sums are mirrors: brought to the device at the start and after a checkpoint was
 * read, fetched for who looks on, for checkpoints and at the end. A verb that fails is remembered,
 * none is called after it, and sweep_check() ends the fit. */
#ifndef ENGINE_SWEEP_DEVICE_H
#define ENGINE_SWEEP_DEVICE_H

#include "engine/sweep.h"

/* Asks the device whether it can do what is asked: of the terms, kinds and weights are enough. */
orthant_status sweep_device_accepts(const problem *p);

/* Opens it, where the problem runs on one. Close in any case. */
orthant_status sweep_device_open(sweep *s);
void sweep_device_close(sweep *s);

void sweep_device_start(sweep *s);
void sweep_device_basis(sweep *s, const sweep_step *t);
void sweep_device_basis_changed(sweep *s);
void sweep_device_encoding(sweep *s, const sweep_step *t);
void sweep_device_keep(sweep *s);
void sweep_device_go_back(sweep *s); /* and the sums for it */
void sweep_device_measure(const sweep *s, double *values);
double sweep_device_projected_gradient(sweep *s);
int64_t sweep_device_ahead(sweep *s, const sweep_step *t, int64_t most, double *values);
void sweep_device_back(sweep *s, int64_t count);
/* The factors alone; and all that a checkpoint holds, from the device and to it. */
void sweep_device_show(sweep *s);
void sweep_device_fetch(sweep *s);
void sweep_device_restored(sweep *s);
orthant_status sweep_device_check(const sweep *s);

#endif
