// Memory of a device that tensors stay in between runs.
#ifndef KOSUMI_DEVICE_H
#define KOSUMI_DEVICE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	const void *const *api;
	void *info, *allocator;
} device;

// These return NULL, or why they failed, in memory that the caller frees.

// device_open finds the memory of that name, such as "Cuda", in a session. It must be
// closed before the session is.
char *device_open(const void *api_base, void *session, const char *memory, device *);
void device_close(device *);
char *device_tensor(const device *, const int64_t *dims, size_t rank, void **value);
void device_drop(const device *, void *value);
char *device_bind_input(const device *, void *binding, const char *name, void *value);
char *device_bind_output(const device *, void *binding, const char *name, void *value);

#endif
