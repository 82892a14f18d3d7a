// The practical limit for the scenario `download`. The program fetches the URLs in the file LIST with libcurl's multi
// interface in one thread. At most CONCURRENCY transfers run at the same time. Each body stays in memory until the
// body is complete. The program prints the number of received bytes.
//   webimage-download-curl LIST CONCURRENCY CERTIFICATES|-
// CERTIFICATES is a certificate authority file for HTTP/2 over TLS; `-` means HTTP/1.1 without TLS.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct body {
    CURL *handle;
    char *bytes;
    size_t count, room;
};

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t more = size * count;
    if (body->count + more > body->room) {
        curl_off_t length = -1;
        curl_easy_getinfo(body->handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        size_t room = length > 0 && (size_t)length >= body->count + more ? (size_t)length : (body->count + more) * 2;
        char *grown = realloc(body->bytes, room);
        if (!grown) return 0;
        body->bytes = grown;
        body->room = room;
    }
    memcpy(body->bytes + body->count, bytes, more);
    body->count += more;
    return more;
}

static char *next_url(FILE *list) {
    static char line[4096];
    if (!fgets(line, sizeof line, list)) return NULL;
    line[strcspn(line, "\n")] = 0;
    return line[0] ? line : NULL;
}

static int begin(CURLM *multi, struct body *body, const char *url) {
    free(body->bytes);
    body->bytes = NULL;
    body->count = body->room = 0;
    curl_easy_setopt(body->handle, CURLOPT_URL, url);
    return curl_multi_add_handle(multi, body->handle) != CURLM_OK;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    FILE *list = fopen(arguments[1], "r");
    int concurrency = atoi(arguments[2]);
    if (!list || concurrency < 1) return 2;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    struct body *bodies = calloc((size_t)concurrency, sizeof *bodies);
    long long total = 0;
    int running = 0, is_secure = strcmp(arguments[3], "-") != 0;
    for (int index = 0; index < concurrency; index++) {
        struct body *body = &bodies[index];
        body->handle = curl_easy_init();
        curl_easy_setopt(body->handle, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(body->handle, CURLOPT_WRITEDATA, body);
        curl_easy_setopt(body->handle, CURLOPT_PRIVATE, body);
        curl_easy_setopt(body->handle, CURLOPT_FAILONERROR, 1L);
        curl_easy_setopt(body->handle, CURLOPT_NOSIGNAL, 1L);
        if (is_secure) {
            curl_easy_setopt(body->handle, CURLOPT_CAINFO, arguments[3]);
            curl_easy_setopt(body->handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
            curl_easy_setopt(body->handle, CURLOPT_PIPEWAIT, 1L);
        } else {
            curl_easy_setopt(body->handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        }
        const char *url = next_url(list);
        if (url && begin(multi, body, url)) return 1;
    }
    do {
        if (curl_multi_perform(multi, &running) != CURLM_OK) return 1;
        int left;
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            if (message->data.result != CURLE_OK) return 1;
            struct body *body;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &body);
            total += (long long)body->count;
            curl_multi_remove_handle(multi, body->handle);
            const char *url = next_url(list);
            if (url) {
                if (begin(multi, body, url)) return 1;
                running = 1;
            }
        }
        if (running && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) return 1;
    } while (running);
    printf("%lld\n", total);
    return 0;
}
