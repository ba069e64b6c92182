import type { SettingsProblem } from "./findings.ts";

const INDENT = " ".repeat(17);

/**
 * Formats problems with their location, reason, and check command. Startup, reloads, and `config check` use the same
 * format.
 */
export function formatProblems(problems: readonly SettingsProblem[], checkCommand: string): string {
  const places = problems.map((problem) => `${problem.file}:${problem.line}:${problem.column}`);
  const width = Math.max(...places.map((place) => place.length));
  const paragraphs = problems.map((problem, index) => {
    const first = `  ${(places[index] as string).padEnd(width)}  ${problem.message}`;
    return problem.suggestion === undefined ? first : `${first}\n${INDENT}${problem.suggestion}`;
  });
  return `${[headline(problems), ...paragraphs, `  Check again with:  ${checkCommand}`].join("\n\n")}\n`;
}

function headline(problems: readonly SettingsProblem[]): string {
  const files = [...new Set(problems.map((problem) => problem.file))];
  const owner = files.length === 1 ? `${files[0]} has` : `${files.slice(0, -1).join(", ")} and ${files.at(-1)} have`;
  return `✗ ${owner} ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
}
