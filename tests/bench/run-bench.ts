import { undoEverything } from "./processes/clean-up.ts";

interface Bench<Options> {
  readonly usage: string;
  /** Throws a user-facing error if the command line is invalid. */
  readonly readOptions: (args: string[]) => Options;
  /** Runs the benchmark. Returns true if it meets its requirements. */
  readonly bench: (options: Options) => Promise<boolean>;
}

/** Runs a benchmark as a program and returns its exit code: 0 passed, 1 failed, 2 invalid usage. Always cleans up. */
export async function runBench<Options>({ usage, readOptions, bench }: Bench<Options>): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  // The test kit raises the signal again after its own cleanup. The second signal must not interrupt this cleanup.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => void undoEverything().finally(() => process.exit(130)));
  }
  try {
    return (await bench(options)) ? 0 : 1;
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    await undoEverything();
  }
}
