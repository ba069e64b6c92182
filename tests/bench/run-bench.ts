import { undoEverything } from "./processes/clean-up.ts";

interface Bench<Options> {
  readonly usage: string;
  /** Throws a sentence for the user when the command line makes no sense. */
  readonly readOptions: (args: string[]) => Options;
  /** Whether what is required was reached. */
  readonly bench: (options: Options) => Promise<boolean>;
}

/** Runs a bench as a program and gives its exit code: 0 good, 1 not, 2 not understood. However it ends, nothing is left behind. */
export async function runBench<Options>({ usage, readOptions, bench }: Bench<Options>): Promise<number> {
  let options: Options;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`bench: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void undoEverything().finally(() => process.exit(130)));
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
