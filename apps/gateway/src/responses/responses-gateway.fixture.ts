import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { StorageTurns } from "../adapters/storage-turns.ts";
import { createStoredResponses } from "../adapters/stored-responses.ts";
import { startTestGateway, type TestGateway } from "../test-gateway.fixture.ts";
import type { ResponseStore } from "./response-store.ts";

/** A client that uses one API key. */
interface ResponsesClient {
  /** Sends an object as JSON, or text as it is. */
  create(body: object | string): Promise<Response>;
  /** Creates a response, and fails the test if the request fails. */
  respond(body: object): Promise<Answered>;
  /** Creates a streamed response and returns its events. Fails the test if the request fails. */
  stream(body: object): Promise<readonly Event[]>;
  ask(method: string, path: string): Promise<{ readonly status: number; readonly body: Answered }>;
}

/** Response fields that tests inspect. */
interface Answered extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly output: readonly Readonly<Record<string, unknown>>[];
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null } | null;
}

interface Event extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: Answered;
}

interface ResponsesGateway extends TestGateway {
  readonly store: ResponseStore;
  limitStorage(limits: Partial<StorageLimits>): void;
  /** Starts as many writes with a key of `mine` as can wait for each other, and returns a function that ends them. */
  crowdStorage(): () => Promise<void>;
  readonly mine: ResponsesClient;
  readonly theirs: ResponsesClient;
}

/**
 * Extends `test` with a gateway that stores responses. The model `native` supports the Responses API, and the other
 * models support only chat.
 */
export const test = engines.extend("gateway", async ({ database, upstreams }, { onCleanup }) => {
  const platform = database.connect("tollgate_platform");
  const db = database.connect("tollgate_gateway");
  let limits: StorageLimits = AMPLE_STORAGE;
  const turns = new StorageTurns(undefined, 60_000);
  const store = createStoredResponses({
    turns,
    db,
    sealer: createSecretBox([new Secret("a secret key of at least thirty-two characters")]),
    limits: () => limits,
  });
  const { alpha, beta } = upstreams;
  const gateway = await startTestGateway({
    database: db,
    responses: store,
    yaml: `
model_list:
  - { model_name: native, litellm_params: { model: openai/gpt-5.1, api_base: "${alpha.origin}/v1", api_key: k }, model_info: { mode: responses } }
  - { model_name: other, litellm_params: { model: openai/gpt-4.1, api_base: "${beta.origin}/v1", api_key: k }, model_info: { mode: responses } }
  - { model_name: plain, litellm_params: { model: openai_compatible/plain-1, api_base: "${alpha.origin}/v1", api_key: k } }
  - { model_name: claude, litellm_params: { model: anthropic/claude-sonnet-4-5, api_base: "${beta.origin}", api_key: k } }
  - { model_name: gemini, litellm_params: { model: gemini/gemini-2.5-flash, api_base: "${beta.origin}", api_key: k } }
router_settings: { num_retries: 0, disable_cooldowns: true }
`,
  });
  onCleanup(async () => {
    await gateway.close();
    expect(gateway.unexpected, "errors that no caller should be able to trigger, and lost responses").toEqual([]);
  });
  const [mine, theirs] = [await addTenant(platform), await addTenant(platform)];
  const running: ResponsesGateway = {
    ...gateway,
    store,
    limitStorage: (next) => {
      limits = { ...AMPLE_STORAGE, ...next };
    },
    crowdStorage: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const write = (onNearLimit: () => void) => {
        onNearLimit();
        return promise;
      };
      const { organizationId } = mine;
      const first = turns.run({ organizationId, keyId: "key 0" }, write);
      const others = Array.from({ length: 201 }, (_, index) =>
        turns.run({ organizationId, keyId: `key ${index % 4}` }, write),
      );
      return async () => {
        resolve();
        await Promise.all([first, ...others]);
      };
    },
    mine: clientOf(gateway.url, mine.apiKey),
    theirs: clientOf(gateway.url, theirs.apiKey),
  };
  return running;
});

/**
 * Returns the events of a stream. Fails unless every frame has the same type in its event name and its data, and the
 * events are numbered in order.
 */
function eventsOf(text: string): readonly Event[] {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("event: "));
  return frames.map((frame, index) => {
    const [name = "", data = ""] = frame.split("\n");
    const event = JSON.parse(data.slice("data: ".length)) as Event;
    expect(name).toBe(`event: ${event.type}`);
    expect(event.sequence_number).toBe(index);
    return event;
  });
}

function clientOf(url: string, key: string): ResponsesClient {
  const create = (body: object | string) =>
    fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    create,
    respond: async (body) => {
      const answer = await create(body);
      const read = (await answer.json()) as Answered;
      expect(answer.status, JSON.stringify(read)).toBe(200);
      return read;
    },
    stream: async (body) => {
      const answer = await create({ ...body, stream: true });
      expect(answer.status).toBe(200);
      return eventsOf(await answer.text());
    },
    ask: async (method, path) => {
      const answer = await fetch(url + path, { method, headers: { authorization: `Bearer ${key}` } });
      return { status: answer.status, body: (await answer.json()) as Answered };
    },
  };
}
