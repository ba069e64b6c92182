import type { TaskList } from "graphile-worker";
import type { JobContext } from "./job-context.ts";
import { QueueRunner } from "./queue-runner.ts";
import { crontab, tasks } from "./tasks.ts";

interface JobRunnerOptions {
  /** Connection string of the database owner, which owns the queue. */
  readonly connectionString: string;
  readonly context: JobContext;
}

/** Maximum number of concurrent jobs in this process. */
export const JOBS_AT_ONCE = 3;
// One of these connections listens for notifications.
const POOL_SIZE = 4;
const LOOK_EVERY_MS = 5_000;

/** Runs the platform's background jobs. */
export class JobRunner extends QueueRunner {
  constructor({ connectionString, context }: JobRunnerOptions) {
    super({
      connectionString,
      name: "background jobs",
      tasks: listTasks(context),
      crontab,
      slots: JOBS_AT_ONCE,
      lookEveryMs: LOOK_EVERY_MS,
      poolSize: POOL_SIZE,
      logger: context.logger,
    });
  }
}

function listTasks(context: JobContext): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      (payload: unknown, queue: Parameters<typeof task>[2]) => task(context, payload, queue),
    ]),
  );
}
