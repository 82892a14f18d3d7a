#ifndef CWEBIMAGE_SANDBOX_H
#define CWEBIMAGE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Whether this is a build with the address sanitizer. Its runtime needs more than a decoder; no other build allows that.
#if defined(__SANITIZE_ADDRESS__)
#define WEBIMAGE_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEBIMAGE_HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef WEBIMAGE_HAS_ADDRESS_SANITIZER
#define WEBIMAGE_HAS_ADDRESS_SANITIZER 0
#endif

// Decoder processes: how a worker starts, what it may do, and how host and worker exchange messages.
// No library is used. Swift cannot express these parts: a replacement of __libc_start_main, code between fork and exec,
// control messages of sendmsg(2), and filters of the kernel.

// --- Start (start.c) ---------------------------------------------------------------------------------------------

// The worker's program: receives messages and decodes. The Swift target defines it. It runs instead of `main` in a
// process that was started as a worker; its result is the exit status.
int webimage_sandbox_worker_main(void);

// Whether the start hook belongs to the executable of this process, so that this executable can be a worker. False in
// a plug-in and in another language's process.
bool webimage_sandbox_is_in_executable(void);

// Whether this process has the rights of its file's owner or capabilities of its file. It cannot start workers then.
// Swift has no getauxval(3).
bool webimage_sandbox_is_privileged(void);

// --- Descriptors of a worker -------------------------------------------------------------------------------------

enum {
    webimage_sandbox_socket = 3,    // SOCK_SEQPACKET, to the host
    webimage_sandbox_window = 4,    // a sealed memfd that host and worker map
    webimage_sandbox_lifetime = 5,  // a pipe whose other end only the host has
    webimage_sandbox_reports = 6,   // the host's standard error; only in builds with the address sanitizer
};

// The number of the call with which abort(3) sends its signal. The filter refuses it, so a decoder that aborts reports it.
extern const int webimage_sandbox_abort_call;

// --- Host (spawn.c) ----------------------------------------------------------------------------------------------

typedef struct {
    pid_t pid;
    int pidfd;     // for poll, kill and wait without the reuse of identifiers
    int socket;    // the host's end
    int lifetime;  // the host's end; the worker is killed when it closes
} webimage_sandbox_child;

// Makes a memfd that can neither grow nor shrink, because a worker that truncated it would crash the host. Returns -1
// and sets errno.
int webimage_sandbox_make_window(size_t size);

// Makes a memfd with these bytes that nothing can change. Returns -1 and sets errno.
int webimage_sandbox_make_sealed(const void *bytes, size_t count);

// Starts `executable` as a worker with exactly this environment. Descriptors other than those above and the
// standard ones, which are /dev/null, are closed in it. Returns 0 or an errno.
int webimage_sandbox_spawn(const char *executable, int window, char *const environment[], webimage_sandbox_child *child);

// Makes a worker of a process that runs webimage_sandbox_serve_forks. The worker is a child of this process.
// `isTested`: it tries its libraries after it was locked. Returns 0 or an errno.
int webimage_sandbox_fork(
    const webimage_sandbox_child *template, int window, bool isTested, webimage_sandbox_child *child);

// How often this process or its parents were forked since the first call. A worker serves the process that has started it.
unsigned webimage_sandbox_fork_count(void);

// Notes a descriptor that a fork of this process must close at once, and the three of a worker.
void webimage_sandbox_hold(int descriptor);
void webimage_sandbox_hold_child(const webimage_sandbox_child *child);

// Closes a descriptor that was noted.
void webimage_sandbox_release(int descriptor);

// Kills the worker. It need not be running.
void webimage_sandbox_kill(const webimage_sandbox_child *child);

// Waits for at most `milliseconds` for the end of the worker. Returns whether it has ended.
bool webimage_sandbox_has_ended(const webimage_sandbox_child *child, int milliseconds);

typedef enum {
    webimage_sandbox_exited,    // value: the exit status
    webimage_sandbox_signalled, // value: the signal
    webimage_sandbox_unknown,   // another part of the process has collected its status
} webimage_sandbox_end;

// Returns how a worker that has ended did so, and removes it from the kernel's table. Call it once.
webimage_sandbox_end webimage_sandbox_collect(const webimage_sandbox_child *child, int *value);

// Makes a list of workers whose end is awaited. Returns its descriptor, or -1 and sets errno.
int webimage_sandbox_make_watch(void);

// Adds a worker to the list until its end, or until its pidfd is closed. Returns 0 or an errno.
int webimage_sandbox_watch(int watch, const webimage_sandbox_child *child, uint64_t number);

// Waits until a worker of the list ends, and returns its number; 0 if the wait failed. Returns each end once.
uint64_t webimage_sandbox_next_end(int watch);

// --- Messages, both sides (message.c) ----------------------------------------------------------------------------

