/* The contract between core and a native device backend. Plain C, versioned by
 * number and by size: core refuses a table whose api_version it does not speak
 * and reads no member beyond the table's struct_size.
 *
 * A backend exports one fb_backend table in a PyCapsule named
 * "flambeau.backend". Kernels see only plain views of memory: they never
 * allocate results, never check shapes, never see autograd. */
#ifndef FLAMBEAU_BACKEND_H
#define FLAMBEAU_BACKEND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FB_API_VERSION 1
#define FB_BACKEND_CAPSULE "flambeau.backend"

typedef enum fb_dtype {
  FB_BOOL = 0,
  FB_UINT8 = 1,
  FB_INT8 = 2,
  FB_INT16 = 3,
  FB_INT32 = 4,
  FB_INT64 = 5,
  FB_FLOAT16 = 6,
  FB_BFLOAT16 = 7,
  FB_FLOAT32 = 8,
  FB_FLOAT64 = 9,
  FB_COMPLEX64 = 10,
  FB_COMPLEX128 = 11,
  /* The following are only in memory; kernels never see them: complex32 as its
   * float16 parts, the wide unsigned integers as signed ones. */
  FB_COMPLEX32 = 12,
  FB_UINT16 = 13,
  FB_UINT32 = 14,
  FB_UINT64 = 15,
  FB_DTYPE_COUNT = 16
} fb_dtype;

/* Bits of fb_array.flags. */
#define FB_CONTIGUOUS 1u  /* row-major without gaps (also: at most one element) */
#define FB_HOST_SCALAR 2u /* one element in host memory, whatever the device; every stride is 0 */

/* A strided view. Strides count elements, not bytes; a broadcast dimension has
 * stride 0. `data` points at the first element; for a backend whose memory is
 * not addressable it is the byte offset within `buffer`. */
typedef struct fb_array {
  void* data;
  int64_t* shape;
  int64_t* strides;
  int64_t numel;
  int32_t ndim;
  uint8_t dtype; /* fb_dtype */
  uint8_t flags;
  uint16_t device_index;
  void* buffer; /* the owning buffer's handle; only backends with opaque memory use it */
} fb_array;

/* One value of a kernel's parameter list; kernels.h says which member each
 * position of each kernel uses. */
typedef union fb_param {
  int64_t i;
  double f;
  const char* s;
  struct {
    const int64_t* p;
    int64_t n;
  } list;
} fb_param;

/* What a kernel returns. After anything but FB_OK core asks last_error(). */
typedef enum fb_status {
  FB_OK = 0,
  FB_ERROR = 1,       /* becomes RuntimeError */
  FB_INDEX_ERROR = 2, /* an index value out of bounds: IndexError */
  FB_OUT_OF_MEMORY = 3
} fb_status;

/* An absent optional input is a NULL pointer in `in` (or `out`). */
typedef int (*fb_kernel)(void* ctx, int n_out, fb_array* const* out, int n_in,
                         const fb_array* const* in, const fb_param* params);

typedef struct fb_backend {
  uint32_t api_version; /* FB_API_VERSION */
  uint32_t struct_size; /* sizeof(fb_backend) of the plugin's header */
  const char* name;     /* of the backend, e.g. "cpu" */
  void* ctx;            /* handed to every function and kernel */

  int (*device_count)(void* ctx);
  /* NULL for all three: core's own host memory is used. */
  int (*allocate)(void* ctx, int device, int64_t nbytes, void** data);
  void (*release)(void* ctx, int device, void* data, int64_t nbytes);
  /* Copies bytes; a device of -1 is the host. */
  int (*copy)(void* ctx, void* dst, int dst_device, const void* src, int src_device,
              int64_t nbytes);
  int (*synchronize)(void* ctx, int device);

  /* The kernel of an id of kernels.h for a dtype (of the first input, or of the
   * first output where there is none), or NULL. Asked once, when the device is
   * first opened. */
  fb_kernel (*find_kernel)(void* ctx, const char* id, int dtype);
  /* The calling thread's last error message. */
  const char* (*last_error)(void* ctx);

  int (*get_num_threads)(void* ctx);
  void (*set_num_threads)(void* ctx, int n);
  /* Core releases the interpreter lock around calls of at least this much work,
   * counted in cheap elementwise operations. */
  int64_t release_lock_above;
} fb_backend;

#ifdef __cplusplus
}
#endif

#endif
