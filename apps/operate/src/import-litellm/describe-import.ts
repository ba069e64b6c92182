import type { ImportLine } from "./run-plan.ts";

export interface ImportReport {
  readonly isDry: boolean;
  readonly lines: readonly ImportLine[];
  /** Names of imported organizations with a zero balance. */
  readonly withoutCredit: readonly string[];
}

const kinds = ["settings", "model", "organization", "team", "user", "key"] as const;
const words = {
  created: ["created", "to create"],
  changed: ["updated", "to update"],
  unchanged: ["unchanged", "unchanged"],
  skipped: ["skipped", "skipped"],
  failed: ["failed", "would fail"],
} as const;
const SHOWN_NAMES = 3;

/** Formats the report as text: one line per record, totals, and next steps. */
export function describeImport({ isDry, lines, withoutCredit }: ImportReport): string {
  const kindWidth = Math.max(0, ...lines.map(({ kind }) => kind.length));
  const nameWidth = Math.min(40, Math.max(0, ...lines.map(({ name }) => name.length)));
  const records = lines.map((line) => {
    const said = [line.detail, ...line.warnings, ...line.notes].filter((text) => text !== null).join("; ");
    const outcome = words[line.outcome][isDry ? 1 : 0];
    return `  ${markOf(line).padEnd(4)}  ${line.kind.padEnd(kindWidth)}  ${line.name.padEnd(nameWidth)}  ${outcome}${said === "" ? "" : `: ${said}`}\n`;
  });
  return [...records, "\n", ...sums(lines, isDry), "\n", ...advice(lines, isDry, withoutCredit)].join("");
}

export const countOutcomes = (lines: readonly ImportLine[]): Readonly<Record<ImportLine["outcome"], number>> => ({
  created: 0,
  changed: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  ...Object.fromEntries(
    Object.entries(Object.groupBy(lines, ({ outcome }) => outcome)).map(([outcome, of]) => [outcome, of.length]),
  ),
});

function markOf({ outcome, warnings }: ImportLine): string {
  if (outcome === "failed") return "FAIL";
  if (outcome === "skipped") return "SKIP";
  return warnings.length > 0 ? "WARN" : "OK";
}

function sums(lines: readonly ImportLine[], isDry: boolean): readonly string[] {
  return kinds.flatMap((kind) => {
    const own = lines.filter((line) => line.kind === kind);
    if (own.length === 0) return [];
    const parts = Object.entries(countOutcomes(own)).filter(([, count]) => count > 0);
    const text = parts.map(([outcome, count]) => `${count} ${words[outcome as ImportLine["outcome"]][isDry ? 1 : 0]}`);
    return [`  ${`${kind}${kind === "settings" ? "" : "s"}`.padEnd(13)}  ${text.join(", ")}\n`];
  });
}

function advice(lines: readonly ImportLine[], isDry: boolean, withoutCredit: readonly string[]): readonly string[] {
  const people = lines.some(({ kind, outcome }) => kind === "user" && outcome === "created");
  const more = withoutCredit.length > SHOWN_NAMES ? ` and ${withoutCredit.length - SHOWN_NAMES} more` : "";
  const names = withoutCredit.slice(0, SHOWN_NAMES).join(", ") + more;
  return [
    withoutCredit.length === 0
      ? ""
      : `  Credit     Not imported, because LiteLLM has no balances and budgets are only limits. If billing is enabled,\n             these organizations need credit: ${names}\n`,
    people ? '  Passwords  Not imported. Users set one with "Forgot password".\n' : "",
    isDry ? "  No changes were made. To import, add --apply\n" : "",
  ];
}
