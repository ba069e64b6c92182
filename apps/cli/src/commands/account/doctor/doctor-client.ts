import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { EXIT } from "../../../exit-codes.ts";
import { type ClientFinding, clientChecks } from "./client-checks.ts";

const marks = { passed: "✓", warning: "!", failed: "✗" } as const;

/** `tollgate doctor client`: checks the connection from this computer to a server. */
export const doctorClient = defineCommand({
  examples: ["tollgate doctor client", "tollgate doctor client --only token,key", "tollgate doctor client --json"],
  notes: "tollgate doctor runs these checks if it finds no server settings.",
  flags: {
    only: {
      type: "string",
      multiple: true,
      value: "NAMES",
      description: `Run only these checks: ${Object.keys(clientChecks).join(", ")}`,
    },
  },
  fields: ["ok", "passed", "warnings", "failed", "checks"],
  exitCodes: { 1: "A check failed" },
  async run(context, flags) {
    const chosen = flags.only.flatMap((names) => names.split(",")).map((name) => name.trim());
    const unknown = chosen.find((name) => !(name in clientChecks));
    if (unknown !== undefined)
      throw usageError(`Unknown check '${unknown}'. Checks: ${Object.keys(clientChecks).join(", ")}.`);
    const findings: ClientFinding[] = [];
    for (const [name, check] of Object.entries(clientChecks)) {
      if (chosen.length === 0 || chosen.includes(name)) findings.push({ name, ...(await check(context)) });
    }
    const count = (state: ClientFinding["state"]) => findings.filter((finding) => finding.state === state).length;
    const report = {
      ok: count("failed") === 0,
      passed: count("passed"),
      warnings: count("warning"),
      failed: count("failed"),
      checks: findings,
    };
    context.output.record(report, ({ green, yellow, red }) => {
      const paint = { passed: green, warning: yellow, failed: red };
      const lines = findings.flatMap(({ name, state, text, fix }) => [
        `  ${paint[state](marks[state])} ${name.padEnd(14)} ${text}`,
        ...(fix === null ? [] : [`${" ".repeat(19)}Fix: ${fix}`]),
      ]);
      return `${lines.join("\n")}\n\n  ${report.failed} failed · ${report.warnings} ${report.warnings === 1 ? "warning" : "warnings"} · ${report.passed} passed\n`;
    });
    return report.ok ? EXIT.ok : EXIT.failure;
  },
});