// Sends one message, with a descriptor unless it is -1. Returns 0 or an errno; never raises SIGPIPE. EAGAIN: the other
// process has received nothing for the time of webimage_sandbox_limit_send.
int webimage_sandbox_send(int socket, const void *bytes, size_t count, int descriptor);

// Sends one message if that is possible at once.
bool webimage_sandbox_send_at_once(int socket, const void *bytes, size_t count);

// Sets the longest time that webimage_sandbox_send waits, in milliseconds. Returns 0 or an errno.
int webimage_sandbox_limit_send(int socket, int milliseconds);

// Sets the longest time that a call of webimage_sandbox_receive waits, in milliseconds; 0: no limit. Returns 0 or an
// errno. The kernel keeps the time, so that an answer costs one system call; poll(2) would be a second one.
int webimage_sandbox_limit_wait(int socket, int milliseconds);

// Receives one message. Returns its size, 0 at the end of the stream, or a negative errno: -ETIMEDOUT after the time of
// webimage_sandbox_limit_wait and after a signal, -EMSGSIZE if the message or its descriptor did not fit. `descriptor`
// is -1 or a descriptor that the caller owns; NULL: a message with descriptors does not fit.
ssize_t webimage_sandbox_receive(int socket, void *bytes, size_t count, int *descriptor);

// --- One processor for host and worker (processor.c) ----------------------------------------------------------------

typedef struct {
    unsigned long processors[16];  // a cpu_set_t: where the calling thread may run otherwise
    int processor;                 // where it runs now; -1: on all of them
    bool is_kept;                  // whether it can run nowhere else
} webimage_sandbox_share;

// Keeps the calling thread on the processor where it runs, unless all others are shared too. Returns false if it may run on no other one, if another
// thread and its worker share this one, or if that is not possible.
bool webimage_sandbox_share_processor(webimage_sandbox_share *share);

// Lets the calling thread run on all its processors again.
void webimage_sandbox_end_sharing(webimage_sandbox_share *share);

// Keeps a worker on the shared processor. Returns false if that is not possible.
bool webimage_sandbox_join(const webimage_sandbox_share *share, pid_t worker);

// Lets a worker run on all processors of the calling thread.
void webimage_sandbox_part(const webimage_sandbox_share *share, pid_t worker);

// --- Restrictions of a worker (lock.c, filter.c) -----------------------------------------------------------------

enum {
    webimage_sandbox_threads = 1,  // the libraries of the profile start threads
    webimage_sandbox_fonts = 2,    // the font folders may be read
};

typedef struct {
    bool filter;          // seccomp: only the listed system calls
    int landlock;         // the version of Landlock's interface; 0: the kernel has none
    bool namespaces;      // user, mount, network, IPC and UTS namespaces of its own
} webimage_sandbox_protections;

// Lets the kernel end this process together with the host.
void webimage_sandbox_end_with_host(void);

// Steps before libraries are loaded: namespaces, and the end together with the host. Call it while the process has one
// thread.
void webimage_sandbox_prepare(webimage_sandbox_protections *protections);

typedef enum {
    webimage_sandbox_template_ended,  // the host is gone, or the process cannot be forked
    webimage_sandbox_worker,          // this is a new worker
    webimage_sandbox_worker_tested,   // this is a new worker, which is to try its libraries after it was locked
} webimage_sandbox_forked;

// Makes a worker at each request of webimage_sandbox_fork. Returns in the worker, whose descriptors are in their places.
webimage_sandbox_forked webimage_sandbox_serve_forks(void);

// Restricts this process for good: no files, no network, no programs, no other processes, no executable memory.
// `address_space` is the memory that may be added, in bytes; 0: no limit. Returns NULL, or the name of the step that
// failed; then the process must end.
const char *webimage_sandbox_lock(
    unsigned features, uint64_t address_space, webimage_sandbox_protections *protections);

// --- Memory of a worker (memory.c) -------------------------------------------------------------------------------

// Lets the allocator keep freed blocks of up to 32 MB: the kernel would zero their pages again for every large picture.
void webimage_sandbox_keep_memory(void);

// Returns the allocator's freed memory to the kernel.
void webimage_sandbox_return_memory(void);

// Returns a part of the window to the kernel. Its bytes are zero afterwards.
void webimage_sandbox_return_window(void *start, size_t count);

// Whether the program was built with the address sanitizer, which does not watch the window.
bool webimage_sandbox_has_address_sanitizer(void);

// --- Attempts of tests (start.c) ---------------------------------------------------------------------------------

// Runs an attempt of the project's tests, whose code only the test program contains. Returns the result of
// webimage_sandbox_attempt, or ENOSYS in every other program.
int webimage_sandbox_try(int attempt, pid_t host, uint64_t request);

#endif
