import { randomUUID } from "node:crypto";
import { ApiError, type PlatformClient } from "@tollgate/sdk/platform";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { post } from "../stage/fill-instance.ts";
import type { Instance, Person } from "../stage/start-instance.ts";

/** Number of teams and organizations to create, below the limits for one organization and one user. */
const MANY = 40;
export const PROMPTS_PER_CALL = 10;

export interface Planted {
  /** User whose organization has a payload as its name, and payloads in all its records. */
  readonly person: Person;
  /** Pages of the calls with payloads as prompts. */
  readonly callPaths: readonly string[];
  /** Page of the thread with payloads as messages. */
  readonly threadPath: string;
  /** Number of strings that the API accepted. Rejected strings can't be displayed. */
  readonly taken: number;
}

/** Puts every payload into every text field in which the API accepts it. */
export async function plantPayloads(instance: Instance, payloads: readonly string[]): Promise<Planted> {
  let taken = 0;
  const attempt = async <Made>(make: () => Promise<Made>): Promise<Made | null> => {
    try {
      const made = await make();
      taken += 1;
      return made;
    } catch (error) {
      if (error instanceof ApiError && error.status !== null && error.status < 500) return null;
      throw error;
    }
  };
  const administrator = await instance.signIn(instance.admin);
  await plantAdministration(administrator, payloads, attempt);
  const persons = await plantPeople(instance, payloads, attempt);
  const person = persons[0];
  if (person === undefined) throw new Error("no sign-up with a payload as name succeeded");
  const platform = await instance.signIn(person);
  const { data } = await platform.call("listOrganizations");
  const organizationId = String(data[0]?.id);
  await platform.call("updateOrganization", { body: { organizationId, settings: { logPrompts: true } } });
  for (const reason of payloads) {
    await attempt(() =>
      administrator.call("createCreditTransaction", {
        params: { id: organizationId },
        body: { amount: 100_000_000n, reason },
        idempotencyKey: randomUUID(),
      }),
    );
  }
  const secret = await plantKeys(platform, payloads, attempt);
  const callPaths = await plantCalls(instance, platform, secret, payloads);
  const threadPath = await plantAssistants(instance, secret, payloads);
  await attempt(() =>
    platform.call("updatePreferences", { body: { savedViews: payloads.slice(0, MANY).map(toView) } }),
  );
  return { person, callPaths, threadPath, taken };
}

type Attempt = <Made>(make: () => Promise<Made>) => Promise<Made | null>;

async function plantAdministration(
  platform: PlatformClient,
  payloads: readonly string[],
  attempt: Attempt,
): Promise<void> {
  const { provider } = await platform.call("createProvider", {
    body: { slug: "attacked", kind: "sim", name: payloads[0] ?? "x" },
  });
  for (const [index, text] of payloads.entries()) {
    const facts = { provider: provider.id, inferenceModelId: "echo", description: text };
    const body = { ...facts, id: `attacked-${index}`, name: text };
    await attempt(() => platform.call("createModel", { body }));
  }
}

/** Creates users whose name and organization name are payloads. */
async function plantPeople(
  instance: Instance,
  payloads: readonly string[],
  attempt: Attempt,
): Promise<readonly Person[]> {
  const platform = await instance.signIn(instance.admin);
  const persons: Person[] = [];
  for (const [index, name] of payloads.slice(0, MANY).entries()) {
    const person = { email: `attacker-${index}@example.com`, password: randomUUID() };
    const made = await attempt(() => platform.call("signUp", { body: { ...person, name, organizationName: name } }));
    if (made !== null) persons.push(person);
  }
  return persons;
}

/** Creates teams and keys. Returns the secret of a key that can make calls. */
async function plantKeys(platform: PlatformClient, payloads: readonly string[], attempt: Attempt): Promise<string> {
  const teamIds: string[] = [];
  for (const name of payloads.slice(0, MANY)) {
    const made = await attempt(() => platform.call("createTeam", { body: { name } }));
    if (made !== null) teamIds.push(made.team.id);
  }
  let secret: string | null = null;
  for (const [index, name] of payloads.entries()) {
    const team_id = String(teamIds[index % teamIds.length]);
    const made = await attempt(() => platform.call("createApiKey", { body: { name, team_id } }));
    secret ??= made?.apiKey.token ?? null;
  }
  if (secret === null) throw new Error("no key could be made");
  return secret;
}

/**
 * Makes calls with payloads as prompts, responses, users, and models. Returns the detail pages of the successful calls.
 */
async function plantCalls(
  instance: Instance,
  platform: PlatformClient,
  secret: string,
  payloads: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < payloads.length; at += PROMPTS_PER_CALL) {
    const some = payloads.slice(at, at + PROMPTS_PER_CALL);
    const content = some.join("\n\n");
    const messages = [...some.map((text) => ({ role: "system", content: text })), { role: "user", content }];
    const answer = await post(instance, secret, "/v1/chat/completions", {
      model: "sim/echo",
      messages,
      user: some[0],
      prompt_cache_key: some[0],
      metadata: { note: some[0] },
    });
    ids.push(String(answer.headers.get("x-gw-call-id")));
    await answer.text();
  }
  for (const model of payloads)
    await (await post(instance, secret, "/v1/chat/completions", { model, messages: [] })).text();
  return Promise.all(
    ids.map((id) =>
      waitFor("a settled call", async () => {
        const { log } = await platform.call("getLog", { params: { id } });
        return `/logs/${log.id}`;
      }),
    ),
  );
}

/** Creates assistants and a thread whose messages are payloads. Returns the thread's page. */
async function plantAssistants(instance: Instance, secret: string, payloads: readonly string[]): Promise<string> {
  let assistantId = "";
  for (const text of payloads.slice(0, MANY)) {
    const body = { model: "sim/echo", name: text, description: text, instructions: text, metadata: { note: text } };
    const answer = await post(instance, secret, "/v1/assistants", body);
    if (answer.ok) assistantId = ((await answer.json()) as { id: string }).id;
  }
  const messages = payloads.slice(0, MANY).map((content) => ({ role: "user", content, metadata: { note: content } }));
  const answer = await post(instance, secret, "/v1/threads/runs", { assistant_id: assistantId, thread: { messages } });
  const { thread_id } = (await answer.json()) as { thread_id?: string };
  if (thread_id === undefined) throw new Error(`no thread was created: ${answer.status}`);
  return `/threads/${thread_id}`;
}

function toView(name: string, index: number) {
  return { id: `view-${index}`, page: "/logs", name, search: `search=${encodeURIComponent(name)}` };
}
