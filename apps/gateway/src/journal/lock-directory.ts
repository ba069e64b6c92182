import { stat } from "node:fs/promises";
import { createServer } from "node:net";

/** Thrown if another process is using the journal. */
export class JournalInUse extends Error {
  constructor(directory: string, cause: unknown) {
    super(`The journal in ${directory} is in use by another process.`, { cause });
    this.name = "JournalInUse";
  }
}

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that uses a journal directory, or throws `JournalInUse`. The lock is an abstract
 * socket named after the directory's inode, so it doesn't depend on the path. The kernel releases it when the process
 * dies for any reason. Processes in different network namespaces don't see each other's locks.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const { dev, ino } = await stat(directory);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new JournalInUse(directory, error) : error),
    );
    server.listen(`\0tollgate-journal-${dev}-${ino}`, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}
