// Parsers for the files of Linux's /proc. A file of a thread or process that has ended is empty and counts as zero.

/** Returns the CPU time in milliseconds from a `schedstat` file. */
export function parseCpuMs(schedstat: string): number {
  return Number(schedstat.split(" ", 1)[0]) / 1e6;
}

/**
 * Returns how often a thread went to sleep, from its `status` file. A thread that goes to sleep is woken once, so this
 * is also the number of its wake-ups. A thread that loses its core to another one is not counted.
 */
export function parseWakeUps(status: string): number {
  return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
}

export interface ProcessMemory {
  /** Resident memory. Pages that several processes share count in full for each of them. */
  readonly residentBytes: number;
  /** Resident memory in which a page that several processes share is divided among them. */
  readonly proportionalBytes: number;
}

/** Returns the memory of a process from its `smaps_rollup` file. */
export function parseMemory(smapsRollup: string): ProcessMemory {
  const bytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(smapsRollup)?.[1] ?? 0) * 1024;
  return { residentBytes: bytes("Rss"), proportionalBytes: bytes("Pss") };
}

/** Returns the command line from a `cmdline` file, whose arguments end with a null character. */
export function parseCommandLine(cmdline: string): string[] {
  return cmdline.split("\0").slice(0, -1);
}
