import { parseArgs } from "node:util";
import { SDKS } from "../conformance/play/subject.ts";
import { type MemoryFigure, measureEcho } from "./memory/measure-echo.ts";
import { measureFlood } from "./memory/measure-flood.ts";

const USAGE = `Measure how much memory a participant uses for parameters, beyond its idle memory.

  node training/tests/memory.ts
  node training/tests/memory.ts --json

  --json    print the result as one JSON object on the last line
`;

/** Maximum growth from idle to peak memory, as a multiple of the size of the raw parameters. */
const MAX_TIMES_RAW = 1.5;
/** Maximum growth above idle memory, as a multiple of the largest allowed body. */
const MAX_TIMES_LIMIT = 2;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  const figures: MemoryFigure[] = [];
  for (const sdk of SDKS) {
    figures.push(await measureEcho(sdk, { form: "frames", rawBytes: 300e6 }, MAX_TIMES_RAW));
    figures.push(await measureEcho(sdk, { form: "json", rawBytes: 200e6 }, MAX_TIMES_RAW));
    for (const form of ["endless", "gigabyte"] as const) figures.push(await measureFlood(sdk, form, MAX_TIMES_LIMIT));
  }
  for (const figure of figures) process.stdout.write(`${describe(figure)}\n`);
  const isGood = figures.every(({ times, most }) => times <= most);
  if (values.json) process.stdout.write(`${JSON.stringify({ isGood, figures })}\n`);
  return isGood ? 0 : 1;
}

function describe({ sdk, what, baseBytes, idleBytes, peakBytes, times, most }: MemoryFigure): string {
  const [base, idle, peak] = [baseBytes, idleBytes, peakBytes].map((bytes) => `${Math.round(bytes / 1e6)} MB`);
  const verdict = times <= most ? "✓" : "✗";
  return `${verdict} ${sdk.padEnd(10)} ${what.padEnd(22)} ${base} · idle ${idle} · peak ${peak} · ${times.toFixed(2)} × (≤ ${most})`;
}
