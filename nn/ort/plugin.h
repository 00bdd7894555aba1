// Devices that execution providers offer, plugins among them.
#ifndef KOSUMI_PLUGIN_H
#define KOSUMI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

// offer is one device that one provider can use. Texts belong to onnxruntime.
typedef struct {
	const void *device; // OrtEpDevice
	const char *provider, *vendor;
	int kind; // OrtHardwareDeviceType: 0 CPU, 1 GPU, 2 NPU
	uint32_t id;
	const char *const *keys, *const *values; // the provider's and then the hardware's metadata
	size_t entries;
	const char *const *more_keys, *const *more_values;
	size_t more_entries;
} offer;

// These return NULL, or why they failed, in memory that the caller frees.

// plugin_environment finds the environment of the process, which must have been made. It is never
// released: plugins live as long as the program.
char *plugin_environment(const void *api_base, void **environment);
// plugin_offers lists what all providers offer; the list is the caller's to free.
char *plugin_offers(const void *api_base, void *environment, offer **all, size_t *count);
// plugin_append has a session use a device before the CPU.
char *plugin_append(const void *api_base, void *environment, void *session_options, const void *device);

#endif
