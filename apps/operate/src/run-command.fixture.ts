import type { Io } from "./exit.ts";

type Command = (args: readonly string[], io: Io) => Promise<number>;

/** Runs a command in this process with `--json`. Returns its exit code, its messages, and its parsed output. */
export async function runCommand(command: Command, args: readonly string[], { env, cwd }: Pick<Io, "env" | "cwd">) {
  let printed = "";
  let reported = "";
  const stdout = {
    write: (text: string) => {
      printed += text;
    },
  };
  const stderr = {
    write: (text: string) => {
      reported += text;
    },
  };
  const code = await command([...args, "--json"], { stdout, stderr, env, cwd });
  return { code, reported, out: printed === "" ? null : JSON.parse(printed) };
}
