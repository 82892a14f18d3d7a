#define _GNU_SOURCE
#include "CWebImageSandboxAttempts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// What code that took over a worker would try. Each function returns 0 if it worked, else errno. Tests run the list
// once without the lock: an attempt that fails there proves nothing.

// The descriptors of a worker.
enum { window = 4, lifetime = 5 };

static int result(long value) { return value < 0 ? errno : 0; }

static int read_file(pid_t host) {
    (void)host;
    return result(open("/etc/passwd", O_RDONLY));
}

static int write_file(pid_t host) {
    (void)host;
    int file = open("/tmp", O_WRONLY | O_TMPFILE, 0600);
    return result(file);
}

static int list_folder(pid_t host) {
    (void)host;
    return result(open("/", O_RDONLY | O_DIRECTORY));
}

static int read_host_memory(pid_t host) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", host);
    return result(open(path, O_RDONLY));
}

static int stat_file(pid_t host) {
    (void)host;
    struct stat status;
    return result(stat("/etc/passwd", &status));
}

static int internet_socket(pid_t host) {
    (void)host;
    return result(socket(AF_INET, SOCK_STREAM, 0));
}

static int unix_socket(pid_t host) {
    (void)host;
    return result(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int execute(pid_t host) {
    (void)host;
    // In a child, so that the run without the lock goes on.
    pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        char *const words[] = {"true", NULL};
        execve("/bin/true", words, NULL);
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 99 ? EACCES : 0;
}

static int execute_directly(pid_t host) {
    (void)host;
    // A path that does not exist: the attempt returns if the call is allowed at all.
    char *const words[] = {"none", NULL};
    execve("/nonexistent-program", words, NULL);
    return errno == ENOENT ? 0 : errno;
}

static int make_process(pid_t host) {
    (void)host;
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return result(child);
}

static int make_process_3(pid_t host) {
    (void)host;
    uint64_t arguments[8] = {0};
    arguments[4] = SIGCHLD;
    long child = syscall(SYS_clone3, arguments, sizeof arguments);
    if (child == 0) _exit(0);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    return result(child);
}

static int trace_host(pid_t host) {
    if (ptrace(PTRACE_SEIZE, host, NULL, NULL)) return errno;
    ptrace(PTRACE_DETACH, host, NULL, NULL);
    return 0;
}

static int signal_host(pid_t host) { return result(kill(host, SIGCONT)); }

static int read_host_directly(pid_t host) {
    char own = 0;
    struct iovec here = {.iov_base = &own, .iov_len = 1}, there = {.iov_base = &own, .iov_len = 1};
    // The stack of a process that runs the same program may lie elsewhere; EFAULT shows that the call was allowed.
    long count = process_vm_readv(host, &here, 1, &there, 1, 0);
    return count < 0 && errno != EFAULT ? errno : 0;
}

static int executable_mapping(pid_t host) {
    (void)host;
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : 0;
}

static int executable_protection(pid_t host) {
    (void)host;
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? errno : result(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
}

static int become_dumpable(pid_t host) {
    (void)host;
    return result(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static int new_namespace(pid_t host) {
    (void)host;
    return result(unshare(CLONE_FILES));
}

static int io_ring(pid_t host) {
    (void)host;
    char parameters[256] = {0};
    return result(syscall(SYS_io_uring_setup, 1, parameters));
}

static int kernel_program(pid_t host) {
    (void)host;
    union bpf_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    // Refused for its contents if the call is allowed.
    long value = syscall(SYS_bpf, 0xFFFF, &attributes, sizeof attributes);
    return value < 0 && errno != EINVAL && errno != EPERM ? errno : 0;
}

static int user_faults(pid_t host) {
    (void)host;
    long value = syscall(SYS_userfaultfd, 0xFFFF);
    return value < 0 && errno != EINVAL && errno != EPERM ? errno : 0;
}

static int new_memory_file(pid_t host) {
    (void)host;
    return result(memfd_create("x", MFD_CLOEXEC));
}

static int truncate_window(pid_t host) {
    (void)host;
    // Sealed: refused in any case. Its size now: allowed without the lock.
    return result(ftruncate(window, 8 << 20));
}

static int open_process(pid_t host) { return result(syscall(SYS_pidfd_open, host, 0)); }

static int keys(pid_t host) {
    (void)host;
    long value = syscall(SYS_keyctl, 0, -3, 0);
    return value < 0 && errno != ENOKEY && errno != ENOSYS ? errno : 0;
}

static int performance_counters(pid_t host) {
    (void)host;
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = 1;
    long value = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    return value < 0 && errno != E2BIG && errno != EINVAL && errno != EACCES && errno != EPERM && errno != ENOENT
            && errno != ENOSYS
        ? errno
        : 0;
}

static int change_personality(pid_t host) {
    (void)host;
    return result(personality(0xFFFFFFFF));
}

static int raise_limits(pid_t host) {
    (void)host;
    struct rlimit limit = {.rlim_cur = 8, .rlim_max = 8};
    return result(setrlimit(RLIMIT_NOFILE, &limit));
}

static int terminal_control(pid_t host) {
    (void)host;
    int value = 0;
    return result(ioctl(lifetime, FIONREAD, &value));
}

static int foreign_numbers(pid_t host) {
    (void)host;
#if defined(__x86_64__)
    // getpid of the x32 interface: another number for the same kernel.
    long value = syscall(0x40000000 | SYS_getpid);
    return value < 0 && errno != ENOSYS ? errno : 0;
#else
    return ENOSYS;
#endif
}

static int old_interface(pid_t host) {
    (void)host;
#if defined(__x86_64__)
    // getpid of the 32-bit interface.
    long value;
    __asm__ volatile("int $0x80" : "=a"(value) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    return value > 0 || value == -ENOSYS ? 0 : (int)-value;
#else
    return ENOSYS;
#endif
}

// Without the pipe, a worker goes on after the end of its host.
static int close_lifetime(pid_t host) {
    (void)host;
    return result(close(lifetime));
}

static int wait_for_children(pid_t host) {
    (void)host;
    int status;
    return waitpid(-1, &status, WNOHANG) < 0 && errno != ECHILD ? errno : 0;
}

// What a broken decoder does: the host must survive it.

static int crash(pid_t host) {
    (void)host;
    *(volatile int *)8 = 1;
    return 0;
}

// As a library that finds an error which it cannot handle.
static int call_abort(pid_t host) {
    (void)host;
    abort();
}

// The C library finds the error, writes a message and aborts.
static int damage_heap(pid_t host) {
    (void)host;
    // Zeros, so that the library reads neither a large size nor another arena before the block.
    char *volatile block = calloc(1, 64);
    free(block + 8);
    return 0;
}

static int abort_itself(pid_t host) {
    (void)host;
    __builtin_trap();
}

static int loop_for_ever(pid_t host) {
    (void)host;
    for (volatile unsigned turns = 0;; turns++) {}
}

static int end_quietly(pid_t host) {
    (void)host;
    _exit(0);
}

// The sanitizer does not see the write, so that it ends as in every other build.
__attribute__((no_sanitize("address"))) static int write_out_of_bounds(pid_t host) {
    (void)host;
    char place;
    // The optimizer must not know the object: it removes a write that is certainly outside of it, and loops for ever.
    volatile char *volatile start = &place;
    for (size_t offset = 0;; offset += 4096) start[offset] = 1;
}

static int jump_to_zero(pid_t host) {
    (void)host;
    void (*volatile nowhere)(void) = NULL;
    nowhere();
    return 0;
}

static int close_descriptors(pid_t host) {
    (void)host;
    for (int descriptor = 0; descriptor < 16; descriptor++) close(descriptor);
    return 0;
}

static int flood_standard_error(pid_t host) {
    (void)host;
    char text[4096];
    memset(text, 'x', sizeof text);
    for (int times = 0; times < 10000; times++) syscall(SYS_write, 2, text, sizeof text);
    return 0;
}

static uint64_t current_request;

// The fields of an answer of this protocol: magic, nanoseconds, kind, the number of the request, and the numbers of a
// picture.
static void send_answer(const uint64_t *fields, size_t count) {
    uint64_t answer[13] = {0x3341534957ULL};
    memcpy(answer + 2, fields, count * sizeof *fields);
    struct iovec part = {.iov_base = answer, .iov_len = sizeof answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    sendmsg(3, &message, MSG_NOSIGNAL);
}

static const uint64_t in_slots = UINT64_MAX;

// Formats as numbers: that of the coder of these requests, and another one.
enum { ico = 18, svg = 8 };

static void claim_picture(uint64_t request, uint64_t width, uint64_t height, uint64_t format, uint64_t place) {
    uint64_t fields[] = {2, request, width, height, 0, format, 0, 1, 0, 0, place};
    send_answer(fields, sizeof fields / sizeof *fields);
}

// The host accepts this one, so that the others fail for their own reason.
static int claim_a_picture(pid_t host) {
    (void)host;
    claim_picture(current_request, 8, 8, ico, 0);
    return 0;
}

// The first row lies in the window, the last one behind it.
static int claim_pixels_behind_the_window(pid_t host) {
    (void)host;
    claim_picture(current_request, 60, 4000, ico, (10 << 20) - 4096);
    return 0;
}

static int claim_a_huge_picture(pid_t host) {
    (void)host;
    claim_picture(current_request, 1 << 24, 1 << 24, ico, in_slots);
    return 0;
}

static int claim_more_pixels_than_it_sends(pid_t host) {
    (void)host;
    claim_picture(current_request, 4000, 4000, ico, in_slots);
    return 0;
}

static int claim_another_request(pid_t host) {
    (void)host;
    claim_picture(current_request + 1, 8, 8, ico, 0);
    return 0;
}

// The host would give the bytes to what handles drawings.
static int claim_another_format(pid_t host) {
    (void)host;
    claim_picture(current_request, 8, 8, svg, 0);
    return 0;
}

// Answers that the host can only use in order, so that it sends requests until the socket is full.
static int answer_without_reading(pid_t host) {
    (void)host;
    for (uint64_t request = current_request;; request++) claim_picture(request, 8, 8, ico, 0);
}

// A true answer with descriptors, which would stay open in the host.
static void send_with_descriptors(unsigned count) {
    uint64_t answer[13] = {0x3341534957ULL, 0, 2, current_request, 8, 8, 0, ico, 0, 1, 0, 0, 0};
    struct iovec part = {.iov_base = answer, .iov_len = sizeof answer};
    union {
        char bytes[CMSG_SPACE(8 * sizeof(int))];
        struct cmsghdr alignment;
    } control = {{0}};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    for (unsigned i = 0; i < count; i++) ((int *)CMSG_DATA(head))[i] = window;
    sendmsg(3, &message, MSG_NOSIGNAL);
}

static int send_a_descriptor(pid_t host) {
    (void)host;
    send_with_descriptors(1);
    return 0;
}

static int send_two_descriptors(pid_t host) {
    (void)host;
    send_with_descriptors(2);
    return 0;
}

static int send_eight_descriptors(pid_t host) {
    (void)host;
    send_with_descriptors(8);
    return 0;
}

// To go on after the end of the host.
static int close_its_pipe_and_loop(pid_t host) {
    close(lifetime);
    return loop_for_ever(host);
}

static int claim_a_long_payload(pid_t host) {
    (void)host;
    uint64_t fields[] = {3, current_request, 1ULL << 40};
    send_answer(fields, sizeof fields / sizeof *fields);
    return 0;
}

// The worker's own answer follows.
static int answer_twice(pid_t host) {
    (void)host;
    uint64_t fields[] = {5, current_request, 0};
    send_answer(fields, sizeof fields / sizeof *fields);
    return 0;
}

static int answer_with_noise(pid_t host) {
    (void)host;
    char noise[64];
    memset(noise, 'x', sizeof noise);
    struct iovec part = {.iov_base = noise, .iov_len = sizeof noise};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    sendmsg(3, &message, MSG_NOSIGNAL);
    return 0;
}

static int allocate_without_end(pid_t host) {
    (void)host;
    for (size_t total = 0; total < (size_t)64 << 30; total += 64 << 20) {
        char *memory = malloc(64 << 20);
        if (!memory) return ENOMEM;
        // Without an access, the compiler could remove the allocation.
        *(volatile char *)memory = 1;
    }
    return 0;
}

static const struct {
    const char *name;
    int (*run)(pid_t host);
} attempts[] = {
    {"read a file", read_file},
    {"write a file", write_file},
    {"list a folder", list_folder},
    {"open the host's memory", read_host_memory},
    {"describe a file", stat_file},
    {"make an internet socket", internet_socket},
    {"make a Unix socket", unix_socket},
    {"execute a program in a child", execute},
    {"execute a program", execute_directly},
    {"make a process", make_process},
    {"make a process with clone3", make_process_3},
    {"trace the host", trace_host},
    {"send a signal to the host", signal_host},
    {"read the host's memory", read_host_directly},
    {"map executable memory", executable_mapping},
    {"make memory executable", executable_protection},
    {"become dumpable", become_dumpable},
    {"leave shared tables", new_namespace},
    {"make an io_uring", io_ring},
    {"load a kernel program", kernel_program},
    {"handle page faults", user_faults},
    {"make a memory file", new_memory_file},
    {"resize the window", truncate_window},
    {"open the host's process", open_process},
    {"use the key ring", keys},
    {"open performance counters", performance_counters},
    {"change the personality", change_personality},
    {"change limits", raise_limits},
    {"control a device", terminal_control},
    {"use x32 numbers", foreign_numbers},
    {"use the 32-bit interface", old_interface},
    {"wait for children", wait_for_children},
    {"close the pipe of its life", close_lifetime},
}, faults[] = {
    {"crash", crash},
    {"trap", abort_itself},
    {"abort", call_abort},
    {"damage the heap", damage_heap},
    {"loop for ever", loop_for_ever},
    {"end quietly", end_quietly},
    {"answer with noise", answer_with_noise},
    {"allocate without end", allocate_without_end},
    {"write out of bounds", write_out_of_bounds},
    {"jump to zero", jump_to_zero},
    {"close its descriptors", close_descriptors},
    {"flood standard error", flood_standard_error},
    {"claim a huge picture", claim_a_huge_picture},
    {"claim more pixels than it sends", claim_more_pixels_than_it_sends},
    {"claim another request", claim_another_request},
    {"claim pixels behind the window", claim_pixels_behind_the_window},
    {"claim a long payload", claim_a_long_payload},
    {"answer twice", answer_twice},
    {"claim a picture", claim_a_picture},
    {"claim another format", claim_another_format},
    {"send a descriptor", send_a_descriptor},
    {"send two descriptors", send_two_descriptors},
    {"send eight descriptors", send_eight_descriptors},
    {"answer without reading", answer_without_reading},
    {"close its pipe and loop", close_its_pipe_and_loop},
};

enum { attempt_count = sizeof attempts / sizeof *attempts, fault_count = sizeof faults / sizeof *faults };

int webimage_sandbox_attempt_count(void) { return attempt_count; }
int webimage_sandbox_fault_count(void) { return fault_count; }

const char *webimage_sandbox_attempt_name(int attempt) {
    if (attempt < 0 || attempt >= attempt_count + fault_count) return NULL;
    return attempt < attempt_count ? attempts[attempt].name : faults[attempt - attempt_count].name;
}

int webimage_sandbox_attempt(int attempt, pid_t host, uint64_t request) {
    current_request = request;
    if (attempt < 0 || attempt >= attempt_count + fault_count) return EINVAL;
    return attempt < attempt_count ? attempts[attempt].run(host) : faults[attempt - attempt_count].run(host);
}
