import { existsSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { RunOutcome } from "@tollgate/coordinator/conduct-run.ts";
import { createPaint, type Paint } from "@tollgate/coordinator/progress/paint.ts";
import { runEnding } from "@tollgate/coordinator/progress/run-lines.ts";
import { type Progress, showProgress } from "@tollgate/coordinator/progress/show-progress.ts";
import type { Project } from "@tollgate/coordinator/project/read-project.ts";
import { readRun } from "@tollgate/coordinator/project/read-run.ts";
import { runProject } from "@tollgate/coordinator/project/run-project.ts";
import { type LiveServer, startLiveServer } from "@tollgate/coordinator/report/live-server.ts";
import { writeReport } from "@tollgate/coordinator/report/write-report.ts";
import type { RunEvent, RunFinished } from "@tollgate/coordinator/run-events.ts";
import { describeSystemError } from "@tollgate/runtime/describe-system-error.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { runName } from "./run-name.ts";

interface TerminalRunOptions {
  readonly dir: string;
  readonly runId: string;
  readonly isResumed: boolean;
  readonly isJson: boolean;
  readonly hasPage: boolean;
}

/**
 * Runs a project until it ends, shows progress, and writes the report and charts. The exit code reflects the outcome.
 */
export async function runInTerminal(project: Project, options: TerminalRunOptions, io: Io): Promise<number> {
  const paint = createPaint(isTerminal(io.stdout), io.env);
  const shown = options.isJson ? null : showProgress(screenOf(io), paint, { isLocal: project.local !== null });
  const interruption = listenForInterruption();
  const page = options.hasPage ? await startLiveServer({ runs: () => [options.dir] }) : null;
  if (page !== null) io.stderr.write(`  live page  ${page.url}runs/${basename(options.dir)}\n`);
  let finished: RunFinished | null = null;
  try {
    const outcome = await runProject(project, {
      dir: options.dir,
      runId: options.runId,
      env: io.env,
      isResumed: options.isResumed,
      signal: interruption.signal,
      onEvent: (event) => {
        if (event.type === "run.finished") finished = event;
        tell(event, shown, io);
      },
      onStarted: ({ id, url, pid }) => {
        if (options.isJson) io.stdout.write(`${json({ type: "participant.started", id, url, pid })}\n`);
      },
    });
    shown?.close();
    const { report } = writeReport(options.dir, await readRun(options.dir));
    if (options.isJson) io.stdout.write(`${json({ type: "report.written", path: report })}\n`);
    return conclude({ outcome, finished, ...options }, paint, io);
  } catch (error) {
    shown?.close();
    if (interruption.signal.aborted) return sayInterrupted(options, io);
    const refused = describeSystemError(error);
    if (refused === null || !hasBegun(options)) throw error;
    const next = `${refused.fix}, then run  tollgate train resume ${runName(io.cwd, options.dir)}`;
    return reportFailure(io, `${refused.message}\n  Fix:  ${next}`, EXIT.failure);
  } finally {
    interruption.stop();
    await closePage(page);
  }
}

interface Conclusion extends TerminalRunOptions {
  readonly outcome: RunOutcome;
  readonly finished: RunFinished | null;
}

function conclude({ outcome, finished, ...options }: Conclusion, paint: Paint, io: Io): number {
  const dir = relative(io.cwd, options.dir) || ".";
  const next = `\n  Fix:  Resolve the cause, then run  tollgate train resume ${runName(io.cwd, options.dir)}`;
  switch (outcome.outcome) {
    case "finished":
      if (finished !== null && !options.isJson) {
        const hasAccuracy = finished.lastAccuracy !== null;
        const files = {
          dir,
          run: runName(io.cwd, options.dir),
          finalFile: relative(options.dir, finished.finalFile),
          hasAccuracy,
          width: screenOf(io).size?.().width ?? 80,
        };
        io.stdout.write(`${runEnding(finished, files, paint)}\n`);
      }
      return EXIT.ok;
    case "paused":
      return reportFailure(io, `Paused in round ${outcome.round}: ${outcome.reason}${next}`, EXIT.temporary);
    case "failed":
      return reportFailure(io, `Failed in round ${outcome.round}: ${outcome.reason}${next}`, EXIT.failure);
    case "interrupted":
      return sayInterrupted(options, io);
  }
}

function sayInterrupted(options: TerminalRunOptions, io: Io): number {
  const next = hasBegun(options)
    ? `To resume, run  tollgate train resume ${runName(io.cwd, options.dir)}`
    : "The run had not started.";
  return reportFailure(io, `Interrupted. ${next}`, EXIT.interrupted);
}

const hasBegun = ({ dir }: TerminalRunOptions) => existsSync(join(dir, "journal.jsonl"));

function tell(event: RunEvent, shown: Progress | null, io: Io): void {
  if (shown === null) io.stdout.write(`${JSON.stringify(event)}\n`);
  else shown.onEvent(event);
}

const json = (event: Record<string, unknown>) => JSON.stringify({ at: new Date().toISOString(), ...event });

/**
 * Listens for signals. The first signal stops the run at a point where it can be resumed, and the second signal ends
 * the process immediately.
 */
function listenForInterruption(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    stop() {
      process.removeListener("SIGINT", onSignal);
      process.removeListener("SIGTERM", onSignal);
    },
  };
}

async function closePage(page: LiveServer | null): Promise<void> {
  await page?.close();
}

type Stream = Io["stdout"] & { isTTY?: boolean; columns?: number; rows?: number };

const isTerminal = (stream: Stream) => stream.isTTY === true;

function screenOf({ stdout, env }: Io) {
  const stream: Stream = stdout;
  const canMove = isTerminal(stream) && env.TERM !== "dumb";
  return {
    write: (text: string) => stdout.write(text),
    size: canMove ? () => ({ width: stream.columns ?? 80, height: stream.rows ?? 24 }) : null,
  };
}
