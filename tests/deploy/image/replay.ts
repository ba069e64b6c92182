import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmptyDatabase } from "@tollgate/testkit/database.ts";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { root } from "../paths.ts";
import { contain, findInner, waitForEnd } from "./contain.ts";
import { readDockerfile, readImageSettings } from "./dockerfile.ts";
import { measureFolder } from "./measure-folder.ts";

const MASTER_KEY = "sk-replay-0123456789abcdef0123456789abcdef";
const START_LIMIT_MS = 120_000;
const SETTINGS = `
model_list:
  - { model_name: echo, litellm_params: { model: sim/echo } }
general_settings: { master_key: os.environ/TOLLGATE_MASTER_KEY }
`;

/**
 * Builds and runs the image without a container engine. The Dockerfile's own script assembles the files, and its user,
 * environment, entry point, and health check are applied in a read-only root. Requires root privileges and a package
 * tarball.
 */
export async function replayImage(tarball: string): Promise<Readonly<Record<string, unknown>>> {
  const stage = readDockerfile().at(-1);
  assert(stage !== undefined);
  const settings = readImageSettings(stage);
  const [uid = 0, gid = 0] = settings.user.split(":").map(Number);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-image-"));
  const at = (name: string) => join(folder, name);
  for (const name of ["data", "settings"]) mkdirSync(at(name));
  chownSync(at("data"), uid, gid);
  writeFileSync(at("settings/tollgate.yaml"), SETTINGS);
  const database = await createEmptyDatabase();
  try {
    execFileSync(`${root}/deploy/image/assemble-root`, [tarball, at("image")], { stdio: ["ignore", "ignore", "pipe"] });
    const size = measureFolder(at("image"));
    const port = await findFreePort();
    const env = {
      DATABASE_URL: database.connectionString,
      TOLLGATE_SECRET_KEY: "0123456789abcdef0123456789abcdef",
      TOLLGATE_MASTER_KEY: MASTER_KEY,
      TOLLGATE_DRAIN_GRACE: "0",
      PORT: String(port),
    };
    const containment = { image: at("image"), data: at("data"), settingsFolder: at("settings"), settings, env };
    const run = (...command: string[]) => waitForEnd(contain(command, containment));

    // Check that the root is read-only and that the user can't become root.
    const script = `
      const { writeFileSync } = require("node:fs");
      const attempt = (path) => { try { writeFileSync(path, "x"); return "written"; } catch (error) { return error.code; } };
      console.log(JSON.stringify({ uid: process.getuid(), opt: attempt("/opt/x"), settings: attempt("/etc/tollgate/x"),
        data: attempt("/data/x"), tmp: attempt("/tmp/x") }));`;
    const probe = JSON.parse((await run("/usr/local/bin/node", "--eval", script)).text);
    assert.deepEqual(probe, { uid, opt: "EROFS", settings: "EROFS", data: "written", tmp: "written" });

    const health = () => run(...settings.healthCheck);
    assert.equal((await health()).code, 1, "the health check of a server that is not there must fail");

    const startedAtMs = performance.now();
    const server = contain([...settings.entrypoint, ...settings.command, "--processes", "1"], containment);
    const ended = waitForEnd(server);
    try {
      const isReady = async () => (await fetch(`http://127.0.0.1:${port}/health/readiness`)).ok;
      await Promise.race([
        waitFor("it to be ready", isReady, { limitMs: START_LIMIT_MS }),
        ended.then(({ text }) => Promise.reject(new Error(`serve ended: ${text}`))),
      ]);
      const readyMs = Math.round(performance.now() - startedAtMs);
      assert.equal((await health()).code, 0, "the health check of a server that is ready must succeed");
      const inner = findInner(server);
      const status = readFileSync(`/proc/${inner}/status`, "utf8");
      assert.match(status, new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}`, "m"));
      assert.match(status, /^NSpid:\t\d+\t1$/m);
      const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-gw-api-key": MASTER_KEY, "content-type": "application/json" },
        body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] }),
      });
      const body = (await answer.json()) as { choices?: { message: { content: string } }[] };
      assert.equal(body.choices?.[0]?.message.content, "hello", JSON.stringify(body));
      // Stop the program as Kubernetes does: first the pod's preStop hook, then the kubelet's signal.
      process.kill(inner, "SIGUSR2");
      await waitFor(
        "it to be not ready",
        async () => (await fetch(`http://127.0.0.1:${port}/health/readiness`)).status === 503,
      );
      process.kill(inner, "SIGTERM");
      const { code, text } = await ended;
      assert.equal(code, 0, text);
      return { image_mb: size.megabytes, image_files: size.files, ready_ms: readyMs, uid };
    } finally {
      server.kill("SIGKILL");
    }
  } finally {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}
