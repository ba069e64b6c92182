import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "packed-"));
  execFileSync(process.execPath, ["scripts/build-cli.ts", folder], { cwd: root });
});
afterAll(() => rmSync(folder, { recursive: true }));

const env = { PATH: process.env.PATH, TOLLGATE_CONFIG_DIR: join(tmpdir(), "no-such-folder") };
const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(folder, "tollgate.js"), ...args], { cwd: tmpdir(), env, encoding: "utf8" });

test.for([
  [["version"], /^\d+\.\d+\.\d+\n$/],
  [["help"], /keys create {2}Create an API key/],
  [["help", "exit-codes"], /130 {2}Interrupted/],
  [["config", "show"], /^url\thttp:\/\/127\.0\.0\.1:4000$/m],
  [["completion", "bash"], /complete -o default -F _tollgate tollgate/],
  [["keys", "create", "--help"], /^Examples$/m],
  [["train", "plot", "--help"], /tollgate train plot/],
] as const)("the packed command runs %o, without colors when output is piped", ([args, text]) => {
  const { status, stdout, stderr } = run(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(text);
  expect(stdout).not.toContain("\x1b");
});

test("a local command starts almost as fast as Node itself", () => {
  const measureMs = (...args: readonly string[]) => {
    const startedAtMs = performance.now();
    spawnSync(process.execPath, args, { env });
    return performance.now() - startedAtMs;
  };
  // The starts alternate, so that other load on the machine slows down both.
  const starts = Array.from({ length: 12 }, () => ({
    bareMs: measureMs("-e", "0"),
    commandMs: measureMs(join(folder, "tollgate.js"), "config", "show"),
  }));
  const bestMs = (name: "bareMs" | "commandMs") => Math.min(...starts.map((start) => start[name]));
  // On an idle machine, Node starts in 40 ms and the CLI in 75 ms. The limit of 150 ms scales with the machine's speed.
  expect(bestMs("commandMs")).toBeLessThan(Math.max(150, bestMs("bareMs") * 3.5));
});

test.for(["bash", "zsh", "fish", "powershell"])(
  "the completion script for %s calls the command and never passes names to the shell unquoted",
  (shell) => {
    const { stdout } = run("completion", shell);
    expect(stdout).toContain("tollgate __complete");
    expect(stdout).not.toContain("compgen -W");
    if (shell !== "bash") return;
    expect(spawnSync("bash", ["-n"], { input: stdout }).status).toBe(0);
  },
);

test("bash completes a name that contains a shell command without running the command", () => {
  const evil = "a$(touch pwned) b";
  const fake = `tollgate() { printf '%s\\n' '${evil}'; }\n`;
  const input = `${run("completion", "bash").stdout}${fake}COMP_WORDS=(tollgate keys show ""); COMP_CWORD=3; _tollgate; eval "printf '%s' \${COMPREPLY[0]}"`;
  const { stdout } = spawnSync("bash", [], { input, encoding: "utf8", cwd: folder });
  expect(stdout).toBe(evil);
  expect(() => readFileSync(join(folder, "pwned"))).toThrow();
});
