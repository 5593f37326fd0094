#include "assay/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[1024];

const char *assay_status_name(assay_status status) {
    switch (status) {
    case ASSAY_OK: return "OK";
    case ASSAY_ERR_ARGUMENT: return "ERR_ARGUMENT";
    case ASSAY_ERR_UNSUPPORTED: return "ERR_UNSUPPORTED";
    case ASSAY_ERR_ALIGNMENT: return "ERR_ALIGNMENT";
    case ASSAY_ERR_OVERFLOW: return "ERR_OVERFLOW";
    case ASSAY_ERR_MEMORY: return "ERR_MEMORY";
    case ASSAY_ERR_FORMAT: return "ERR_FORMAT";
    case ASSAY_ERR_IO: return "ERR_IO";
    case ASSAY_ERR_DEVICE: return "ERR_DEVICE";
    case ASSAY_ERR_KERNEL: return "ERR_KERNEL";
    case ASSAY_ERR_INTERNAL: return "ERR_INTERNAL";
    }
    return "?";
}

const char *assay_last_error(void) { return last_error; }

assay_status assay_fail(assay_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(last_error, sizeof last_error, format, args);
    va_end(args);
    return status;
}
