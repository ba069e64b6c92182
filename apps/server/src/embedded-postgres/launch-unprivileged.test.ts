import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needsRoot } from "@tollgate/testkit/needs.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { chooseUser, launchUnprivileged } from "./launch-unprivileged.ts";

const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "launch-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe("when started as root", needsRoot, () => {
  test("runs as an unprivileged user without capabilities if every parent folder is accessible", () => {
    const status = run("/bin/cat", ["/proc/self/status"], []);
    expect(status).toMatch(/^Uid:\s+65534\s+65534\s+65534/m);
    expect(status).toMatch(/^CapEff:\s+0000000000000000/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1/m);
  });

  test("can read but not write files in a private folder", () => {
    const secret = join(folder, "secret");
    mkdirSync(secret, { mode: 0o700 });
    writeFileSync(join(secret, "note"), "found");
    const script = `cat ${secret}/note && test -r ${secret}/note && ! touch ${secret}/more 2>/dev/null && echo " only to read"`;
    expect(run("/bin/sh", ["-c", script], [join(secret, "note")])).toBe("found only to read\n");
  });

  test("runs a program that only root can execute, such as one installed with a strict umask", () => {
    const program = join(folder, "id");
    copyFileSync("/usr/bin/id", program);
    chmodSync(program, 0o700);
    expect(run(program, ["-u"], [])).toBe("65534\n");
  });

  test("runs as the owner of existing data", () => {
    mkdirSync(join(folder, "new"));
    expect(chooseUser(join(folder, "new"))?.uid).not.toBe(0);
    execFileSync("chown", ["1234:1234", join(folder, "new")]);
    expect(chooseUser(join(folder, "new"))).toEqual({ uid: 1234, gid: 1234 });
  });
});

test("does not change the user if it isn't started as root", () => {
  const launch = launchUnprivileged("/bin/true", ["x"], { reaches: [], user: null });
  expect(launch).toEqual({ command: "/bin/true", args: ["x"] });
});

function run(program: string, programArgs: string[], reaches: string[]): string {
  const { command, args, ...ids } = launchUnprivileged(program, programArgs, { reaches, user: UNPRIVILEGED });
  return execFileSync(command, args, { encoding: "utf8", ...ids });
}
