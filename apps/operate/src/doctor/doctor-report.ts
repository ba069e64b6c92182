import type { Finding } from "./doctor-finding.ts";

const marks = { passed: "✓", warning: "!", failed: "✗" } as const;
const NAME_WIDTH = 18;

/** Formats the findings as text: one line per finding, a fix below each problem, and totals at the end. */
export function formatReport(findings: readonly Finding[]): string {
  const width = Math.max(NAME_WIDTH, ...findings.map(({ name }) => name.length));
  const indent = " ".repeat(width + 5);
  const lines = findings.flatMap(({ name, state, text, fix }) => {
    const [first, ...rest] = text.split("\n");
    return [
      `  ${marks[state]} ${name.padEnd(width)} ${first}`,
      ...rest.map((line) => `${indent}${line}`),
      ...(fix === null ? [] : [`${indent}Fix: ${fix}`]),
    ];
  });
  return `${[...lines, "", `  ${formatCount(findings)}`].join("\n")}\n`;
}

/** Returns the findings as JSON data. */
export function reportAsData(findings: readonly Finding[]): unknown {
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  return {
    ok: count("failed") === 0,
    passed: count("passed"),
    warnings: count("warning"),
    failed: count("failed"),
    checks: findings,
  };
}

function formatCount(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
  const warnings = count("warning");
  return [
    ...(count("failed") > 0 ? [`${count("failed")} failed`] : []),
    ...(warnings > 0 ? [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`] : []),
    `${count("passed")} passed`,
  ].join(" · ");
}
