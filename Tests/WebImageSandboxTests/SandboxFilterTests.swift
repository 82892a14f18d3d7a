import CWebImageSandbox
import CWebImageSandboxAttempts
import Testing

@testable import WebImageSandbox

/// The filter of 64-bit ARM, whose numbers differ from those of the machines on which the other tests run. Its
/// instructions are run by an interpreter, with numbers written out from the kernel's table.
struct SandboxFilterTests {
    private enum Verdict: Equatable {
        case allow, trap, kill
        case refuse(UInt32)
        case other(UInt32)
    }

    private func verdict(
        _ number: Int32, _ profile: SandboxProfile, files: Bool = false, architecture: UInt32 = 0, argument: UInt64 = 0
    ) -> Verdict {
        let value = webimage_sandbox_arm_verdict(profile.features, files, architecture, number, argument)
        return switch value {
        case 0x7FFF_0000: .allow
        case 0x0003_0000: .trap
        case 0x8000_0000: .kill
        case 0x0005_0000...0x0005_FFFF: .refuse(value & 0xFFFF)
        default: .other(value)
        }
    }

    private func allowed(_ profile: SandboxProfile, files: Bool = false, argument: UInt64 = 0) -> Set<Int32> {
        Set((0...600).filter { verdict($0, profile, files: files, argument: argument) == .allow })
    }

    // brk 214, clock_gettime 113, close 57, exit 93, exit_group 94, futex 98, getpid 172, getrandom 278, gettid 178,
    // madvise 233, mmap 222, mprotect 226, mremap 216, munmap 215, recvmsg 212, restart_syscall 128, rt_sigprocmask 135,
    // rt_sigreturn 139, sendmsg 211, sendto 206.
    private let plain: Set<Int32> = [
        214, 113, 57, 93, 94, 98, 172, 278, 178, 233, 222, 226, 216, 215, 212, 128, 135, 139, 211, 206,
    ]

    // rseq 293, sched_getaffinity 123, sched_yield 124, set_robust_list 99, sigaltstack 132.
    private let threads: Set<Int32> = [293, 123, 124, 99, 132]

    // faccessat 48, fstat 80, getdents64 61, lseek 62, newfstatat 79, openat 56, pread64 67, read 63, readlinkat 78,
    // statx 291.
    private let reading: Set<Int32> = [48, 80, 61, 62, 79, 56, 67, 63, 78, 291]

    @Test func armAllowsTheListedCalls() {
        #expect(allowed(.basic) == plain && allowed(.further) == plain)
        #expect(allowed(.threads) == plain.union(threads))
        #expect(allowed(.svg) == plain.union(threads))
        #expect(allowed(.svg, files: true) == plain.union(threads).union(reading))
    }

    @Test func armRefusesByArguments() {
        // Executable memory, and files for writing.
        for number: Int32 in [222, 226] { #expect(verdict(number, .basic, argument: 4) == .refuse(1)) }
        for flag: UInt64 in [1, 2, 0o100, 0o1000, 0o2000] {
            #expect(verdict(56, .svg, files: true, argument: flag) == .refuse(13))
        }
        // close 57: never the pipe whose end is that of the host.
        #expect(verdict(57, .basic, argument: 5) == .refuse(1) && verdict(57, .basic, argument: 4) == .allow)
        // clone 220: threads, never processes. fcntl 25: only F_GETFL.
        #expect(
            verdict(220, .threads, argument: 0x3D0F00) == .allow && verdict(220, .threads, argument: 17) == .refuse(1))
        #expect(verdict(220, .basic, argument: 0x3D0F00) == .trap)
        #expect(verdict(25, .svg, files: true, argument: 3) == .allow)
        #expect(verdict(25, .svg, files: true, argument: 8) == .refuse(1) && verdict(25, .basic, argument: 3) == .trap)
    }

    @Test func armEndsTheWorkerAtEverythingElse() {
        // writev 66 fails, so that abort(3) goes on to tgkill 131, which the host recognises.
        #expect(verdict(66, .basic) == .refuse(9) && verdict(131, .basic) == .trap)
        // clone3 435 and openat 56 fail, so that libraries go on; socket 198, execve 221, ptrace 117 and kill 129 do not.
        #expect(verdict(435, .basic) == .refuse(38) && verdict(56, .basic) == .refuse(13))
        for number: Int32 in [198, 221, 117, 129, 600, -1] { #expect(verdict(number, .basic) == .trap) }
        // The same numbers by the interface of another architecture: AUDIT_ARCH_ARM and AUDIT_ARCH_X86_64.
        for architecture: UInt32 in [0x4000_0028, 0xC000_003E] {
            #expect(verdict(172, .basic, architecture: architecture) == .kill)
        }
    }
}
