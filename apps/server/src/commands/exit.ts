/** Exit codes of the command, the same for every subcommand. */
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

/** What a command talks through, so that tests can listen. */
export interface Io {
  readonly stdin?: NodeJS.ReadableStream;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Says what went wrong in the one form all commands use. */
export function reportFailure(io: Io, message: string, code: number): number {
  io.stderr.write(`✗ ${message}\n`);
  return code;
}
