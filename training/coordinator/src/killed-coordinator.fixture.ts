import { existsSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { Coordinator } from "./coordinator.ts";
import { JOURNAL_FILE } from "./journal/journal.ts";
import type { Plan } from "./plan/plan.ts";

/**
 * A coordinator that kills itself, as in a power failure, before or after a journal step: `node
 * killed-coordinator.fixture.ts <plan.json> <folder> <before|after> <step of this process>`. Starts once it receives
 * input on stdin.
 */
const [planFile, dir, fatalMoment, fatalStep] = process.argv.slice(2) as [string, string, string, string];
const plan = JSON.parse(readFileSync(planFile, "utf8")) as Plan;
let steps = 0;
if (readSync(0, Buffer.alloc(1)) === 0) process.exit(1);
const coordinator = new Coordinator(plan, {
  dir,
  watchJournal(moment) {
    if (moment !== fatalMoment) return;
    steps += 1;
    if (steps === Number(fatalStep)) process.kill(process.pid, "SIGKILL");
  },
});
const { signal } = new AbortController();
const journal = join(dir, JOURNAL_FILE);
const hasRun = existsSync(journal) && readFileSync(journal).length > 0;
const { outcome } = hasRun ? await coordinator.resume(signal) : await coordinator.run(signal);
process.exitCode = outcome === "finished" ? 0 : 1;
