import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { StorageTurns } from "../../adapters/storage-turns.ts";
import { createStoredAssistants, type StoredAssistants } from "../../adapters/stored-assistants.ts";
import { MASTER_KEY, startTestGateway } from "../../test-gateway.fixture.ts";

/** Client for a test gateway with a database. All its requests use one key. */
interface Client {
  /** Returns the status and the body. Sends a string body verbatim. */
  ask<Body = Answered>(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }>;
  /** Returns the body of a request that must succeed. */
  read<Body = Answered>(method: string, path: string, body?: unknown): Promise<Body>;
}

/** Fields of assistants API responses that tests inspect. */
interface Answered {
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
  /** Two clients with keys from different teams, and a client with the operator's key. */
  readonly mine: Client;
  readonly theirs: Client;
  readonly administrator: Client;
}

export const sealer = createSecretBox([new Secret("a secret key of at least thirty-two characters")]);

/** Extends `test` with a gateway that stores assistants in its own database, shared by all tests in a file. */
export const test = base.extend("gateway", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = database.connect("tollgate_platform");
  const db = database.connect("tollgate_gateway");
  const store = createStoredAssistants({
    turns: new StorageTurns(),
    db,
    sealer,
    limits: () => AMPLE_STORAGE,
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
