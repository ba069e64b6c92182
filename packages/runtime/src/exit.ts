/** Exit codes, shared by all subcommands. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  notPermitted: 4,
  temporary: 7,
  someFailed: 8,
  interrupted: 130,
} as const;

/** Input and output of a command, injected so that tests can capture the output. */
export interface Io {
  readonly stdin?: NodeJS.ReadableStream;
  /** `isTTY` is true if the output is a terminal. */
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Prints an error in the format that all commands share, and returns the exit code. */
export function reportFailure(io: Io, message: string, code: number): number {
  io.stderr.write(`✗ ${message}\n`);
  return code;
}
