// The practical limit for the scenarios `burst` and `steady`. One thread per core reads JPEG files and decodes them
// with libjpeg-turbo. The decoder reduces the size of each picture, but not below 256 px. Each line `run FILE` starts
// a round. FILE lists the request times and paths of the pictures; see Arrivals.swift. The answer is `ok` and one
// number per picture. This is the time in milliseconds from the request time until the picture is decoded, or -1 if
// the decode failed.
#include <stdio.h>

#include <jpeglib.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct job {
    double due, waited;
    char *path;
};

static struct job *jobs;
static int count, next_job;
static struct timespec start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double since_start(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start.tv_sec) * 1e3 + (now.tv_nsec - start.tv_nsec) / 1e6;
}

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct failure *)info->err)->jump, 1); }

static unsigned char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    if (fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static int decode(const char *path) {
    size_t size = 0;
    unsigned char *bytes = read_file(path, &size), *volatile pixels = NULL;
    if (!bytes) return 1;
    struct jpeg_decompress_struct info;
    struct failure failure;
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = fail;
    if (setjmp(failure.jump)) {
        jpeg_destroy_decompress(&info);
        free(pixels);
        free(bytes);
        return 1;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, size);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_BGRX;
    unsigned longer = info.image_width > info.image_height ? info.image_width : info.image_height;
    info.scale_denom = 8;
    info.scale_num = 8;
    while (info.scale_num > 1 && longer * (info.scale_num - 1) / 8 >= 256) info.scale_num--;
    jpeg_start_decompress(&info);
    size_t stride = (size_t)info.output_width * 4;
    pixels = malloc(stride * info.output_height);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + info.output_scanline * stride;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(pixels);
    free(bytes);
    return 0;
}

static void *work(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        int number = next_job < count ? next_job++ : -1;
        pthread_mutex_unlock(&lock);
        if (number < 0) return NULL;
        struct job *job = &jobs[number];
        double wait = job->due - since_start();
        if (wait > 0) usleep((useconds_t)(wait * 1e3));
        int failed = decode(job->path);
        job->waited = failed ? -1 : since_start() - job->due;
    }
}

static int read_jobs(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    char line[4096];
    for (int index = 0; index < count; index++) free(jobs[index].path);
    count = next_job = 0;
    while (fgets(line, sizeof line, file)) {
        char *place = strchr(line, ' ');
        if (!place) continue;
        line[strcspn(line, "\n")] = 0;
        jobs = realloc(jobs, (size_t)(count + 1) * sizeof *jobs);
        jobs[count++] = (struct job){atof(line), -1, strdup(place + 1)};
    }
    fclose(file);
    return 0;
}

int main(void) {
    char line[4096];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[256];
    if (cores > 256) cores = 256;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "run ", 4) == 0) {
            if (read_jobs(line + 4)) {
                puts("error: no such list");
                fflush(stdout);
                continue;
            }
            clock_gettime(CLOCK_MONOTONIC, &start);
            for (long index = 0; index < cores; index++) pthread_create(&threads[index], NULL, work, NULL);
            for (long index = 0; index < cores; index++) pthread_join(threads[index], NULL);
            fputs("ok", stdout);
            for (int index = 0; index < count; index++) printf(" %.2f", jobs[index].waited);
            putchar('\n');
        } else {
            puts("ok");
        }
        fflush(stdout);
    }
}
