#define _GNU_SOURCE
#include "filter.h"

#include "CWebImageSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define THIS_ARCHITECTURE 0  // the filter is not installed, and the lock fails
#endif

#ifndef SECCOMP_FILTER_FLAG_TSYNC
#define SECCOMP_FILTER_FLAG_TSYNC 1
#endif

// A program for the kernel's filter: loads the number of the call and compares it with each allowed one.
typedef struct {
    struct sock_filter code[256];
    unsigned count;
} program;

static void add(program *p, struct sock_filter instruction) {
    if (p->count < sizeof p->code / sizeof *p->code) p->code[p->count] = instruction;
    p->count++;
}

#define LOAD(field) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field)))
// The low half of an argument. Both supported architectures are little-endian.
#define LOAD_ARGUMENT(n) \
    ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n)))
#define RETURN(value) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (value)))
#define IF_EQUAL(value, yes, no) ((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no)))
#define IF_ANY_BIT(value, yes, no) ((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (value), (yes), (no)))

static void answer(program *p, unsigned number, unsigned result) {
    add(p, IF_EQUAL(number, 0, 1));
    add(p, RETURN(result));
}

static void allow(program *p, unsigned number) { answer(p, number, SECCOMP_RET_ALLOW); }
static void refuse(program *p, unsigned number, int error) { answer(p, number, SECCOMP_RET_ERRNO | (unsigned)error); }

// Refuses the call with an error if its argument has one of the bits, and allows it otherwise.
static void allow_without(program *p, unsigned number, unsigned argument, unsigned bits, int error) {
    add(p, IF_EQUAL(number, 0, 4));
    add(p, LOAD_ARGUMENT(argument));
    add(p, IF_ANY_BIT(bits, 0, 1));
    add(p, RETURN(SECCOMP_RET_ERRNO | (unsigned)error));
    add(p, RETURN(SECCOMP_RET_ALLOW));
}

static void build(program *p, unsigned features, bool files) {
    add(p, LOAD(arch));
    add(p, IF_EQUAL(THIS_ARCHITECTURE, 1, 0));
    add(p, RETURN(SECCOMP_RET_KILL_PROCESS));
    add(p, LOAD(nr));

    // What decoding needs: messages, memory, locks, time, its end. The most frequent first.
    static const unsigned plain[] = {
        SYS_recvmsg, SYS_sendmsg, SYS_futex, SYS_madvise, SYS_munmap, SYS_brk, SYS_mremap, SYS_sendto, SYS_close,
        SYS_clock_gettime, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit, SYS_exit_group, SYS_getrandom, SYS_gettid,
        SYS_getpid,
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) allow(p, plain[i]);
    allow_without(p, SYS_mmap, 2, PROT_EXEC, EPERM);
    allow_without(p, SYS_mprotect, 2, PROT_EXEC, EPERM);

    if (features & webimage_sandbox_threads) {
        static const unsigned threads[] = {
            SYS_rt_sigprocmask, SYS_set_robust_list, SYS_rseq, SYS_sched_getaffinity, SYS_sched_yield, SYS_sigaltstack,
        };
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) allow(p, threads[i]);
        // Exactly what pthread_create passes: a thread, never a process.
        add(p, IF_EQUAL(SYS_clone, 0, 4));
        add(p, LOAD_ARGUMENT(0));
        add(p, IF_EQUAL(0x3d0f00, 0, 1));
        add(p, RETURN(SECCOMP_RET_ALLOW));
        add(p, RETURN(SECCOMP_RET_ERRNO | EPERM));
    }
    if (files) {
        static const unsigned reading[] = {
            SYS_newfstatat, SYS_fstat, SYS_read, SYS_pread64, SYS_lseek, SYS_getdents64, SYS_readlinkat, SYS_statx,
            SYS_faccessat,
#ifdef SYS_access
            SYS_access, SYS_readlink,
#endif
        };
        for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) allow(p, reading[i]);
        allow_without(p, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, EACCES);
        // F_GETFL and the like; never F_SETOWN, which could send signals.
        add(p, IF_EQUAL(SYS_fcntl, 0, 4));
        add(p, LOAD_ARGUMENT(1));
        add(p, IF_EQUAL(F_GETFL, 0, 1));
        add(p, RETURN(SECCOMP_RET_ALLOW));
        add(p, RETURN(SECCOMP_RET_ERRNO | EPERM));
    } else {
        static const unsigned files_refused[] = {
            SYS_openat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_readlinkat,
#ifdef SYS_faccessat2
            SYS_faccessat2,
#endif
#ifdef SYS_open
            SYS_open, SYS_stat, SYS_access, SYS_readlink,
#endif
        };
        for (size_t i = 0; i < sizeof files_refused / sizeof *files_refused; i++) refuse(p, files_refused[i], EACCES);
    }

    // GLib of Debian 13 asks a service of the system by a socket, and goes on without it.
    if (features & webimage_sandbox_fonts) refuse(p, SYS_socket, EACCES);
    // Calls whose failure libraries handle.
    refuse(p, SYS_clone3, ENOSYS);
    refuse(p, SYS_prlimit64, EPERM);
    refuse(p, SYS_sysinfo, EPERM);
    refuse(p, SYS_sched_getaffinity, EPERM);
    refuse(p, SYS_ioctl, ENOTTY);
    refuse(p, SYS_write, EBADF);
    refuse(p, SYS_getpeername, ENOTSOCK);
    // Everything else ends the process; the handler reports the number first. An error instead would let a library wait
    // for ever for a thread that did not start.
    add(p, RETURN(SECCOMP_RET_TRAP));
}

// Reports the number of the refused call to the host and ends. Only calls of the filter are used.
static void report_violation(int signal, siginfo_t *info, void *context) {
    (void)signal, (void)context;
    unsigned char report[8] = {'W', 'I', 'S', 'V'};
    memcpy(report + 4, &info->si_syscall, 4);
    struct iovec part = {.iov_base = report, .iov_len = sizeof report};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    sendmsg(webimage_sandbox_socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    _exit(128 + SIGSYS);
}

bool webimage_sandbox_install_filter(unsigned features, bool files) {
    if (THIS_ARCHITECTURE == 0) return false;
    struct sigaction action = {.sa_sigaction = report_violation, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL)) return false;
    program p = {.count = 0};
    build(&p, features, files);
    if (p.count > sizeof p.code / sizeof *p.code) return false;
    struct sock_fprog filter = {.len = (unsigned short)p.count, .filter = p.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}
