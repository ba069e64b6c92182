import { randomUUID } from "node:crypto";
import { createClient } from "@redis/client";
import { readEnginePorts } from "./engine-ports.ts";

/** A logical Redis database for exclusive use, initially empty. */
interface TestRedis {
  readonly url: string;
  readonly database: number;
  readonly client: Awaited<ReturnType<typeof openClient>>;
  release(): Promise<void>;
}

const DATABASE_COUNT = 256;
// Lifetime of a claim. When it expires, the database of a killed test run becomes available again.
const CLAIM_LIMIT_MS = 15 * 60_000;

/** Claims a database. The test worker's number can't identify a database, because two test runs can share a machine. */
export async function claimRedisDatabase(): Promise<TestRedis> {
  const origin = `redis://127.0.0.1:${readEnginePorts().redis}`;
  const registry = await openClient(`${origin}/0`);
  const owner = randomUUID();
  for (let database = 1; database < DATABASE_COUNT; database += 1) {
    const claim = `claim:${database}`;
    const isOurs = await registry.set(claim, owner, {
      condition: "NX",
      expiration: { type: "PX", value: CLAIM_LIMIT_MS },
    });
    if (isOurs === null) continue;
    const url = `${origin}/${database}`;
    const client = await openClient(url);
    await client.flushDb();
    return {
      url,
      database,
      client,
      release: async () => {
        await client.flushDb();
        await client.close();
        if ((await registry.get(claim)) === owner) await registry.del(claim);
        await registry.close();
      },
    };
  }
  throw new Error(`all ${DATABASE_COUNT - 1} Redis databases are in use`);
}

function openClient(url: string) {
  return createClient({ url }).connect();
}
