// Parsers for the files of Linux's /proc. A file of a thread or process that has ended is empty and counts as zero.

/** Returns the CPU time in milliseconds from a `schedstat` file. */
export function parseCpuMs(schedstat: string): number {
  return Number(schedstat.split(" ", 1)[0]) / 1e6;
}

/** Returns the command line from a `cmdline` file, whose arguments end with a null character. */
export function parseCommandLine(cmdline: string): string[] {
  return cmdline.split("\0").slice(0, -1);
}
