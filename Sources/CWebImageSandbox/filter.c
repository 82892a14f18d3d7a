#define _GNU_SOURCE
#include "filter.h"

#include "CWebImageSandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FILTER_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define FILTER_ARCHITECTURE 0  // the filter is not installed, and the lock fails
#endif

#if WEBIMAGE_HAS_ADDRESS_SANITIZER
#define FILTER_FOR_ADDRESS_SANITIZER
#endif

#include "filter_program.h"

#ifndef SECCOMP_FILTER_FLAG_TSYNC
#define SECCOMP_FILTER_FLAG_TSYNC 1
#endif

const int webimage_sandbox_abort_call = SYS_tgkill;

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
    if (FILTER_ARCHITECTURE == 0) return false;
    struct sigaction action = {.sa_sigaction = report_violation, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL)) return false;
    filter_program p = {.count = 0};
    build_filter(&p, features, files);
    if (p.count > sizeof p.code / sizeof *p.code) return false;
    struct sock_fprog filter = {.len = (unsigned short)p.count, .filter = p.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}
