/* The version of assay that reports carry; a test holds it to that of the build. */
#ifndef ASSAY_HARNESS_VERSION_H
#define ASSAY_HARNESS_VERSION_H

#define ASSAY_VERSION "0.1.0"

#endif
