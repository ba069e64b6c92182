import type { TaskList } from "graphile-worker";
import type { JobContext } from "./job-context.ts";
import { QueueRunner } from "./queue-runner.ts";
import { crontab, tasks } from "./tasks.ts";

export interface JobRunnerOptions {
  /** As the owner of the database, whose the queue is. */
  readonly connectionString: string;
  readonly context: JobContext;
}

/** How many jobs this process does at once. */
export const JOBS_AT_ONCE = 3;
// One of them listens.
const POOL_SIZE = 4;
const LOOK_EVERY_MS = 2_000;

/** Does the background jobs of the management side. */
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
