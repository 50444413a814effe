"""The wall clock of other processes, set by the writing of a file: a few lines of C that they load before anything."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static long long *shift;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void load(void) {
    int file = open(getenv("SOAK_CLOCK"), O_RDONLY);
    real = dlsym(RTLD_NEXT, "clock_gettime");
    shift = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
}
int clock_gettime(clockid_t clock, struct timespec *at) {
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int done = real(clock, at);
    if (shift && clock == CLOCK_REALTIME) at->tv_sec += *shift;
    return done;
}
int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
"""


class Clock:
    """`environ` is for the processes whose wall clock `jump` moves; their steady clock goes on as it was."""

    def __init__(self, folder: Path) -> None:
        source, library = folder / "clock.c", folder / "clock.so"
        source.write_text(SOURCE, encoding="ascii")
        compiler = ["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(source), "-ldl"]
        subprocess.run(compiler, check=True, capture_output=True)
        self._file = folder / "clock.shift"
        self._shift = 0
        self.jump(0)
        self.environ = {"LD_PRELOAD": str(library), "SOAK_CLOCK": str(self._file)}

    @staticmethod
    def available() -> bool:
        return shutil.which("cc") is not None

    def jump(self, seconds: int) -> None:
        """Set the clock ahead, or back, by so many seconds more."""
        self._shift += seconds
        # In place: the file is mapped.
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(self._shift.to_bytes(8, "little", signed=True))
