#include "CWebImageSandboxAttempts.h"

#include <linux/audit.h>
#include <string.h>

// The numbers of 64-bit ARM, which are the generic ones of the kernel.
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_RENAMEAT
#include <asm-generic/unistd.h>

#define FILTER_ARCHITECTURE AUDIT_ARCH_AARCH64
#include "../../../Sources/CWebImageSandbox/filter_program.h"

// Runs the filter's instructions as the kernel does.
static unsigned run(const filter_program *p, const struct seccomp_data *data) {
    unsigned accumulator = 0;
    for (unsigned place = 0; place < p->count; place++) {
        const struct sock_filter *i = &p->code[place];
        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS: memcpy(&accumulator, (const char *)data + i->k, 4); break;
        case BPF_JMP | BPF_JEQ | BPF_K: place += accumulator == i->k ? i->jt : i->jf; break;
        case BPF_JMP | BPF_JSET | BPF_K: place += accumulator & i->k ? i->jt : i->jf; break;
        case BPF_RET | BPF_K: return i->k;
        default: return 1;
        }
    }
    return 1;
}

unsigned webimage_sandbox_arm_verdict(
    unsigned features, bool files, unsigned architecture, int number, uint64_t argument) {
    filter_program p = {.count = 0};
    build_filter(&p, features, files);
    struct seccomp_data data = {.nr = number, .arch = architecture ? architecture : FILTER_ARCHITECTURE};
    for (int index = 0; index < 6; index++) data.args[index] = argument;
    return run(&p, &data);
}
