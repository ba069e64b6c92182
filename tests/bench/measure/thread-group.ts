/** The programs of `tollgate serve`, by the name of their file. */
const processNames: Readonly<Record<string, string>> = {
  "serve-child": "gateway",
  "worker-child": "worker",
  "platform-child": "platform",
};

/** Threads that Node names itself. The kernel truncates names to 15 characters. */
const runtimeThreads: Readonly<Record<string, string>> = {
  MainThread: "main",
  V8Worker: "v8Workers",
  "libuv-worker": "libuvPool",
  DelayedTaskSche: "other",
  SignalInspector: "other",
};

/** Processes whose threads are added up. Calls don't run in them, so their parts are of no interest. */
const wholeProcesses: Readonly<Record<string, string>> = {
  supervisor: "supervisor",
  worker: "workerProcess",
  platform: "platformProcess",
};

/**
 * Returns the name of a process in the results. The first process of a contestant with several processes only starts
 * the others.
 */
export function processName(commandLine: readonly string[], isFirstOfSeveral: boolean): string {
  if (isFirstOfSeveral) return "supervisor";
  const program = commandLine.find((argument) => /\.[cm]?[jt]s$/.test(argument)) ?? commandLine[0] ?? "unknown";
  const file = program.slice(program.lastIndexOf("/") + 1).replace(/\.[cm]?[jt]s$/, "");
  return processNames[file] ?? file;
}

/** Returns the group to which a thread's CPU time counts. Threads that a program has named are groups of their own. */
export function threadGroup(process: string, threadName: string): string {
  return wholeProcesses[process] ?? threadRole(threadName);
}

/** Returns the role of a thread in its process. */
export function threadRole(threadName: string): string {
  return runtimeThreads[threadName] ?? threadName;
}
