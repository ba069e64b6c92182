import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const run = (...args: string[]) => spawnSync(join(root, "bin/tollgate"), args, { cwd: root, encoding: "utf8" });

// One process after the other, each as slow to start as the machine is busy.
test("every command the help names can be run", { timeout: 60_000 }, () => {
  const { stdout } = run("--help");
  const commands = [...stdout.matchAll(/^ {2}tollgate ([a-z]+(?: [a-z-]+)?) {2,}/gm)].map(
    (match) => match[1] as string,
  );
  expect(commands).toEqual(expect.arrayContaining(["config convert", "ledger verify", "ledger re-rate"]));
  for (const command of commands) {
    const { stderr, stdout: shown } = run(...command.split(" "), "--help");
    expect(stderr + shown, command).not.toContain("There is no command");
  }
});
