/* Runs a command and disturbs the n-th file operation that it makes after the marker (marker.h):
 *
 *   tracer SHIM REPORT N FAULT COMMAND ...
 *
 * N 0 disturbs none and writes every operation to REPORT, a line each: its number, the call, what
 * it can be disturbed by (r reads, w writes, m changes names or makes them, c closes, q asks; s has
 * two bytes or more), the path. Otherwise REPORT gets that line of the N-th operation. SHIM is
 * preloaded. FAULT is one of
 *
 *   ENOSPC, EIO, ...: the call fails with that error and does nothing (a close does its work);
 *
 *   short: it reads or writes half of what was asked;
 *
 *   end: a read finds the end of the file;
 *
 *   kill: the command is killed in front of it;
 *
 *   tear: and after half of a write.
 *
 * Ends as the command did, with 128 + the signal where one ended it. The files that count are those
 * of the user: not the system's, no pipes, not standard error. Children are not followed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marker.h"

#ifndef __x86_64__
#error "the tracer knows the registers of x86-64 alone"
#endif

#define FAILED 125 /* exit status: the tracer itself could not work */

typedef enum place { PATH_0, PATH_1, FILE_0, FILE_4 } place;

typedef struct call {
    long number;
    const char *name;
    place at; /* of the argument that says which file */
    char kind;
} call;

static const call calls[] = {
    {SYS_open, "open", PATH_0, 'q'},           {SYS_openat, "openat", PATH_1, 'q'},
    {SYS_creat, "creat", PATH_0, 'm'},         {SYS_read, "read", FILE_0, 'r'},
    {SYS_pread64, "pread", FILE_0, 'r'},       {SYS_readv, "readv", FILE_0, 'r'},
    {SYS_write, "write", FILE_0, 'w'},         {SYS_pwrite64, "pwrite", FILE_0, 'w'},
    {SYS_writev, "writev", FILE_0, 'w'},       {SYS_close, "close", FILE_0, 'c'},
    {SYS_fsync, "fsync", FILE_0, 'm'},         {SYS_fdatasync, "fdatasync", FILE_0, 'm'},
    {SYS_rename, "rename", PATH_0, 'm'},       {SYS_renameat, "renameat", PATH_1, 'm'},
    {SYS_renameat2, "renameat2", PATH_1, 'm'}, {SYS_mkdir, "mkdir", PATH_0, 'm'},
    {SYS_mkdirat, "mkdirat", PATH_1, 'm'},     {SYS_unlink, "unlink", PATH_0, 'm'},
    {SYS_unlinkat, "unlinkat", PATH_1, 'm'},   {SYS_rmdir, "rmdir", PATH_0, 'm'},
    {SYS_link, "link", PATH_0, 'm'},           {SYS_linkat, "linkat", PATH_1, 'm'},
    {SYS_symlink, "symlink", PATH_0, 'm'},     {SYS_truncate, "truncate", PATH_0, 'm'},
    {SYS_ftruncate, "ftruncate", FILE_0, 'm'}, {SYS_fallocate, "fallocate", FILE_0, 'm'},
    {SYS_stat, "stat", PATH_0, 'q'},           {SYS_lstat, "lstat", PATH_0, 'q'},
    {SYS_fstat, "fstat", FILE_0, 'q'},         {SYS_newfstatat, "fstatat", PATH_1, 'q'},
    {SYS_statx, "statx", PATH_1, 'q'},         {SYS_access, "access", PATH_0, 'q'},
    {SYS_faccessat, "faccessat", PATH_1, 'q'}, {SYS_faccessat2, "faccessat2", PATH_1, 'q'},
    {SYS_getdents64, "getdents", FILE_0, 'q'}, {SYS_lseek, "lseek", FILE_0, 'q'},
    {SYS_flock, "flock", FILE_0, 'q'},         {SYS_mmap, "mmap", FILE_4, 'q'},
    {SYS_readlink, "readlink", PATH_0, 'q'},   {SYS_readlinkat, "readlinkat", PATH_1, 'q'},
};

typedef struct fault {
    long at;   /* the operation's number; 0: none */
    int error; /* 0: another kind of fault */
    bool kills, halves, ends;
} fault;

static long argument(const struct user_regs_struct *r, int index)
{
    const long long unsigned of[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8};
    return (long)of[index];
}

/* The text at `address` of the traced process. */
static void read_text(pid_t child, long address, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    while (length < size - 1) {
        /* A page at most: the next one may not be there. */
        size_t piece = 4096 - (size_t)(address + (long)length) % 4096;
        piece = piece < size - 1 - length ? piece : size - 1 - length;
        struct iovec to = {text + length, piece}, from = {(void *)(address + (long)length), piece};
        if (process_vm_readv(child, &to, 1, &from, 1, 0) != (ssize_t)piece)
            break;
        length += piece;
        text[length] = '\0';
        if (memchr(text, 0, length))
            break;
    }
}

static void find_path(pid_t child, const call *of, const struct user_regs_struct *r, char *path,
                      size_t size)
{
    const bool is_path = of->at == PATH_0 || of->at == PATH_1;
    int file = (int)argument(r, of->at == FILE_4 ? 4 : 0);
    if (is_path)
        read_text(child, argument(r, of->at == PATH_1 ? 1 : 0), path, size);
    if (!is_path || (of->at == PATH_1 && !*path)) {
        char link[64];
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)child, file);
        const ssize_t length = readlink(link, path, size - 1);
        path[length < 0 ? 0 : length] = '\0';
    }
}

