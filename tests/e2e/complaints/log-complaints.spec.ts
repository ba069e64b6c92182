import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { post } from "../stage/fill-instance.ts";
import { openConsoleAs, textOf } from "../stage/open-console.ts";
import { type Complaint, expect } from "./complaint.ts";

/** Complaints about logs and tables. */
export const logComplaints: readonly Complaint[] = [
  {
    id: "C2",
    promise: "charts never read the logs, and a page of logs is one request",
    run: async ({ opened }) => {
      await opened.page.goto("about:blank");
      opened.takeCalls();
      await opened.open("/usage");
      const usage = opened.takeCalls();
      expect(!usage.includes("GET /api/gw/logs"), `the charts ask for ${usage.join(", ")}`);
      await opened.page.goto("about:blank");
      opened.takeCalls();
      await opened.open("/logs");
      const logs = opened.takeCalls().filter((call) => call === "GET /api/gw/logs");
      expect(logs.length === 1, `the logs are asked for ${logs.length} times`);
    },
  },
  {
    id: "C7",
    promise: "a call without stored content explains why the content is missing",
    run: async ({ browser, instance }) => {
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
      const own = await openConsoleAs(browser, instance, person);
      await own.retry(`/logs/${answer.headers.get("x-gw-call-id")}`, () =>
        own.page.getByText("No payload. Prompt and response storage was off when this request was made."),
      );
      await own.close();
    },
  },
  {
    id: "C16",
    promise: "a call whose client disconnected is in the logs like any other call",
    run: async ({ instance, opened }) => {
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
      expect(log.status === "cancelled", `it is there as ${log.status}`);
      await opened.open("/logs?status=cancelled");
      await opened.page.getByRole("table", { name: "Requests" }).getByText("sim/lorem").first().waitFor();
    },
  },
  {
    id: "C17",
    promise: "a wide table scrolls, keeps its first column visible, and lets users choose columns",
    run: async ({ browser, instance }) => {
      const narrow = await openConsoleAs(browser, instance, instance.admin, { width: 700, height: 800 });
      await narrow.open("/logs");
      const sideways = (await narrow.page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth",
      )) as boolean;
      expect(!sideways, "the page itself scrolls sideways");
      const pinned = (await narrow.page.evaluate(
        `getComputedStyle(document.querySelector("table[aria-label=Requests] tbody tr > *")).position`,
      )) as string;
      expect(pinned === "sticky", `the first column is ${pinned}`);
      await narrow.page.getByRole("button", { name: "Columns" }).waitFor();
      await narrow.close();
    },
  },
  {
    id: "C20",
    promise: "the logs can be searched by request ID, and the exported file has the same rows as the screen",
    run: async ({ instance, opened, filled }) => {
      const platform = await instance.signIn(instance.admin);
      const { log } = await platform.call("getLog", { params: { id: filled.callId } });
      await opened.open(`/logs?search=${log.requestId}`);
      const rows = opened.page.getByRole("table", { name: "Requests" }).locator("tbody tr");
      expect((await rows.count()) === 1, `${await rows.count()} rows`);
      await opened.page.getByRole("button", { name: "Export" }).click();
      const saved = opened.page.waitForEvent("download");
      await opened.page.getByRole("menuitem", { name: /^CSV, 1 row on screen/ }).click();
      const lines = readFileSync(await (await saved).path(), "utf8")
        .trim()
        .split("\n");
      expect(lines.length === 2 && lines[1]?.includes(log.requestId) === true, lines.join("\n"));
      expect((await textOf(rows.first())).length > 0, "the row is empty");
    },
  },
];
