#ifndef CWEBIMAGE_SANDBOX_FILTER_PROGRAM_H
#define CWEBIMAGE_SANDBOX_FILTER_PROGRAM_H

#include "include/CWebImageSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

// The list of allowed system calls as a program for the kernel's filter. The file that includes this one defines
// FILTER_ARCHITECTURE and the numbers __NR_… of that architecture: a test builds the list of another one. With
// FILTER_FOR_ADDRESS_SANITIZER, the list has the calls of that sanitizer's runtime too.

#define CALL(name) __NR_##name

// A program for the kernel's filter: loads the number of the call and compares it with each allowed one.
typedef struct {
    struct sock_filter code[256];
    unsigned count;
} filter_program;

static void add(filter_program *p, struct sock_filter instruction) {
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

static void answer(filter_program *p, unsigned number, unsigned result) {
    add(p, IF_EQUAL(number, 0, 1));
    add(p, RETURN(result));
}

static void allow(filter_program *p, unsigned number) { answer(p, number, SECCOMP_RET_ALLOW); }
static void refuse(filter_program *p, unsigned number, int error) {
    answer(p, number, SECCOMP_RET_ERRNO | (unsigned)error);
}

// Refuses the call with an error if its argument has one of the bits, and allows it otherwise.
static void allow_without(filter_program *p, unsigned number, unsigned argument, unsigned bits, int error) {
    add(p, IF_EQUAL(number, 0, 4));
    add(p, LOAD_ARGUMENT(argument));
    add(p, IF_ANY_BIT(bits, 0, 1));
    add(p, RETURN(SECCOMP_RET_ERRNO | (unsigned)error));
    add(p, RETURN(SECCOMP_RET_ALLOW));
}

static void build_filter(filter_program *p, unsigned features, bool files) {
    add(p, LOAD(arch));
    add(p, IF_EQUAL(FILTER_ARCHITECTURE, 1, 0));
    add(p, RETURN(SECCOMP_RET_KILL_PROCESS));
    add(p, LOAD(nr));

    // What decoding needs: messages, memory, locks, time, its end. The most frequent first.
    static const unsigned plain[] = {
        CALL(recvmsg), CALL(sendmsg), CALL(futex), CALL(madvise), CALL(munmap), CALL(brk), CALL(mremap), CALL(sendto),
        CALL(clock_gettime), CALL(rt_sigreturn), CALL(restart_syscall), CALL(exit), CALL(exit_group),
        CALL(getrandom), CALL(gettid), CALL(getpid),
        // abort(3) unblocks its signal first. Without this call, its own one would not be reached: see
        // webimage_sandbox_abort_call.
        CALL(rt_sigprocmask),
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) allow(p, plain[i]);
#ifdef FILTER_FOR_ADDRESS_SANITIZER
    // Asks for the stack of signals before a function that does not return, waits for its own locks, and writes its report.
    allow(p, CALL(sigaltstack));
    allow(p, CALL(sched_yield));
    add(p, IF_EQUAL(CALL(write), 0, 4));
    add(p, LOAD_ARGUMENT(0));
    add(p, IF_EQUAL(webimage_sandbox_reports, 0, 1));
    add(p, RETURN(SECCOMP_RET_ALLOW));
    add(p, RETURN(SECCOMP_RET_ERRNO | EBADF));
#endif
    // Without the pipe, the worker would go on after the end of its host.
    add(p, IF_EQUAL(CALL(close), 0, 4));
    add(p, LOAD_ARGUMENT(0));
    add(p, IF_EQUAL(webimage_sandbox_lifetime, 0, 1));
    add(p, RETURN(SECCOMP_RET_ERRNO | EPERM));
    add(p, RETURN(SECCOMP_RET_ALLOW));
    allow_without(p, CALL(mmap), 2, PROT_EXEC, EPERM);
    allow_without(p, CALL(mprotect), 2, PROT_EXEC, EPERM);

    if (features & webimage_sandbox_threads) {
        static const unsigned threads[] = {
            CALL(set_robust_list), CALL(rseq), CALL(sched_getaffinity), CALL(sched_yield), CALL(sigaltstack),
        };
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) allow(p, threads[i]);
        // Exactly what pthread_create passes: a thread, never a process.
        add(p, IF_EQUAL(CALL(clone), 0, 4));
        add(p, LOAD_ARGUMENT(0));
        add(p, IF_EQUAL(0x3d0f00, 0, 1));
        add(p, RETURN(SECCOMP_RET_ALLOW));
        add(p, RETURN(SECCOMP_RET_ERRNO | EPERM));
    }
    if (files) {
        static const unsigned reading[] = {
            CALL(newfstatat), CALL(fstat), CALL(read), CALL(pread64), CALL(lseek), CALL(getdents64), CALL(readlinkat),
            CALL(statx), CALL(faccessat),
#ifdef __NR_access
            CALL(access), CALL(readlink),
#endif
        };
        for (size_t i = 0; i < sizeof reading / sizeof *reading; i++) allow(p, reading[i]);
        allow_without(p, CALL(openat), 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, EACCES);
        // F_GETFL and the like; never F_SETOWN, which could send signals.
        add(p, IF_EQUAL(CALL(fcntl), 0, 4));
        add(p, LOAD_ARGUMENT(1));
        add(p, IF_EQUAL(F_GETFL, 0, 1));
        add(p, RETURN(SECCOMP_RET_ALLOW));
        add(p, RETURN(SECCOMP_RET_ERRNO | EPERM));
    } else {
        static const unsigned files_refused[] = {
            CALL(openat), CALL(newfstatat), CALL(statx), CALL(faccessat), CALL(readlinkat),
#ifdef __NR_faccessat2
            CALL(faccessat2),
#endif
#ifdef __NR_open
            CALL(open), CALL(stat), CALL(access), CALL(readlink),
#endif
        };
        for (size_t i = 0; i < sizeof files_refused / sizeof *files_refused; i++) refuse(p, files_refused[i], EACCES);
    }

    // GLib of Debian 13 asks a service of the system by a socket, and goes on without it.
    if (features & webimage_sandbox_fonts) refuse(p, CALL(socket), EACCES);
    // Calls whose failure libraries handle.
    refuse(p, CALL(clone3), ENOSYS);
    refuse(p, CALL(prlimit64), EPERM);
    refuse(p, CALL(sysinfo), EPERM);
    refuse(p, CALL(sched_getaffinity), EPERM);
    refuse(p, CALL(ioctl), ENOTTY);
    refuse(p, CALL(write), EBADF);
    // The C library writes why it aborts: a damaged heap, an overflow of the stack.
    refuse(p, CALL(writev), EBADF);
    refuse(p, CALL(getpeername), ENOTSOCK);
    // Everything else ends the process; the handler reports the number first. An error instead would let a library wait
    // for ever for a thread that did not start.
    add(p, RETURN(SECCOMP_RET_TRAP));
}

#endif
