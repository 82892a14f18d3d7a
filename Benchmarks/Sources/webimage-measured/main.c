// Runs a command and writes the time and the memory of the command to FILE.
//   webimage-measured FILE COMMAND [ARGUMENT...]
// When a process forks, the kernel counts its memory as memory of the child process, too. The harness needs much
// memory, so it does not fork itself but starts commands with this small program.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double milliseconds(struct timeval time) { return time.tv_sec * 1e3 + time.tv_usec / 1e3; }

int main(int count, char **words) {
    if (count < 3) return 2;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        // Discard the standard error of the command, because curl prints its progress even with `--silent`.
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        execvp(words[2], words + 2);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 2;
    clock_gettime(CLOCK_MONOTONIC, &end);
    FILE *report = fopen(words[1], "w");
    if (!report) return 2;
    // Write the wall-clock time in milliseconds, the processor time in milliseconds, and the peak of the resident
    // memory in bytes.
    fprintf(report, "%f %f %ld\n", (end.tv_sec - start.tv_sec) * 1e3 + (end.tv_nsec - start.tv_nsec) / 1e6,
        milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime), usage.ru_maxrss * 1024);
    fclose(report);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
