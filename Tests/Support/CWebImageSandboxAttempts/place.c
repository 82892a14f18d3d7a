#define _GNU_SOURCE
#include "CWebImageSandboxAttempts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Imitates the filters of places in which programs run. Each answers the calls that matter to decoder processes as the
// real filter does.

typedef struct {
    unsigned call;
    int error;
} refusal;

#define END {0, 0}

static const refusal container[] = {
    {SYS_unshare, EPERM}, {SYS_setns, EPERM}, {SYS_mount, EPERM}, {SYS_umount2, EPERM}, {SYS_pivot_root, EPERM},
    {SYS_keyctl, EPERM}, {SYS_add_key, EPERM}, {SYS_request_key, EPERM}, {SYS_bpf, EPERM}, {SYS_userfaultfd, EPERM},
    {SYS_perf_event_open, EPERM}, {SYS_clone3, ENOSYS}, {SYS_io_uring_setup, EPERM}, {SYS_open_by_handle_at, EPERM},
    {SYS_process_vm_writev, EPERM}, END,
};
static const refusal flatpak[] = {
    {SYS_unshare, EPERM}, {SYS_setns, EPERM}, {SYS_mount, EPERM}, {SYS_umount2, EPERM}, {SYS_pivot_root, EPERM},
    {SYS_chroot, EPERM}, {SYS_keyctl, EPERM}, {SYS_add_key, EPERM}, {SYS_request_key, EPERM}, {SYS_ptrace, EPERM},
    {SYS_perf_event_open, EPERM}, {SYS_clone3, ENOSYS}, {SYS_personality, EPERM}, {SYS_syslog, EPERM},
    {SYS_acct, EPERM}, {SYS_quotactl, EPERM}, {SYS_move_mount, ENOSYS}, {SYS_landlock_create_ruleset, ENOSYS},
    {SYS_landlock_add_rule, ENOSYS}, {SYS_landlock_restrict_self, ENOSYS}, END,
};
static const refusal service[] = {
    {SYS_unshare, EPERM}, {SYS_setns, EPERM}, {SYS_capset, EPERM}, {SYS_setpriority, EPERM}, {SYS_mount, EPERM},
    {SYS_ptrace, EPERM}, {SYS_bpf, EPERM}, {SYS_perf_event_open, EPERM}, {SYS_sched_setaffinity, EPERM},
    {SYS_setuid, EPERM}, {SYS_chroot, EPERM}, {SYS_clone3, ENOSYS}, END,
};
static const refusal no_namespaces[] = {{SYS_unshare, ENOSPC}, {SYS_clone3, ENOSYS}, END};
static const refusal old_kernel[] = {
    {SYS_landlock_create_ruleset, ENOSYS}, {SYS_landlock_add_rule, ENOSYS}, {SYS_landlock_restrict_self, ENOSYS},
    {SYS_clone3, ENOSYS}, {SYS_faccessat2, ENOSYS}, {SYS_futex_waitv, ENOSYS}, END,
};
static const refusal *const places[webimage_place_count] = {container, flatpak, service, no_namespaces, old_kernel};

static int install(int place) {
    struct sock_filter code[128];
    unsigned short count = 0;
    code[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (const refusal *entry = places[place]; entry->error; entry++) {
        code[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, entry->call, 0, 1);
        code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)entry->error);
    }
    code[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = count, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

// Gives up root, if the process has it: the places above have no capabilities.
static void become_nobody(void) {
    if (getuid()) return;
    if (syscall(SYS_setgid, 65534) || syscall(SYS_setuid, 65534)) _exit(126);
}

int webimage_run_in_place(int place, const char *program, char *const arguments[], const char *output) {
    if (place < 0 || place >= webimage_place_count) return -1;
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(file, 1);
        dup2(file, 2);
        become_nobody();
        if (install(place)) _exit(125);
        char *const environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", NULL};
        execve(program, arguments, environment);
        _exit(127);
    }
    close(file);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

pid_t webimage_fork(int (*body)(void *), void *context) {
    pid_t child = fork();
    if (child == 0) _exit(body(context));
    return child;
}
