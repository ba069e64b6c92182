import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { test } from "../stage/console-test.ts";
import { post } from "../stage/fill-instance.ts";

// Complaints about logs and tables.

test("C2 charts never read the logs, and a page of logs is one request", async ({ admin }) => {
  await admin.page.goto("about:blank");
  admin.takeCalls();
  await admin.open("/usage");
  const usage = admin.takeCalls();
  expect(usage).not.toHaveLength(0);
  expect(usage).not.toContain("GET /api/gw/logs");
  await admin.page.goto("about:blank");
  admin.takeCalls();
  await admin.open("/logs");
  const logs = admin.takeCalls().filter((call) => call === "GET /api/gw/logs");
  expect(logs).toHaveLength(1);
});

test("C7 a call without stored content explains why the content is missing", async ({ newConsole, instance }) => {
  const person = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  const administrator = await instance.signIn(instance.admin);
  const { team, organization } = await administrator.call("signUp", { body: { ...person, name: "Quiet" } });
  await administrator.call("createCreditTransaction", {
    params: { id: organization.id },
    body: { amount: 1_000_000_000n, reason: "To call a model" },
    idempotencyKey: randomUUID(),
  });
  const platform = await instance.signIn(person);
  const { apiKey } = await platform.call("createApiKey", { body: { name: "Quiet", team_id: String(team?.id) } });
  const body = { model: "sim/echo", messages: [{ role: "user", content: "Do not store this" }] };
  const answer = await post(instance, String(apiKey.token), "/v1/chat/completions", body);
  const own = await newConsole({ person });
  await own.retry(`/logs/${answer.headers.get("x-gw-call-id")}`, () =>
    own.page.getByText("No payload. Prompt and response storage was off when this request was made."),
  );
});

test("C16 a call whose client disconnected is in the logs like any other call", async ({ instance, admin }) => {
  const stop = new AbortController();
  const call = await fetch(`${instance.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-gw-api-key": instance.apiKey, "content-type": "application/json" },
    body: JSON.stringify({
      model: "sim/lorem?tokens=2000&tps=50",
      stream: true,
      messages: [{ role: "user", content: "Go on" }],
    }),
    signal: stop.signal,
  });
  const id = String(call.headers.get("x-gw-call-id"));
  await call.body?.getReader().read();
  stop.abort();
  const platform = await instance.signIn(instance.admin);
  const { log } = await waitFor("the call in the logs", () => platform.call("getLog", { params: { id } }));
  expect(log.class).toBe("canceled");
  await admin.open("/logs?class=canceled");
  await expect(admin.page.getByRole("table", { name: "Requests" }).getByText("sim/lorem").first()).toBeVisible();
});

test("C17 a wide table scrolls, keeps its first column visible, and lets users choose columns", async ({
  newConsole,
  instance,
  filled,
}) => {
  const narrow = await newConsole({ person: instance.admin, width: 700, height: 800 });
  await narrow.open("/logs");
  await expect(narrow.page.locator(`[data-row="${filled.callId}"]`)).toBeVisible();
  const sideways = (await narrow.page.evaluate(
    "document.documentElement.scrollWidth > document.documentElement.clientWidth",
  )) as boolean;
  expect(sideways, "the page itself scrolls sideways").toBe(false);
  const pinned = (await narrow.page.evaluate(
    `getComputedStyle(document.querySelector("table[aria-label=Requests] tbody tr > *")).position`,
  )) as string;
  expect(pinned).toBe("sticky");
  await expect(narrow.page.getByRole("button", { name: "Columns" })).toBeVisible();
});

test("C20 the logs can be searched by request ID, and the exported file has the same rows as the screen", async ({
  instance,
  admin,
  filled,
}) => {
  const platform = await instance.signIn(instance.admin);
  const { log } = await platform.call("getLog", { params: { id: filled.callId } });
  await admin.open(`/logs?search=${log.requestId}`);
  const rows = admin.page.getByRole("table", { name: "Requests" }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await admin.page.getByRole("button", { name: "Export" }).click();
  const saved = admin.page.waitForEvent("download");
  await admin.page.getByRole("menuitem", { name: /^CSV, 1 row on screen/ }).click();
  const lines = readFileSync(await (await saved).path(), "utf8")
    .trim()
    .split("\n");
  expect(lines).toEqual([expect.any(String), expect.stringContaining(log.requestId)]);
  await expect(rows).toHaveText([/\S/]);
});
