/* Status codes and the thread's last error message.
 *
 * Every public function that can fail returns an assay_status. On failure the calling thread's
 * message says what failed, where (file, field, offset or argument) and what was expected.
 * Nothing in the library prints.
 */
#ifndef ASSAY_STATUS_H
#define ASSAY_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_status {
    ASSAY_OK = 0,
    ASSAY_ERR_ARGUMENT,    /* a value outside its documented range */
    ASSAY_ERR_UNSUPPORTED, /* a valid request that this build, chip or kernel does not serve */
    ASSAY_ERR_ALIGNMENT,   /* a pointer not aligned to its element */
    ASSAY_ERR_OVERFLOW,    /* a size that does not fit its type */
    ASSAY_ERR_MEMORY,      /* allocation failed */
    ASSAY_ERR_FORMAT,      /* a malformed file or text */
    ASSAY_ERR_IO,          /* the operating system refused a file operation */
    ASSAY_ERR_DEVICE,      /* no device, or the device's runtime failed */
    ASSAY_ERR_KERNEL,      /* the executor stopped a kernel: race, deadlock, stray access, ... */
    ASSAY_ERR_INTERNAL     /* assay's own mistake */
} assay_status;

/* The name of a status, e.g. "ERR_ALIGNMENT". Never NULL. */
const char *assay_status_name(assay_status status);

/* The calling thread's last message; "" when none. Valid until the thread's next failure. */
const char *assay_last_error(void);

/* Records a printf-style message for the calling thread and returns `status`. */
assay_status assay_fail(assay_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
