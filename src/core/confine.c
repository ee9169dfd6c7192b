/* Limits by setrlimit, and on Linux a seccomp filter of system calls. */
#include "core/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define LINK 3 /* its descriptor, behind the three standard ones */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* ---- files and signals ------------------------------------------------------------------------
 */

static void close_from(int first)
{
#if defined(__linux__) && defined(SYS_close_range)
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
        return;
#endif
    const long most = sysconf(_SC_OPEN_MAX);
    for (int i = first; i < (most > 0 && most < 65536 ? most : 65536); i++)
        close(i);
}

/* The standard descriptors lead nowhere, so that no library's last words reach the user's terminal;
 * a sanitizer's do. */
static bool close_files(int link)
{
    const int moved = fcntl(link, F_DUPFD, 16);
    const int nowhere = open("/dev/null", O_RDWR);
    if (moved < 0 || nowhere < 0)
        return false;
    for (int i = 0; i < (SANITIZED ? 2 : 3); i++)
        if (dup2(nowhere, i) < 0)
            return false;
    if (dup2(moved, LINK) < 0)
        return false;
    close_from(LINK + 1);
    return true;
}

/* Handlers are the parent's. What asks the parent to stop leaves the child at work: the parent
 * decides, and the child ends with it. */
static void reset_signals(void)
{
    sigset_t none;
    for (int i = 1; i < 32; i++)
        signal(i, i == SIGINT || i == SIGTERM || i == SIGHUP || i == SIGQUIT ? SIG_IGN : SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- limits -----------------------------------------------------------------------------------
 */

static bool set_limit(int what, int64_t most)
{
    struct rlimit limit;
    if (getrlimit((__typeof__(RLIMIT_AS))what, &limit) != 0)
        return false;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (rlim_t)most)
        limit.rlim_max = (rlim_t)most;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    return setrlimit((__typeof__(RLIMIT_AS))what, &limit) == 0;
}

/* Addresses that the process has, in bytes; 0 where that is not known. */
static int64_t address_space(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* The sanitizers' own memory does not fit into any limit. */
static bool limit_memory(int64_t bytes)
{
    int64_t all;
    return SANITIZED || __builtin_add_overflow(address_space(), bytes, &all) ||
           set_limit(RLIMIT_AS, all);
}

/* ---- system calls -----------------------------------------------------------------------------
 */

#if defined(__linux__) && defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__linux__) && defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
/* Allowed where `argument` (-1: whatever they are) has, of the bits in `mask`, those in `value`. */
typedef struct rule {
    int number, argument;
    uint32_t mask, value;
} rule;

#define ANY(name)            \
    {                        \
        SYS_##name, -1, 0, 0 \
    }
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
#define MOST_RULES 64
#define OFFSET(argument) \
    (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)(argument)) /* little-endian */

static bool install(struct sock_filter *code, size_t count)
{
    const struct sock_fprog program = {(unsigned short)count, code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static bool install_rules(const rule *rules, size_t count)
{
    struct sock_filter code[6 * MOST_RULES + 8];
    size_t at = 0;
    code[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL);
    code[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < count; i++) {
        const rule *r = &rules[i];
        const bool any = r->argument < 0;
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->number, 0,
                                                  any ? 1 : 5);
        if (!any) {
            code[at++] =
                (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(r->argument));
            code[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask);
            code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->value, 1, 0);
            code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
        }
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    return install(code, at);
}

/* What reading, allocating and talking on the link take. A kernel without filters has none. */
static void filter_calls(void)
{
    const rule rules[] = {
        ANY(read),
        ANY(pread64),
        ANY(readv),
        ANY(lseek),
        ANY(close),
        ANY(fstat),
        ANY(flock),
        ANY(fcntl),
        ANY(getcwd),
        ANY(brk),
        ANY(munmap),
        ANY(mremap),
        ANY(madvise),
        ANY(futex),
        ANY(exit),
        ANY(exit_group),
        ANY(rt_sigreturn),
        ANY(rt_sigaction),
        ANY(rt_sigprocmask),
        ANY(sigaltstack),
        ANY(getpid),
        ANY(gettid),
        ANY(clock_gettime),
        ANY(gettimeofday),
        ANY(getrandom),
        ANY(sched_yield),
        ANY(sched_getaffinity),
        ANY(restart_syscall),
        ANY(uname),
        ANY(getuid),
        ANY(recvfrom),
#ifdef SYS_newfstatat
        ANY(newfstatat),
#endif
#ifdef SYS_statx
        ANY(statx),
#endif
#ifdef SYS_stat
        ANY(stat),
        ANY(lstat),
        ANY(access),
        ANY(readlink),
        {SYS_open, 1, WRITING, 0},
#endif
        ANY(faccessat),
        ANY(readlinkat),
        {SYS_openat, 2, WRITING, 0},
        {SYS_mmap, 2, PROT_EXEC, 0},
        {SYS_mprotect, 2, PROT_EXEC, 0},
        {SYS_write, 0, SANITIZED ? ~1U : UINT32_MAX, SANITIZED ? LINK & ~1U : LINK},
        {SYS_sendto, 0, UINT32_MAX, LINK},
        {SYS_prctl, 0, UINT32_MAX, PR_SET_SECCOMP},
        {SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid()}, /* abort */
    };
    _Static_assert(sizeof rules / sizeof *rules <= MOST_RULES, "the filter's code fits");
    install_rules(rules, sizeof rules / sizeof *rules);
}

bool confine_files(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
#ifdef SYS_open
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 1),
#else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
#endif
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return install(code, sizeof code / sizeof *code);
}
#else
static void filter_calls(void)
{
}

bool confine_files(void)
{
    return true;
}
#endif

int confine_process(int link, int64_t bytes)
{
    reset_signals();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
    if (!close_files(link) || !limit_memory(bytes) || !set_limit(RLIMIT_CORE, 0) ||
        !set_limit(RLIMIT_FSIZE, 0))
        return -1;
    filter_calls();
    return LINK;
}
