import { randomBytes } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { insertWebhook } from "@tollgate/db/webhooks/manage-webhooks.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { LOOPBACK_TARGETS } from "@tollgate/domain/network/allowed-target.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { makeWebhookSecret } from "@tollgate/domain/webhooks/sign-webhook.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { createSecretBox, type SecretBox } from "@tollgate/runtime/secret-box.ts";
import { defaultPlatformSettings, type PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { startWorker, type Worker } from "../start-worker.ts";
import type { JobContext } from "./job-context.ts";

/** A worker that runs background jobs on a real database, with helpers that create jobs. */
interface TestJobs {
  readonly secretKey: string;
  readonly secrets: SecretBox;
  /** Context for running a single job directly. */
  readonly context: JobContext;
  readonly errors: readonly string[];
  ask<Row>(text: string): Promise<Row[]>;
  start(): Worker;
  /** Adds an owner with an email address and an organization. */
  addOwner(options?: { readonly credit?: bigint }): Promise<Tenant & { readonly email: string }>;
  addWebhook(tenant: Tenant, url: string, events: readonly string[]): Promise<{ id: string; secret: string }>;
  addEvent(tenant: Tenant, type: string, data?: object): Promise<void>;
  /** Makes every scheduled job due now. */
  hurry(): Promise<void>;
  /** Resolves when no job is pending or in progress. */
  allDone(): Promise<unknown>;
}

export function openJobs(database: TestDatabase, settings: Partial<PlatformSettings> = {}): TestJobs {
  const secretKey = randomBytes(32).toString("hex");
  const secrets = createSecretBox([new Secret(secretKey)]);
  const current: PlatformSettings = {
    ...defaultPlatformSettings,
    outboundAllow: LOOPBACK_TARGETS,
    ...settings,
  };
  const platform = database.connect("tollgate_platform");
  const errors: string[] = [];
  const logger: Logger = { info: () => {}, warn: () => {}, error: (message) => errors.push(message) };
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  const db = database.connect("tollgate_worker");
  return {
    secretKey,
    secrets,
    context: {
      db,
      patientDb: db,
      settings: () => current,
      secrets,
      payments: null,
      verify: {},
      logger,
      now: () => new Date(),
    },
    errors,
    ask,
    start: () =>
      startWorker({
        connectionString: database.connectionString,
        natsUrl: null,
        platform: { settings: () => current, secretKeys: [new Secret(secretKey)] },
        logger,
      }),
    addOwner: async ({ credit = 0n } = {}) => {
      const tenant = await addTenant(platform, { credit });
      const email = `owner-${randomBytes(4).toString("hex")}@example.org`;
      await runAsAdministrator(platform, async (transaction) => {
        const { id } = await transaction
          .insertInto("users")
          .values({ email, name: "Owner" })
          .returning("id")
          .executeTakeFirstOrThrow();
        await transaction
          .updateTable("organizations")
          .set({ owner_id: id })
          .where("id", "=", tenant.organizationId)
          .execute();
        await writeAudit(transaction, {
          organizationId: null,
          actor: { type: "system", id: null },
          action: "user.signed_up",
          target: { type: "user", id: String(id) },
          after: { role: "user" },
        });
      });
      return { ...tenant, email };
    },
    addWebhook: async ({ organizationId }, url, events) => {
      const id = makePrefixedId("whk", Date.now());
      const secret = makeWebhookSecret();
      const [owner] = await ask<{ owner_id: number }>(
        `select owner_id from organizations where id = '${organizationId}'`,
      );
      await runAsAdministrator(platform, (transaction) =>
        insertWebhook(
          transaction,
          {
            id,
            organizationId,
            url,
            events,
            secret: secrets.seal(secret, `webhook:${id}`),
            createdBy: owner?.owner_id as number,
            createdAt: new Date(),
          },
          10,
        ),
      );
      return { id, secret };
    },
    addEvent: async ({ organizationId }, type, data = {}) => {
      await ask(
        `insert into outbox (organization_id, type, data) values ('${organizationId}', '${type}', '${JSON.stringify(data)}')`,
      );
    },
    hurry: async () => {
      await ask(`update graphile_worker._private_jobs set run_at = now() where run_at > now();
        select pg_notify('jobs:insert', '{"r":1,"count":3}')`);
    },
    allDone: () => {
      const isDone = async () => {
        const [row] = await ask<{ left: string }>("select count(*) as left from graphile_worker.jobs");
        return row?.left === "0";
      };
      return waitFor("every job to be done", isDone);
    },
  };
}

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  readonly body: string;
}

/** A webhook receiver on a real socket whose response tests can configure. */
interface Receiver {
  readonly url: string;
  readonly messages: readonly ReceivedMessage[];
  answer: { status: number; headers?: Record<string, string>; body?: string; isEndless?: boolean } | "nothing";
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const messages: ReceivedMessage[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    messages.push({ headers: request.headers, path: request.url ?? "", body });
    if (receiver.answer === "nothing") return;
    response.writeHead(receiver.answer.status, receiver.answer.headers);
    if (receiver.answer.isEndless) response.write("x");
    else response.end(receiver.answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    answer: { status: 204 },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
