// A plugin for onnxruntime that tests make hang or abort: its device leaves every node to
// the CPU. $KOSUMI_FAULT is "hang WHERE N" or "abort WHERE N": at the Nth time that WHERE
// is reached, one of
//
//	load       the library is loaded
//	factories  it is asked for its factories
//	devices    it is asked for its devices
//	session    a session is made
//	run        a session runs
//	close      a session is closed
//
// Built with the headers of onnxruntime_go: cc -shared -fPIC -I DIR.
#include "onnxruntime_c_api.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reached(const char *where)
{
	static atomic_int times;
	char how[16], at[16];
	int n;
	const char *fault = getenv("KOSUMI_FAULT");
	if (!fault || sscanf(fault, "%15s %15s %d", how, at, &n) != 3 || strcmp(at, where) || atomic_fetch_add(&times, 1) + 1 < n)
		return;
	if (!strcmp(how, "abort"))
		abort();
	for (;;)
		pause();
}

__attribute__((constructor)) static void load(void) { reached("load"); }

static const OrtApi *api;

static const char *name(const OrtEp *ep) { return "FaultyExecutionProvider"; }
static OrtStatus *capability(OrtEp *ep, const OrtGraph *graph, OrtEpGraphSupportInfo *info) { return NULL; }
static OrtStatus *compile(OrtEp *ep, const OrtGraph **g, const OrtNode **nodes, size_t n, OrtNodeComputeInfo **infos, OrtNode **context) { return NULL; }
static void release_infos(OrtEp *ep, OrtNodeComputeInfo **infos, size_t n) {}
static OrtStatus *run_start(OrtEp *ep, const OrtRunOptions *options)
{
	reached("run");
	return NULL;
}

static const char *factory_name(const OrtEpFactory *f) { return "FaultyExecutionProvider"; }
static const char *vendor(const OrtEpFactory *f) { return "Kosumi"; }
static uint32_t vendor_id(const OrtEpFactory *f) { return 0; }
static const char *version(const OrtEpFactory *f) { return "1.0.0"; }

static OrtStatus *devices(OrtEpFactory *f, const OrtHardwareDevice *const *all, size_t count, OrtEpDevice **found, size_t most, size_t *n)
{
	reached("devices");
	*n = 0;
	if (!count || !most)
		return NULL;
	*n = 1;
	return api->GetEpApi()->CreateEpDevice(f, all[0], NULL, NULL, found);
}

static OrtStatus *create(OrtEpFactory *f, const OrtHardwareDevice *const *all, const OrtKeyValuePairs *const *pairs, size_t n,
	const OrtSessionOptions *options, const OrtLogger *log, OrtEp **made)
{
	reached("session");
	OrtEp *ep = calloc(1, sizeof *ep);
	ep->ort_version_supported = ORT_API_VERSION;
	ep->GetName = name;
	ep->GetCapability = capability;
	ep->Compile = compile;
	ep->ReleaseNodeComputeInfos = release_infos;
	ep->OnRunStart = run_start;
	*made = ep;
	return NULL;
}

static void release(OrtEpFactory *f, OrtEp *ep)
{
	reached("close");
	free(ep);
}

static OrtStatus *allocator(OrtEpFactory *f, const OrtMemoryInfo *info, const OrtKeyValuePairs *options, OrtAllocator **made)
{
	*made = NULL;
	return NULL;
}
static void release_allocator(OrtEpFactory *f, OrtAllocator *a) {}
static OrtStatus *transfer(OrtEpFactory *f, OrtDataTransferImpl **made)
{
	*made = NULL;
	return NULL;
}
static bool streams(const OrtEpFactory *f) { return false; }

OrtStatus *CreateEpFactories(const char *registered, const OrtApiBase *base, const OrtLogger *log, OrtEpFactory **factories, size_t most, size_t *n)
{
	static OrtEpFactory f = {
		.ort_version_supported = ORT_API_VERSION, .GetName = factory_name, .GetVendor = vendor, .GetSupportedDevices = devices,
		.CreateEp = create, .ReleaseEp = release, .GetVendorId = vendor_id, .GetVersion = version, .CreateAllocator = allocator,
		.ReleaseAllocator = release_allocator, .CreateDataTransfer = transfer, .IsStreamAware = streams,
	};
	reached("factories");
	api = base->GetApi(ORT_API_VERSION);
	factories[0] = &f;
	*n = 1;
	return NULL;
}

OrtStatus *ReleaseEpFactory(OrtEpFactory *f) { return NULL; }
