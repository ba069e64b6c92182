import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createApi } from "@tollgate/testkit/api-client.ts";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");
// Creating and starting a database is slow while other tests run in parallel.
const SLOW = { timeout: 90_000 };

/** Output of `--json`. Programs parse it, so the field names are stable. */
interface DevLine {
  readonly baseUrl: string;
  readonly platformUrl: string;
  readonly uiUrl: string;
  readonly apiKey: string;
  readonly masterKey: string;
  readonly admin: { readonly email: string; readonly password: string };
}

async function startDev(): Promise<{ line: DevLine; dataDir: string; stop: () => Promise<number | null> }> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-dev-"));
  const dataDir = join(folder, "data");
  const child = spawn(join(root, "bin/tollgate"), ["dev", "--json", "--port", "0", "--data", dataDir], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const stop = () => {
    child.kill("SIGTERM");
    return exit;
  };
  onTestFinished(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const text = await new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data))));
  return { line: JSON.parse(text) as DevLine, dataDir, stop };
}

test(
  "dev prints all URLs and admin credentials, and the credit-story example runs against the instance",
  SLOW,
  async () => {
    const { line, dataDir, stop } = await startDev();
    const { baseUrl, platformUrl, uiUrl, apiKey, masterKey, admin } = line;
    expect(Object.keys(line)).toEqual(["baseUrl", "platformUrl", "uiUrl", "apiKey", "masterKey", "admin"]);
    expect({ platformUrl, uiUrl }).toEqual({ platformUrl: baseUrl, uiUrl: `${baseUrl}/ui` });
    const kept = join(dataDir, "credentials.json");
    expect(JSON.parse(readFileSync(kept, "utf8"))).toMatchObject({ apiKey, masterKey, admin });
    expect(statSync(kept).mode & 0o777).toBe(0o600);

    const api = createApi(platformUrl);
    const signedIn = await api("POST", "/api/auth/token", { body: admin });
    expect(signedIn.status).toBe(200);
    const { token } = signedIn.body;
    expect((await api("GET", "/api/balance", { token })).body).toMatchObject({ balance: 5_000_000_000, status: "ok" });
    const organizations = await api("GET", "/api/gw/organizations/list", { token });
    expect(organizations.body.data).toMatchObject([{ name: "Local", role: "owner", settings: { logPrompts: true } }]);
    const keys = await api("GET", "/api/api-keys", { token });
    expect(keys.body.data).toMatchObject([{ name: "dev", status: "active" }]);
    expect((await api("GET", "/api/admin/users", { token })).body.data).toMatchObject([{ email: admin.email }]);
    // The printed API key belongs to the same account.
    const message = { model: "sim/echo", messages: [{ role: "user", content: "hello" }], apiKey };
    expect((await api("POST", "/api/gw/messages", { token, body: message })).status).toBe(200);

    const story = join(root, "examples/credit-story/run.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [story], {
      env: { ...process.env, TOLLGATE_URL: platformUrl },
      timeout: 30_000,
    });
    expect(stdout).toMatch(/no credit +429 QUOTA_EXCEEDED: /);
    expect(stdout).toMatch(/bought +5\.000000000 USD/);
    expect(stdout).toMatch(/called +200 "hello" for 9000 nano-USD/);
    expect(stdout).toMatch(/left +4\.999991000 USD/);
    expect(stdout).toMatch(/refunded +-\d+\.\d{9} USD: 403 TEAM_BLOCKED/);
    expect(stdout).toMatch(/paid a part +-\d+\.\d{9} USD: 403 TEAM_BLOCKED/);
    expect(stdout).toMatch(/paid +\d+\.\d{9} USD: 200 answered/);
    expect(await stop()).toBe(0);
  },
);
