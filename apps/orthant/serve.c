/* For accept4. */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_CONNECTIONS 32
#define REQUEST_BYTES 4096
#define PIECE_BYTES 65536
#define REQUEST_SECONDS 5 /* for the whole request */
#define ANSWER_SECONDS 30 /* without a byte taken */

/* One reader: first its request grows, then the answer goes out. */
typedef struct connection {
    int socket; /* -1: free */
    char request[REQUEST_BYTES];
    size_t used;
    char head[512];
    size_t head_length, head_sent;
    const char *text; /* the body, or */
    int file;         /* the open file with it; -1: none */
    char piece[PIECE_BYTES];
    size_t length, sent; /* of `text`, or of the piece */
    double deadline;
    bool answers;
} connection;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- paths ------------------------------------------------------------------------------------
 */

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *found;
    found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

bool serve_decode(char *path)
{
    char *to = path;
    for (const char *at = path; *at; at++) {
        int value = (unsigned char)*at;
        if (*at == '%') {
            const int high = hex_digit(at[1]), low = high < 0 ? -1 : hex_digit(at[2]);
            if (low < 0)
                return false;
            value = 16 * high + low;
            at += 2;
        }
        if (value < ' ' || value == 0x7f)
            return false;
        *to++ = (char)value;
    }
    *to = '\0';
    return true;
}

int serve_open_file(int folder, const char *path)
{
    char part[256];
    struct stat about;
    int at = dup(folder);
    while (at >= 0) {
        const size_t length = strcspn(path, "/");
        const bool last = !path[length];
        if (!length || length >= sizeof part || *path == '.')
            break;
        memcpy(part, path, length);
        part[length] = '\0';
        const int next = openat(
            at, part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (last ? 0 : O_DIRECTORY));
        close(at);
        at = next;
        if (last) {
            if (at >= 0 && !fstat(at, &about) && S_ISREG(about.st_mode))
                return at;
            break;
        }
        path += length + 1;
    }
    if (at >= 0)
        close(at);
    return -1;
}

static const char *type_of(const char *path)
{
    static const struct {
        const char *ending, *type;
    } types[] = {{".html", "text/html; charset=utf-8"},
                 {".svg", "image/svg+xml"},
                 {".png", "image/png"},
                 {".json", "application/json"},
                 {".csv", "text/plain; charset=utf-8"},
                 {".txt", "text/plain; charset=utf-8"},
                 {".gp", "text/plain; charset=utf-8"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot, types[i].ending))
            return types[i].type;
    return "application/octet-stream";
}

/* ---- answers ----------------------------------------------------------------------------------
 */

static void begin_answer(connection *c, const char *status, const char *type, long long bytes)
{
    const int length =
        snprintf(c->head, sizeof c->head,
                 "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\n"
                 "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                 "Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
                 "Content-Security-Policy: default-src 'self' 'unsafe-inline' data: blob:\r\n"
                 "%sConnection: close\r\n\r\n",
                 status, type, bytes, *status == '4' && status[2] == '5' ? "Allow: GET\r\n" : "");
    c->head_length = (size_t)length;
    c->answers = true;
    c->deadline = seconds_now() + ANSWER_SECONDS;
}

static void answer_text(connection *c, const char *status, const char *type, const char *text)
{
    c->text = text;
    c->length = strlen(text);
    begin_answer(c, status, type, (long long)c->length);
}

static void refuse(connection *c, const char *status)
{
    answer_text(c, status, "text/plain; charset=utf-8", "Not here.\n");
}

static void answer_path(const server *s, connection *c, const char *path)
{
    const char *text = NULL;
    struct stat about;
    int file = -1;
    if (!s->special(s->user, path, &file, &text)) {
        const int folder = s->folder ? open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        file = folder >= 0 ? serve_open_file(folder, path) : -1;
        if (folder >= 0)
            close(folder);
    }
    if (text) {
        answer_text(c, "200 OK", "text/html; charset=utf-8", text);
    } else if (file < 0 || fstat(file, &about)) {
        if (file >= 0)
            close(file);
        refuse(c, "404 Not Found");
    } else {
        c->file = file;
        begin_answer(c, "200 OK", *path ? type_of(path) : "text/html; charset=utf-8",
                     (long long)about.st_size);
    }
}

/* The same time for every wrong token. */
static bool is_token(const server *s, const char *path)
{
    unsigned char differs = 0;
    if (strlen(path) < SERVE_TOKEN - 1)
        return false;
    for (size_t i = 0; i < SERVE_TOKEN - 1; i++)
        differs |= (unsigned char)(path[i] ^ s->token[i]);
    return !differs;
}

