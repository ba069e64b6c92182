import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

const SDK = dirname(import.meta.dirname);
const SDK_URL = pathToFileURL(SDK).href;

/** Returns the first stack line in the user's own code, outside this package, other packages, and Node. */
export function findOwnFrame(stack: string): string | undefined {
  return stack
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line.startsWith("at ") && !isForeign(line));
}

function isForeign(line: string): boolean {
  return (
    line.includes("node:") ||
    line.includes("/node_modules/") ||
    line.includes("<anonymous>") ||
    line.includes(`${SDK}/`) ||
    line.includes(`${SDK_URL}/`)
  );
}
