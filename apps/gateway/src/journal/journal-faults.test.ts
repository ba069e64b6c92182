import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { testCall, testFacts, testId } from "@tollgate/journal/records.fixture.ts";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { needs, needsRoot } from "@tollgate/testkit/needs.ts";
import { describe, expect, onTestFinished, vi } from "vitest";
import { closedIds, journaled, readJournal, test } from "./journal.fixture.ts";

/** Ten thousand records need 157 syncs or more. Each of them takes long if other processes write to the disk. */
const SLOW_DISK_MS = 150_000;
const program = join(import.meta.dirname, "journal-load.fixture.ts");
const needsStrace = needs("strace", spawnSync("strace", ["-V"]).status === 0);
const needsLoopDevices = needs("root and loop devices", !needsRoot.skip && existsSync("/dev/loop-control"));

interface Load {
  readonly directory: string;
  readonly output?: string;
  readonly outstanding: number;
  readonly count?: number;
  readonly segmentBytes?: number;
  readonly prefix?: readonly string[];
}

/**
 * Starts a process that writes to the journal, optionally under a command such as a tracer. The process logs to a file,
 * so that it never waits for the test.
 */
function startLoad({ directory, prefix = [], ...options }: Load) {
  const {
    output = join(directory, "said"),
    outstanding,
    count = Number.POSITIVE_INFINITY,
    segmentBytes = 256 * 1_024,
  } = options;
  const numbers = [outstanding, count, segmentBytes].map(String);
  const [command = "", ...args] = [...prefix, process.execPath, program, directory, ...numbers];
  const descriptor = openSync(output, "w");
  const child = spawn(command, args, { stdio: ["ignore", descriptor, "inherit"] });
  closeSync(descriptor);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const said = (word: string): string[] =>
    readFileSync(output, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split(" "))
      .flatMap(([first, value = ""]) => (first === word ? [value] : []));
  return { child, said, hasClosed: once(child, "close") };
}

describe("killed process", () => {
  test.for([1, 2, 3, 4, 5])("loses no acknowledged record (round %i)", async (round, { directory }) => {
    const load = startLoad({ directory, outstanding: 64 });
    await vi.waitUntil(() => load.said("ack").length > round * 2_000, SLOW_DISK_MS);
    load.child.kill("SIGKILL");
    await load.hasClosed;
    const onDisk = await closedIds(directory);
    expect(load.said("ack").filter((id) => !onDisk.has(id))).toEqual([]);
    expect((await readJournal(directory)).damage.filter(({ isTail }) => !isTail)).toEqual([]);
  });
});

describe("power loss", () => {
  const small = 256 * 1_024;
  const large = 8 * 1_024 * 1_024;

  // With small segments, the crash happens while files are renamed and truncated. With large segments, it happens while
  // groups are synced.
  test.for([small, large])(
    "loses no acknowledged record, with segments of %i bytes",
    needsLoopDevices,
    async (segmentBytes, { directory, mount }) => {
      // Unsynced data is only in the memory of the mounted file system, so a copy of the device doesn't contain it.
      const device = join(directory, "device");
      const copy = join(directory, "copy");
      execFileSync("truncate", ["-s", "64M", device]);
      execFileSync("mkfs.ext4", ["-q", "-F", device]);
      const journal = join(mount(device, "mounted", ["-o", "loop"]), "journal");
      mkdirSync(journal);
      const load = startLoad({ directory: journal, output: join(directory, "said"), outstanding: 32, segmentBytes });
      await vi.waitUntil(() => load.said("ack").length > 5_000, SLOW_DISK_MS);
      load.child.kill("SIGSTOP");
      const acknowledged = load.said("ack");
      copyFileSync(device, copy);
      load.child.kill("SIGKILL");
      await load.hasClosed;

      const survived = await closedIds(join(mount(copy, "survived", ["-o", "loop"]), "journal"));
      expect(acknowledged.filter((id) => !survived.has(id))).toEqual([]);
    },
  );
});

