#define _GNU_SOURCE
#include "CWebImageSandbox.h"
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Rights that newer versions of Landlock add; the headers of Debian 12 do not name all of them.
#define LANDLOCK_FILES_1 ((1ULL << 13) - 1)
#define LANDLOCK_REFER (1ULL << 13)
#define LANDLOCK_TRUNCATE (1ULL << 14)
#define LANDLOCK_IOCTL (1ULL << 15)

// The attributes of the newest known version; older kernels accept a shorter structure.
typedef struct {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
} landlock_rules;

void webimage_sandbox_end_with_host(void) {
    // Ends with the host: the kernel sends SIGKILL when the other end of the pipe closes, even to an endless loop.
    // PR_SET_PDEATHSIG would fire when the host's *thread* that started the worker ends.
    fcntl(webimage_sandbox_lifetime, F_SETOWN, getpid());
    fcntl(webimage_sandbox_lifetime, F_SETSIG, SIGKILL);
    fcntl(webimage_sandbox_lifetime, F_SETFL, O_ASYNC | O_NONBLOCK);
    // There is no signal if the host has ended before.
    struct pollfd host = {.fd = webimage_sandbox_lifetime};
    if (poll(&host, 1, 0) > 0) _exit(0);
}

#if WEBIMAGE_HAS_ADDRESS_SANITIZER
// A function of the sanitizer's runtime: sets the descriptor to which reports of damaged memory are written.
void __sanitizer_set_report_fd(void *descriptor);
#endif

void webimage_sandbox_prepare(webimage_sandbox_protections *protections) {
    webimage_sandbox_end_with_host();
#if WEBIMAGE_HAS_ADDRESS_SANITIZER
    __sanitizer_set_report_fd((void *)webimage_sandbox_reports);
#endif

    // A depth, not a condition: many systems forbid it. CLONE_NEWPID would forbid every later thread.
    protections->namespaces =
        unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET) == 0;

    // If memory runs out, end a worker rather than the host.
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        if (write(file, "800", 3) < 0) errno = 0;
        close(file);
    }
}

static bool set_limit(int resource, uint64_t value) {
    struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
    return setrlimit((__rlimit_resource_t)resource, &limit) == 0;
}

// The size of the address space now, in bytes; 0 if it cannot be read.
static uint64_t address_space_now(void) {
    char text[64] = {0};
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    return count > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static bool drop_capabilities(void) {
    for (int capability = 0; capability <= 63; capability++) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capset, &head, data) == 0) return true;
    // A filter of the service manager may forbid the call. A process without capabilities does not need it.
    struct __user_cap_data_struct held[2] = {{0}};
    return syscall(SYS_capget, &head, held) == 0 && !(held[0].permitted | held[1].permitted);
}

static void allow_reading(int rules, const char *folder) {
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = open(folder, O_PATH | O_CLOEXEC),
    };
    if (rule.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void allow_fonts(int rules) {
    static const char *const folders[] = {
        "/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) allow_reading(rules, folders[i]);
    static const char *const own[] = {"/.fonts", "/.local/share/fonts", "/.config/fontconfig"};
    const char *home = getenv("HOME");
    char path[4096];
    for (size_t i = 0; home && i < sizeof own / sizeof *own; i++)
        if (snprintf(path, sizeof path, "%s%s", home, own[i]) < (int)sizeof path) allow_reading(rules, path);
}

// Returns the version of Landlock in force, 0 if the kernel has none.
static int restrict_files(unsigned features) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version <= 0) return 0;
    landlock_rules handled = {.files = LANDLOCK_FILES_1};
    size_t size = sizeof handled.files;
    if (version >= 2) handled.files |= LANDLOCK_REFER;
    if (version >= 3) handled.files |= LANDLOCK_TRUNCATE;
    if (version >= 4) {
        handled.network = 3;
        size = offsetof(landlock_rules, scoped);
    }
    if (version >= 5) handled.files |= LANDLOCK_IOCTL;
    if (version >= 6) {
        handled.scoped = 3;
        size = sizeof handled;
    }
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (rules < 0) return 0;
    if (features & webimage_sandbox_fonts) allow_fonts(rules);
    bool holds = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return holds ? (int)version : 0;
}

const char *webimage_sandbox_lock(
    unsigned features, uint64_t address_space, webimage_sandbox_protections *protections) {
    uint64_t now = address_space_now();
    if (!set_limit(RLIMIT_CORE, 0) || !set_limit(RLIMIT_NOFILE, features & webimage_sandbox_fonts ? 64 : 16))
        return "limits";
    // The address sanitizer maps memory for itself, and its report may go to a file.
    if (!WEBIMAGE_HAS_ADDRESS_SANITIZER) {
        // A memfd that is written escapes the limit of the address space; no file may grow instead.
        if (!set_limit(RLIMIT_FSIZE, 0)) return "limits";
        if (address_space && now && !set_limit(RLIMIT_AS, now + address_space)) return "address space";
    }
    if (!(features & webimage_sandbox_threads) && !set_limit(RLIMIT_NPROC, 0)) return "processes";
    if (!drop_capabilities()) return "capabilities";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return "no new privileges";
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) return "not dumpable";
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
    protections->landlock = restrict_files(features);
    // Without Landlock, a filter that allowed openat(2) would allow every file.
    bool files = (features & webimage_sandbox_fonts) && protections->landlock > 0;
    protections->filter = webimage_sandbox_install_filter(features, files);
    return protections->filter ? NULL : "filter";
}