/* "GET /TOKEN/path HTTP/1.1", with the lines behind it, of which none is looked at. */
static void answer(const server *s, connection *c)
{
    char *line = c->request, *end = strpbrk(line, "\r\n");
    if (end)
        *end = '\0';
    char *path = strchr(line, ' '), *version = path ? strchr(path + 1, ' ') : NULL;
    if (!version || strncmp(version, " HTTP/1.", 8) != 0 || path[1] != '/') {
        refuse(c, "400 Bad Request");
        return;
    }
    *path++ = '\0';
    *version = '\0';
    path[strcspn(path, "?#")] = '\0';
    if (strcmp(line, "GET") != 0)
        refuse(c, "405 Method Not Allowed");
    else if (!serve_decode(path))
        refuse(c, "400 Bad Request");
    else if (!is_token(s, path + 1) || path[SERVE_TOKEN] != '/')
        refuse(c, "404 Not Found");
    else
        answer_path(s, c, path + SERVE_TOKEN + 1);
}

/* ---- connections ------------------------------------------------------------------------------
 */

static void hang_up(connection *c)
{
    if (c->file >= 0)
        close(c->file);
    close(c->socket);
    c->socket = c->file = -1;
}

static void take_connection(const server *s, connection *all)
{
    const int socket = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0)
        return;
    for (int i = 0; i < MOST_CONNECTIONS; i++) {
        connection *c = &all[i];
        if (c->socket >= 0)
            continue;
        c->socket = socket;
        c->file = -1;
        c->text = NULL;
        c->used = c->head_length = c->head_sent = c->length = c->sent = 0;
        c->answers = false;
        c->deadline = seconds_now() + REQUEST_SECONDS;
        return;
    }
    close(socket); /* as many as there may be */
}

static void take_request(const server *s, connection *c)
{
    const ssize_t count = recv(c->socket, c->request + c->used, sizeof c->request - 1 - c->used, 0);
    if (count <= 0) {
        if (count == 0 || (errno != EAGAIN && errno != EINTR))
            hang_up(c);
        return;
    }
    c->used += (size_t)count;
    c->request[c->used] = '\0';
    if (strlen(c->request) != c->used)
        refuse(c, "400 Bad Request");
    else if (strstr(c->request, "\r\n\r\n") || strstr(c->request, "\n\n"))
        answer(s, c);
    else if (c->used == sizeof c->request - 1)
        refuse(c, "431 Request Header Fields Too Large");
}

/* The next bytes of the body; false where there are none. */
static bool fill(connection *c)
{
    if (c->sent < c->length)
        return true;
    if (c->file < 0)
        return false;
    const ssize_t count = read(c->file, c->piece, sizeof c->piece);
    c->length = count > 0 ? (size_t)count : 0;
    c->sent = 0;
    return c->length > 0;
}

static void give_answer(connection *c)
{
    for (;;) {
        const bool head = c->head_sent < c->head_length;
        if (!head && !fill(c)) {
            shutdown(c->socket, SHUT_WR);
            hang_up(c);
            return;
        }
        const char *from = head ? c->head + c->head_sent : (c->text ? c->text : c->piece) + c->sent;
        const size_t left = head ? c->head_length - c->head_sent : c->length - c->sent;
        const ssize_t count = send(c->socket, from, left, MSG_NOSIGNAL);
        if (count < 0) {
            if (errno != EAGAIN && errno != EINTR)
                hang_up(c);
            return;
        }
        *(head ? &c->head_sent : &c->sent) += (size_t)count;
        c->deadline = seconds_now() + ANSWER_SECONDS;
    }
}

int serve_open(server *s)
{
    unsigned char drawn[(SERVE_TOKEN - 1) / 2];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
        return errno ? errno : EIO;
    for (size_t i = 0; i < sizeof drawn; i++)
        snprintf(s->token + 2 * i, 3, "%02x", drawn[i]);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listener < 0)
        return errno;
    if (bind(s->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(s->listener, MOST_CONNECTIONS) ||
        getsockname(s->listener, (struct sockaddr *)&address, &length)) {
        const int error = errno;
        close(s->listener);
        return error;
    }
    s->port = ntohs(address.sin_port);
    return 0;
}

void serve_run(server *s, bool (*ended)(void))
{
    static connection all[MOST_CONNECTIONS];
    struct pollfd wait[MOST_CONNECTIONS + 1];
    for (int i = 0; i < MOST_CONNECTIONS; i++)
        all[i].socket = all[i].file = -1;
    while (!ended()) {
        wait[0] = (struct pollfd){.fd = s->listener, .events = POLLIN};
        for (int i = 0; i < MOST_CONNECTIONS; i++)
            wait[i + 1] =
                (struct pollfd){.fd = all[i].socket, .events = all[i].answers ? POLLOUT : POLLIN};
        if (poll(wait, MOST_CONNECTIONS + 1, 500) < 0 && errno != EINTR)
            break;
        const double now = seconds_now();
        for (int i = 0; i < MOST_CONNECTIONS; i++) {
            if (all[i].socket < 0)
                continue;
            if (wait[i + 1].revents && all[i].answers)
                give_answer(&all[i]);
            else if (wait[i + 1].revents)
                take_request(s, &all[i]);
            if (all[i].socket >= 0 && now > all[i].deadline)
                hang_up(&all[i]);
        }
        if (wait[0].revents)
            take_connection(s, all);
    }
    for (int i = 0; i < MOST_CONNECTIONS; i++)
        if (all[i].socket >= 0)
            hang_up(&all[i]);
    close(s->listener);
}
