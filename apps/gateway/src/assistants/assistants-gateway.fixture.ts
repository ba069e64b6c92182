import { Secret } from "@tollgate/domain/secret.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { createStoredAssistants, type StoredAssistants } from "../adapters/stored-assistants.ts";
import { MASTER_KEY, startTestGateway } from "../test-gateway.fixture.ts";

/** What a gateway with a database answers to one key. */
export interface Client {
  /** The status and the body; a body given as text is sent as it is. */
  ask<Body = Answered>(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }>;
  /** The body of an answer that must succeed. */
  read<Body = Answered>(method: string, path: string, body?: unknown): Promise<Body>;
}

/** What answers of these operations have, as far as tests look at it. */
export interface Answered {
  readonly id: string;
  readonly data: readonly { readonly id: string }[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null };
  readonly detail: readonly { readonly loc: readonly (string | number)[]; readonly type: string }[];
}

export interface AssistantsGateway {
  readonly url: string;
  readonly store: StoredAssistants;
  /** Errors that no caller should be able to cause. */
  readonly unexpected: unknown[];
  /** Keys of two teams, and the operator's. */
  readonly mine: Client;
  readonly theirs: Client;
  readonly administrator: Client;
}

export const sealer = createSecretBox([new Secret("a secret key of at least thirty-two characters")]);

/** A test with a gateway that keeps assistants in a database of its own, the same for all tests of a file. */
export const test = base.extend("gateway", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = database.connect("tollgate_platform");
  const db = database.connect("tollgate_gateway");
  const store = createStoredAssistants({
    db,
    sealer,
    connectionString: database.connectionString,
    onTrouble: () => {},
  });
  const gateway = await startTestGateway({ database: db, assistants: store });
  onCleanup(async () => {
    await gateway.close();
    await store.close();
  });
  const [mine, theirs] = [await addTenant(platform), await addTenant(platform)];
  const running: AssistantsGateway = {
    url: gateway.url,
    store,
    unexpected: gateway.unexpected,
    mine: clientOf(gateway.url, mine.apiKey),
    theirs: clientOf(gateway.url, theirs.apiKey),
    administrator: clientOf(gateway.url, MASTER_KEY),
  };
  return running;
});

function clientOf(url: string, key: string): Client {
  const ask: Client["ask"] = async <Body>(method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  return {
    ask,
    read: async <Body>(method: string, path: string, body?: unknown) => {
      const answer = await ask<Body>(method, path, body);
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
  };
}
