import type { Io } from "@tollgate/runtime/exit.ts";
import { apps } from "@tollgate/server/operate-apps.ts";
import type { OperatorCommand } from "./operator-io.ts";

/** Runs a command in this process with `--json`. Returns its exit code, its messages, and its parsed output. */
export async function runCommand(
  command: OperatorCommand,
  args: readonly string[],
  { env, cwd }: Pick<Io, "env" | "cwd">,
) {
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
  const code = await command([...args, "--json"], { stdout, stderr, env, cwd, apps });
  return { code, reported, out: printed === "" ? null : JSON.parse(printed) };
}
