import { threadGroup } from "../measure/thread-group.ts";
import type { CpuProfile } from "./summarize-profile.ts";

/** Files in which threads begin, such as `journal-thread.ts` and `run-delivery-thread.ts`. */
const threadFile = /\/(?:run-)?([a-z]+)-thread\.[cm]?[jt]s$/;
/** Name that Node gives to a profile: date, time, process, thread, and a number. */
const profileName = /^CPU\.\d+\.\d+\.(\d+)\.(\d+)\.\d+\.cpuprofile$/;

export interface ProfileFile {
  readonly pid: number;
  /** Number of the thread in its process. The main thread has the number 0. */
  readonly threadId: number;
}

/** Returns the process and the thread of a profile by its file name. */
export function parseProfileName(name: string): ProfileFile {
  const [, pid, threadId] = profileName.exec(name) ?? [];
  if (pid === undefined || threadId === undefined) throw new Error(`unexpected name of a profile: ${name}`);
  return { pid: Number(pid), threadId: Number(threadId) };
}

/**
 * Returns the group to which a profiled thread belongs. A profile has no thread names, but the files that ran in a
 * worker thread include the one in which it began.
 */
export function groupOfProfile(process: string, threadId: number, profile: CpuProfile): string {
  if (threadId === 0) return threadGroup(process, "MainThread");
  const files = profile.nodes.flatMap(({ callFrame }) => threadFile.exec(callFrame.url)?.[1] ?? []);
  return threadGroup(process, files[0] ?? `thread${threadId}`);
}
