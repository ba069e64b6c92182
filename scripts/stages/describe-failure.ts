import { stripVTControlCharacters } from "node:util";

const LAST_LINES = 30;
const FAILURE_LINES = 60;
/** Maximum number of lines of one failure's reason. */
const REASON_LINES = 12;
const MAX_LINE = 300;

/** Returns failed lines with their reasons and the last lines of the output, each truncated. */
export function describeFailure(tail: string): string {
  // Colors would hide the word "Error:", which they divide.
  const lines = stripVTControlCharacters(tail).trimEnd().split("\n");
  const earlier = lines.slice(0, -LAST_LINES);
  // A failed check is followed by its reason, which is indented further.
  const isReason = (line: string, index: number) => /^ {6}/.test(line) && isFailure(earlier, index);
  const failures = earlier.filter((line, index) => /✗|FAIL|Error:/.test(line) || isReason(line, index));
  const shown = [...failures.slice(-FAILURE_LINES), ...lines.slice(-LAST_LINES)];
  return shown.map((line) => line.slice(0, MAX_LINE)).join("\n");
}

/** Reports whether the line belongs to a failed check: whether the last line above it with less indentation failed. */
function isFailure(lines: readonly string[], index: number): boolean {
  return (
    lines
      .slice(Math.max(0, index - REASON_LINES), index)
      .findLast((line) => !/^ {6}/.test(line))
      ?.includes("✗") ?? false
  );
}