/* Whether the operation is one on a user's file. */
static bool counts(const call *of, const struct user_regs_struct *r, const char *path)
{
    static const char *const of_the_system[] = {"/proc", "/sys",  "/etc",    "/dev/", "/usr",
                                                "/lib",  "pipe:", "socket:", "anon_", "/memfd:"};
    if (of->at == FILE_0 && argument(r, 0) == STDERR_FILENO)
        return false;
    if (of->at == FILE_4 && (argument(r, 3) & MAP_ANONYMOUS))
        return false;
    if (!strncmp(path, "/dev/shm/", 9))
        return true;
    for (size_t i = 0; i < sizeof of_the_system / sizeof *of_the_system; i++)
        if (!strncmp(path, of_the_system[i], strlen(of_the_system[i])))
            return false;
    return *path != '\0';
}

static char kind_of(const call *of, const struct user_regs_struct *r)
{
    const long flags = of->number == SYS_open     ? argument(r, 1)
                       : of->number == SYS_openat ? argument(r, 2)
                                                  : 0;
    return flags & O_CREAT ? 'm' : of->kind;
}

static bool halvable(const call *of, const struct user_regs_struct *r)
{
    return (of->number == SYS_read || of->number == SYS_write || of->number == SYS_pread64 ||
            of->number == SYS_pwrite64) &&
           argument(r, 2) > 1;
}

static bool parse_fault(const char *number, const char *name, fault *out)
{
    static const struct {
        const char *name;
        int error;
    } errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
                  {"ENOMEM", ENOMEM}, {"EMFILE", EMFILE}, {"EACCES", EACCES}};
    *out = (fault){.at = strtol(number, NULL, 10)};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (!strcmp(name, errors[i].name))
            out->error = errors[i].error;
    out->kills = !strcmp(name, "kill") || !strcmp(name, "tear");
    out->halves = !strcmp(name, "short") || !strcmp(name, "tear");
    out->ends = !strcmp(name, "end");
    return !out->at || out->error || out->kills || out->halves || out->ends;
}

/* Lets the child go on to its next stop at a call; signals are handed on. False when it ended. */
static bool next_stop(pid_t child, int *status)
{
    int signal = 0;
    for (;;) {
        if (ptrace(PTRACE_SYSCALL, child, 0, signal) && errno != ESRCH) {
            perror("tracer: ptrace");
            exit(FAILED);
        }
        if (waitpid(child, status, 0) < 0)
            exit(FAILED);
        if (!WIFSTOPPED(*status))
            return false;
        signal = WSTOPSIG(*status);
        if (signal == (SIGTRAP | 0x80))
            return true;
        if (signal == SIGTRAP)
            signal = 0;
    }
}

/* At the entry of the operation; it has returned after this, or the child ended. */
static bool disturb(pid_t child, const call *of, const fault *f, struct user_regs_struct *r,
                    int *status)
{
    const bool skips = f->error || f->ends;
    const bool does = of->number == SYS_close;
    if (f->kills && !f->halves)
        kill(child, SIGKILL);
    if (skips && !does)
        r->orig_rax = (unsigned long long)-1;
    if (f->halves && halvable(of, r))
        r->rdx /= 2;
    ptrace(PTRACE_SETREGS, child, 0, r);
    if (!next_stop(child, status))
        return false;
    if (f->kills)
        kill(child, SIGKILL);
    ptrace(PTRACE_GETREGS, child, 0, r);
    if (skips)
        r->rax = (unsigned long long)(f->ends ? 0 : -(long)f->error);
    ptrace(PTRACE_SETREGS, child, 0, r);
    return true;
}

static const call *find_call(long number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

static int trace(pid_t child, const fault *f, FILE *report)
{
    int status;
    long count = 0;
    bool begun = false;
    if (waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
        return FAILED;
    ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    while (next_stop(child, &status)) {
        struct user_regs_struct r;
        char path[4096];
        ptrace(PTRACE_GETREGS, child, 0, &r);
        const call *of = find_call((long)r.orig_rax);
        const bool marks = of && of->number == SYS_close && (int)r.rdi == FAULTS_MARKER;
        begun = begun || marks;
        path[0] = '\0';
        if (of && begun && !marks)
            find_path(child, of, &r, path, sizeof path);
        if (of && begun && !marks && counts(of, &r, path)) {
            count++;
            if (!f->at || count == f->at)
                fprintf(report, "%ld %s %c%c %s\n", count, of->name, kind_of(of, &r),
                        halvable(of, &r) ? 's' : '-', path);
            if (count == f->at) {
                if (!disturb(child, of, f, &r, &status))
                    break;
                continue;
            }
        }
        if (!next_stop(child, &status))
            break;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char **words)
{
    fault f;
    if (count < 6 || !parse_fault(words[3], words[4], &f)) {
        fprintf(stderr, "usage: tracer SHIM REPORT N FAULT COMMAND ...\n");
        return FAILED;
    }
    FILE *report = fopen(words[2], "we");
    if (!report) {
        perror(words[2]);
        return FAILED;
    }
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0)) {
            perror("tracer: ptrace");
            _exit(FAILED);
        }
        setenv("LD_PRELOAD", words[1], 1);
        execv(words[5], words + 5);
        perror(words[5]);
        _exit(FAILED);
    }
    const int status = child < 0 ? FAILED : trace(child, &f, report);
    fclose(report);
    return status;
}
