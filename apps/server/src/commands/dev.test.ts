import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createApi } from "@tollgate/testkit/api-client.ts";
import { startDev } from "@tollgate/testkit/processes/start-instance.ts";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");

test("dev prints all URLs and admin credentials, and the credit-story example runs against the instance", async () => {
  const { ready, dataDir, stop } = await startDev();
  onTestFinished(async () => void (await stop()));
  const { baseUrl, platformUrl, uiUrl, apiKey, masterKey, admin } = ready;
  // Programs parse the line, so the field names are stable.
  expect(Object.keys(ready)).toEqual(["baseUrl", "platformUrl", "uiUrl", "apiKey", "masterKey", "admin"]);
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
    timeout: 120_000,
  });
  expect(stdout).toMatch(/no credit +429 QUOTA_EXCEEDED: /);
  expect(stdout).toMatch(/bought +5\.000000000 USD/);
  expect(stdout).toMatch(/called +200 "hello" for 9000 nano-USD/);
  expect(stdout).toMatch(/left +4\.999991000 USD/);
  expect(stdout).toMatch(/refunded +-\d+\.\d{9} USD: 403 TEAM_BLOCKED/);
  expect(stdout).toMatch(/paid a part +-\d+\.\d{9} USD: 403 TEAM_BLOCKED/);
  expect(stdout).toMatch(/paid +\d+\.\d{9} USD: 200 answered/);
  expect(await stop()).toBe(0);
});
