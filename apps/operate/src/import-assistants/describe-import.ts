import type { Loss } from "./convert-record.ts";
import type { Counted, ImportReport } from "./import-records.ts";

interface ImportContext {
  readonly others: Readonly<Record<string, number>>;
  readonly mapFile: string;
  readonly isDry: boolean;
}

/** Formats the report as text: the imported, dropped, and rejected objects, and next steps. */
export function describeImport(report: ImportReport, { others, mapFile, isDry }: ImportContext): string {
  const counts = (["assistants", "threads", "messages"] as const).map((name) => countLine(name, report[name], isDry));
  const losses = Object.entries(Object.groupBy(report.losses, ({ what }) => what)).map(
    ([what, of = []]) => `  ! ${what}: ${show(of)}\n`,
  );
  const kinds = Object.entries(others).map(([kind, number]) => `  ! ${kind}: ${number} in the file\n`);
  const refusals = report.refusals.map(({ id, status, message }) => `  ✗ ${id}: ${status} ${message}\n`);
  const models = report.unknownModels.map(
    (model) => `  ! ${model}: add it to the gateway, or import with --model ${model}=…\n`,
  );
  return [
    counts.join(""),
    section("Not imported", [...losses, ...kinds]),
    section("Models that this key cannot use", models),
    section("Rejected by the gateway", refusals),
    isDry ? "\nNo objects were created.\n" : `\nID map: ${mapFile}\n`,
  ].join("");
}

function countLine(name: string, { created, present, refused }: Counted, isDry: boolean): string {
  const parts = [`${created} ${isDry ? "to create" : "created"}`];
  if (present > 0) parts.push(`${present} already present`);
  if (refused > 0) parts.push(`${refused} rejected`);
  return `  ${refused === 0 ? "✓" : "✗"} ${name.padEnd(11)} ${parts.join(", ")}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n${title}\n${lines.join("")}`;
}

const show = (losses: readonly Loss[]) =>
  losses
    .slice(0, 3)
    .map(({ id }) => id)
    .join(", ") + (losses.length > 3 ? ` and ${losses.length - 3} more` : "");
