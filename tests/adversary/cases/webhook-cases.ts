import { randomUUID } from "node:crypto";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { openPlatform } from "../../chaos/stage/account.ts";
import type { Case, CaseContext, CaseOutcome } from "../case.ts";
import { askOrThrow, askPlatform, type Person, signUpPerson } from "../client/ask-platform.ts";
import type { AdversaryStage } from "../stage/stage.ts";

/** A public address that needs no name resolution. Nothing is sent to it, because no event occurs. */
const CHOSEN_SECRET = "whsec_chosen";
const TARGET = "https://93.184.215.14/hook";

export const webhookCases: readonly Case[] = [
  {
    name: "webhook-tenants",
    promise: "No operation reads, changes, or deletes a webhook of another organization",
    guards: "row 12",
    isQuick: true,
    run: changeForeignWebhook,
  },
];

async function changeForeignWebhook({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const [own, foreign] = [await signUpPerson(stage), await signUpPerson(stage)];
  const create = (token: string) =>
    askOrThrow(stage, "POST", "/api/webhooks", {
      token,
      headers: { "idempotency-key": randomUUID() },
      body: { url: TARGET, events: ["balance.low"] },
    });
  const { id, secret } = (await create(foreign.token)).body.webhook;
  const { id: ownId } = (await create(own.token)).body.webhook;
  const readRow = () =>
    runAsAdministrator(stage.platform, (transaction) =>
      transaction.selectFrom("webhooks").selectAll().where("id", "=", id).execute(),
    );
  const before = JSON.stringify(await readRow());
  if (before === "[]") throw new Error("the webhook was not created");

  const list = await askOrThrow(stage, "GET", "/api/webhooks", { token: own.token });
  const text = JSON.stringify(list.body);
  if (text.includes(id) || text.includes(secret)) problems.push("the list shows another organization's webhook");
  if (!text.includes(ownId)) problems.push("the list misses the own webhook");
  // Every operation on one webhook, so that a new operation is tested without a change here.
  const operations = await listOperations(stage, "/api/webhooks/{id}");
  const spellings: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    [id, {}],
    [encodeURIComponent(`${ownId}/../${id}`), {}],
    [id.toLowerCase(), {}],
    [id, { "x-gw-organization": foreign.organizationId }],
  ];
  if (operations.length === 0) problems.push("no operation on a webhook was found");
  for (const { method, path } of operations) {
    for (const [spelling, headers] of spellings) {
      const asked = { token: own.token, headers, ...(method !== "GET" && method !== "DELETE" && { body: {} }) };
      const { status } = await askPlatform(stage, method, path.replace("{id}", spelling), asked);
      if (status !== 404) problems.push(`${method} ${path} of another organization was answered ${status}`);
    }
  }
  problems.push(...(await createElsewhere(stage, own, foreign, id)));
  const count = await askOrThrow(stage, "GET", "/api/webhooks", { token: foreign.token });
  if (count.body.meta.total !== 1) problems.push(`the organization has ${count.body.meta.total} webhooks`);
  if (JSON.stringify(await readRow()) !== before) problems.push("the webhook changed");
  // The own webhook shows that the requests above were well formed.
  for (const { method, path } of operations) {
    const { status } = await askPlatform(stage, method, path.replace("{id}", ownId), { token: own.token });
    if (status >= 300) problems.push(`${method} ${path} of the own webhook was answered ${status}`);
  }
  return { calls: [], problems };
}

/** Tries to create a webhook in another organization, or with another's ID or secret. */
async function createElsewhere(
  stage: AdversaryStage,
  own: Person,
  foreign: Person,
  id: string,
): Promise<readonly string[]> {
  const problems: string[] = [];
  // The organization in the body or the header must not choose where a webhook is created.
  const extras: readonly { readonly headers?: Readonly<Record<string, string>>; readonly body?: object }[] = [
    { headers: { "x-gw-organization": foreign.organizationId } },
    { body: { organizationId: foreign.organizationId } },
    { body: { id, secret: CHOSEN_SECRET } },
  ];
  for (const extra of extras) {
    const { status, body } = await askPlatform(stage, "POST", "/api/webhooks", {
      token: own.token,
      headers: { "idempotency-key": randomUUID(), ...extra.headers },
      body: { url: TARGET, events: ["balance.low"], ...extra.body },
    });
    // Unknown fields of a body are ignored, so it creates an own webhook.
    const isOwn = status === 201 && body.webhook.id !== id && body.webhook.secret !== CHOSEN_SECRET;
    if (status !== (extra.headers === undefined ? 201 : 404) || (status === 201 && !isOwn)) {
      problems.push(`a webhook in another organization was answered ${status}`);
    }
  }
  return problems;
}

interface Operation {
  readonly method: string;
  readonly path: string;
}

/** Returns the operations under a path, as the running platform describes them. */
async function listOperations(stage: AdversaryStage, prefix: string): Promise<readonly Operation[]> {
  const { body } = await askOrThrow(stage, "GET", "/api/openapi.json");
  return Object.entries(body.paths as Readonly<Record<string, object>>)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));
}
