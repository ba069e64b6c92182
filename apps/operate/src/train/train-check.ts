import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Finding } from "@tollgate/coordinator/check/check-participant.ts";
import { checkTargets } from "@tollgate/coordinator/check/check-targets.ts";
import { findTargets } from "@tollgate/coordinator/check/find-targets.ts";
import { LocalSetupError } from "@tollgate/coordinator/local/local-setup-error.ts";
import { cleanText } from "@tollgate/coordinator/progress/clean-text.ts";
import { createPaint } from "@tollgate/coordinator/progress/paint.ts";
import { EXIT, type Io, reportFailure } from "@tollgate/runtime/exit.ts";
import { reportTrainFailure } from "./report-train-failure.ts";

const USAGE = `Check a plan's participants, or the participant at a URL. Each operation is called once with sample input.

  tollgate train check
  tollgate train check plan.yaml
  PARTICIPANT_TOKEN=… tollgate train check http://127.0.0.1:5000

  --timeout N   Time limit per operation, in seconds (default: 60)
  --json        Print the findings as JSON

Training starts with initial parameters on the participant's own data. The results are discarded.
Exit codes: 0 passed, 1 a check failed, 2 invalid plan, 3 no plan, 7 no participant responded.
`;

/** `tollgate train check`: tests each participant with sample input and suggests fixes. */
export async function trainCheck(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      timeout: { type: "string", default: "60" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    io.stdout.write(USAGE);
    return EXIT.ok;
  }
  const timeoutSeconds = Number(values.timeout);
  if (!(timeoutSeconds > 0 && timeoutSeconds <= 86_400)) {
    return reportFailure(io, `--timeout must be a number of seconds, not '${values.timeout}'.`, EXIT.usage);
  }
  const folder = mkdtempSync(join(tmpdir(), "tollgate-check-"));
  const stop = new AbortController();
  let hasLogs = false;
  const onInterrupt = () => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    const targets = await findTargets(io.cwd, positionals[0], { env: io.env, dir: folder, signal: stop.signal });
    try {
      const code = tell(
        await checkTargets(targets.list, { folder, timeoutSeconds, signal: stop.signal }),
        values.json,
        io,
      );
      hasLogs = code !== EXIT.ok && existsSync(join(folder, "participants"));
      return code;
    } finally {
      await targets.close();
    }
  } catch (error) {
    if (stop.signal.aborted) return reportFailure(io, "Interrupted.", EXIT.interrupted);
    hasLogs = error instanceof LocalSetupError && existsSync(join(folder, "participants"));
    return reportTrainFailure(io, error);
  } finally {
    process.removeListener("SIGINT", onInterrupt);
    // Keep the temporary folder if the findings refer to log files in it.
    if (!hasLogs) rmSync(folder, { recursive: true, force: true });
  }
}

function tell(findings: readonly Finding[], isJson: boolean, io: Io): number {
  const failed = findings.filter(({ state }) => state === "failed");
  if (isJson) io.stdout.write(`${JSON.stringify({ ok: failed.length === 0, findings })}\n`);
  else {
    const paint = createPaint((io.stdout as { isTTY?: boolean }).isTTY === true, io.env);
    const marks = { ok: paint.good("✓"), failed: paint.bad("✗"), skipped: paint.dim("–") };
    for (const { participant, what, state, text, fix } of findings) {
      io.stdout.write(`  ${marks[state]} ${participant.padEnd(12)} ${what.padEnd(10)} ${cleanText(text)}\n`);
      if (fix !== null) io.stdout.write(`    ${" ".repeat(12)} Fix:  ${fix}\n`);
    }
    io.stdout.write(failed.length === 0 ? "\nAll checks passed.\n" : `\n${failed.length} failed.\n`);
  }
  if (failed.length === 0) return EXIT.ok;
  return failed.every(({ isUnreachable }) => isUnreachable) ? EXIT.temporary : EXIT.failure;
}
