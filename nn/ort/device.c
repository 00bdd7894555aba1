// Memory of a device, by onnxruntime's interface.

#include "interface.h"
#include "device.h"

char *device_open(const void *base, void *session, const char *memory, device *d)
{
	enum { DEVICE_ALLOCATOR = 0, MEMORY_DEFAULT = 0 };
	const void *const *api = ((const api_base *)base)->get_api(API_VERSION);
	*d = (device){.api = api};
	if (!api)
		return strdup("the library does not have the interface");
	char *why = status_text(api, CALL(CREATE_MEMORY_INFO, status *, const char *, int, int, int, void **)(memory, DEVICE_ALLOCATOR, 0, MEMORY_DEFAULT, &d->info));
	if (!why)
		why = status_text(api, CALL(CREATE_ALLOCATOR, status *, const void *, const void *, void **)(session, d->info, &d->allocator));
	if (why)
		device_close(d);
	return why;
}

void device_close(device *d)
{
	const void *const *api = d->api;
	if (d->allocator)
		CALL(RELEASE_ALLOCATOR, void, void *)(d->allocator);
	if (d->info)
		CALL(RELEASE_MEMORY_INFO, void, void *)(d->info);
	d->allocator = d->info = NULL;
}

char *device_tensor(const device *d, const int64_t *dims, size_t rank, void **value)
{
	const void *const *api = d->api;
	return status_text(api, CALL(CREATE_TENSOR_AS_ORT_VALUE, status *, void *, const int64_t *, size_t, int, void **)(d->allocator, dims, rank, TYPE_FLOAT, value));
}

void device_drop(const device *d, void *value)
{
	const void *const *api = d->api;
	CALL(RELEASE_VALUE, void, void *)(value);
}

char *device_bind_input(const device *d, void *binding, const char *name, void *value)
{
	const void *const *api = d->api;
	return status_text(api, CALL(BIND_INPUT, status *, void *, const char *, const void *)(binding, name, value));
}

char *device_bind_output(const device *d, void *binding, const char *name, void *value)
{
	const void *const *api = d->api;
	return status_text(api, CALL(BIND_OUTPUT, status *, void *, const char *, const void *)(binding, name, value));
}
