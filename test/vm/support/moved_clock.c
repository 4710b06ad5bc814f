#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Loaded before the C library: the real-time clock is an hour ahead as soon as the file is there
   that MOVED_CLOCK names. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    long result = syscall(SYS_clock_gettime, clock, now);

    if (result == 0 && clock == CLOCK_REALTIME && access(getenv("MOVED_CLOCK"), F_OK) == 0)
        now->tv_sec += 3600;
    return (int)result;
}