describe("full disk", () => {
  test(
    "stops admission but not the writing of closing records, and admission resumes within a second of freeing space",
    needsRoot,
    async ({ mount, journals }) => {
      const disk = mount("tmpfs", "disk", ["-t", "tmpfs", "-o", "size=2m"]);
      const journal = await journals.open({ directory: disk });
      expect(journal.canAdmit).toBe(true);

      // The journal prepares these files in the background. The emergency file keeps space for closing records.
      const sizeOf = (name: string) => statSync(join(disk, name), { throwIfNoEntry: false })?.size ?? 0;
      await vi.waitUntil(
        () => sizeOf("next.reserve") === 256 * 1_024 && sizeOf("emergency.reserve") === 128 * 1_024,
        SLOW_DISK_MS,
      );
      const filler = join(disk, "filler");
      fillDisk(filler);
      let closed = 0;
      const closeOne = () => journaled((waiter) => journal.appendClose(testCall(closed++), testFacts(), waiter));
      // Once the journal writes to the prepared segment, it detects that there is no space for another one. Records that
      // were written meanwhile would use up the space for those below.
      while (sizeOf("next.reserve") > 0) await closeOne();
      await vi.waitUntil(() => !journal.canAdmit, SLOW_DISK_MS);
      expect(journals.states).toEqual(["full"]);
      for (let index = 0; index < 1_000; index += 1) await closeOne();
      expect(journal.canAdmit).toBe(false);

      await rm(filler);
      const awakeTime = watchAwakeTime();
      const freedAtMs = performance.now();
      await vi.waitUntil(() => journal.canAdmit, { timeout: SLOW_DISK_MS, interval: 10 });
      expect(awakeTime(freedAtMs, performance.now())).toBeLessThan(1_000);
      expect(journals.states).toEqual(["full", "ok"]);
      await closeOne();
      const onDisk = await closedIds(disk);
      expect(Array.from({ length: closed }, (_, index) => testId(index)).filter((id) => !onDisk.has(id))).toEqual([]);
    },
  );

  test(
    "does not prevent the journal from opening, and calls are admitted once there is space",
    needsRoot,
    async ({ mount, journals }) => {
      const disk = mount("tmpfs", "disk", ["-t", "tmpfs", "-o", "size=2m"]);
      const filler = join(disk, "filler");
      fillDisk(filler);
      const journal = await journals.open({ directory: disk });
      expect(journal.canAdmit).toBe(false);
      await rm(filler);
      await vi.waitUntil(() => journal.canAdmit, SLOW_DISK_MS);
      await journaled((waiter) => journal.appendClose(testCall(1), testFacts(), waiter));
    },
  );
});

describe("failed sync", () => {
  const inject = (when: string) => [
    "strace",
    "-f",
    "-o",
    "/dev/null",
    "-e",
    "trace=fdatasync",
    "-e",
    `inject=fdatasync:error=EIO:when=${when}`,
  ];

  test(
    "is reported and loses no record if it happens once, because the group goes to the next file",
    needsStrace,
    async ({ directory }) => {
      // The journal's thread performs most of the syncs. Syncs of files being prepared run in the thread pool.
      const load = startLoad({ directory, outstanding: 4, count: 300, prefix: inject("40") });
      await load.hasClosed;
      expect(load.said("state")).toEqual(["failed"]);
      expect(load.said("fail")).toEqual([]);
      expect(load.said("ack").length).toBe(300);
      const onDisk = await closedIds(directory);
      expect(load.said("ack").filter((id) => !onDisk.has(id))).toEqual([]);
      expect(readdirSync(directory).filter((name) => name.endsWith(".seg")).length).toBe(2);
    },
  );

  test("of every file is reported to every waiting call", needsStrace, async ({ directory }) => {
    const load = startLoad({ directory, outstanding: 4, count: 300, prefix: inject("40+") });
    await load.hasClosed;
    expect(load.said("state")).toEqual(["failed"]);
    expect(load.said("fail").length).toBeGreaterThan(0);
    expect(load.said("ack").length + load.said("fail").length).toBe(300);
    const onDisk = await closedIds(directory);
    expect(load.said("ack").filter((id) => !onDisk.has(id))).toEqual([]);
  });
});

function fillDisk(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4_096), { flag: "a" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
