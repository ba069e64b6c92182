import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const repository = join(import.meta.dirname, "..");

/** Creates a checkout with the real scripts and runtime and a program that only prints a word. */
async function createCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-checkout-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of ["bin", "scripts", "tools", "apps/server/src"]) {
    await mkdir(join(folder, name), { recursive: true });
  }
  for (const name of ["bin/tollgate", "scripts/toolchain.sh"])
    await copyFile(join(repository, name), join(folder, name));
  await symlink(join(repository, "tools/node"), join(folder, "tools/node"));
  await writeFile(join(folder, "apps/server/src/main.ts"), 'console.log("ran");');
  return folder;
}

test("a command that is started during the setup waits for it", async () => {
  const folder = await createCheckout();
  const lock = join(folder, "tools/setup.lock");
  const setup = spawn("flock", [lock, "sh", "-c", "echo locked; read line"]);
  await once(setup.stdout, "data");

  const command = spawn(join(folder, "bin/tollgate"), { stdio: ["ignore", "pipe", "pipe"] });
  const output = text(command.stdout);
  const [message] = (await once(command.stderr, "data")) as [Buffer];
  expect(message.toString()).toBe("tollgate: waiting for scripts/setup to finish\n");
  setup.stdin.end("\n");
  expect(await output).toBe("ran\n");
});

test("a command does not wait after the setup has ended", async () => {
  const folder = await createCheckout();
  await writeFile(join(folder, "tools/setup.lock"), "");
  const command = spawn(join(folder, "bin/tollgate"), { stdio: ["ignore", "pipe", "pipe"] });
  expect(await Promise.all([text(command.stdout), text(command.stderr)])).toEqual(["ran\n", ""]);
});
