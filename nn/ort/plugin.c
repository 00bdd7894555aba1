// Devices of execution providers, by onnxruntime's interface of version 24.

#include "interface.h"
#include "plugin.h"

enum { PLUGIN_API_VERSION = 24 };

// Places in OrtApi.
enum {
	CREATE_ENV = 3,
	GET_KEY_VALUE_PAIRS = 298,
	GET_EP_DEVICES = 303,
	APPEND_EXECUTION_PROVIDER_V2 = 304,
	HARDWARE_DEVICE_TYPE = 307,
	HARDWARE_DEVICE_VENDOR = 309,
	HARDWARE_DEVICE_ID = 310,
	HARDWARE_DEVICE_METADATA = 311,
	EP_DEVICE_NAME = 312,
	EP_DEVICE_METADATA = 314,
	EP_DEVICE_DEVICE = 316,
};

static const void *const *plugin_api(const void *base)
{
	return base ? ((const api_base *)base)->get_api(PLUGIN_API_VERSION) : NULL;
}

static char *no_interface(void) { return strdup("the library does not have the interface"); }

char *plugin_environment(const void *base, void **environment)
{
	enum { LOG_ERRORS = 3 };
	const void *const *api = plugin_api(base);
	// There is one environment: a request for another returns it.
	return api ? status_text(api, CALL(CREATE_ENV, status *, int, const char *, void **)(LOG_ERRORS, "kosumi", environment)) : no_interface();
}

char *plugin_offers(const void *base, void *environment, offer **all, size_t *count)
{
	const void *const *api = plugin_api(base);
	const void *const *devices = NULL;
	*all = NULL;
	*count = 0;
	if (!api)
		return no_interface();
	char *why = status_text(api, CALL(GET_EP_DEVICES, status *, const void *, const void *const **, size_t *)(environment, &devices, count));
	if (why)
		return why;
	offer *o = calloc(*count ? *count : 1, sizeof *o);
	if (!o)
		return strdup("no memory");
	for (size_t i = 0; i < *count; i++) {
		const void *device = devices[i];
		const void *hardware = CALL(EP_DEVICE_DEVICE, const void *, const void *)(device);
		o[i].device = device;
		o[i].provider = CALL(EP_DEVICE_NAME, const char *, const void *)(device);
		o[i].vendor = CALL(HARDWARE_DEVICE_VENDOR, const char *, const void *)(hardware);
		o[i].kind = CALL(HARDWARE_DEVICE_TYPE, int, const void *)(hardware);
		o[i].id = CALL(HARDWARE_DEVICE_ID, uint32_t, const void *)(hardware);
		typedef const char *const *texts;
		const void *metadata = CALL(EP_DEVICE_METADATA, const void *, const void *)(device);
		if (metadata)
			CALL(GET_KEY_VALUE_PAIRS, void, const void *, texts *, texts *, size_t *)(metadata, &o[i].keys, &o[i].values, &o[i].entries);
		if ((metadata = CALL(HARDWARE_DEVICE_METADATA, const void *, const void *)(hardware)))
			CALL(GET_KEY_VALUE_PAIRS, void, const void *, texts *, texts *, size_t *)(metadata, &o[i].more_keys, &o[i].more_values, &o[i].more_entries);
	}
	*all = o;
	return NULL;
}

char *plugin_append(const void *base, void *environment, void *options, const void *device)
{
	const void *const *api = plugin_api(base);
	return api ? status_text(api, CALL(APPEND_EXECUTION_PROVIDER_V2, status *, void *, void *, const void *const *, size_t, const char *const *, const char *const *, size_t)(
		options, environment, &device, 1, NULL, NULL, 0)) : no_interface();
}
