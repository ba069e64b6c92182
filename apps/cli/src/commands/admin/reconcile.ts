import type { Operations } from "@tollgate/sdk/platform/operations.generated.ts";
import { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import { CliError } from "../../cli-error.ts";
import { defineCommand } from "../../command.ts";
import type { CommandContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { formatTime } from "../../format-values.ts";
import { printable } from "../../output/printable.ts";
import { currentToken } from "../../settings/current-token.ts";

const PATIENCE_MS = 75_000;

/** `tollgate admin reconcile`: verifies the ledger. */
export const reconcile = defineCommand({
  examples: ["tollgate admin reconcile", "tollgate admin reconcile --last", "tollgate admin reconcile --jq .ok"],
  flags: { last: { type: "boolean", description: "Show the last results instead of running the checks" } },
  fields: ["ok", "checks", "ranAt", "finishedAt"],
  operations: ["createReconciliation", "getReconciliation"],
  exitCodes: { 1: "A ledger check failed", 7: "The checks are still running, or no worker is running" },
  async run(context, { last }) {
    const { output } = context;
    const report = await context.waiting("verifying the ledger…", last ? readLast(context) : verifyLedger(context));
    if (report === null) {
      throw new CliError(
        EXIT.temporary,
        "STILL_RUNNING",
        "The ledger checks are still running.",
        "Check that a worker is running, then run tollgate admin reconcile --last.",
      );
    }
    output.record(report, ({ green, red, dim }) =>
      output.isTerminal
        ? [
            ...report.checks.flatMap(({ ok, title, count, examples }) => [
              `${ok ? green("✓") : red("✗")} ${printable(title)}${ok ? "" : red(`  ${count}`)}\n`,
              ...examples.map((example) => `    ${printable(example)}\n`),
            ]),
            dim(`\n${formatTime(report.finishedAt)}\n`),
          ].join("")
        : report.checks.map(({ id, ok, count }) => `${id}\t${ok ? "ok" : "failed"}\t${count}\n`).join(""),
    );
    return report.ok ? EXIT.ok : EXIT.failure;
  },
});

type Report = Operations["getReconciliation"]["answer"];

function readLast({ platform }: CommandContext): Promise<Report> {
  return platform.call("getReconciliation");
}

/**
 * Starts the ledger checks with a longer timeout because a worker reads the whole ledger. Returns null if the checks
 * are still running.
 */
async function verifyLedger(context: CommandContext): Promise<Report | null> {
  const { timeoutMs = 0, ...options } = context.sendOptions;
  const patient = new PlatformClient({
    platformUrl: context.url,
    token: () => currentToken(context),
    ...options,
    timeoutMs: Math.max(timeoutMs, PATIENCE_MS),
  });
  const { status, data } = await patient.raw("createReconciliation");
  return status === 202 ? null : data;
}
