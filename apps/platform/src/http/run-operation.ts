import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  saveIdempotentResponse,
} from "@tollgate/db/idempotency/replay.ts";
import { runAsAdministrator, runAsUser, runInOrganization, type TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Caller } from "../caller.ts";
import type { Answer, ManagementOperation } from "../operation.ts";
import type { Services } from "../services.ts";

/** A response, or the text of a replayed response. */
export type Outcome = Answer | { readonly status: number; readonly replayed: string };

interface OperationInput {
  readonly caller: Caller | null;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody: Buffer;
}

type Work = (transaction: TenantTransaction) => Promise<Outcome>;

/**
 * Runs an operation in one transaction. With an idempotency key, the response is stored in the same transaction, so
 * that a retry replays a completed operation and repeats an incomplete one.
 */
export async function runOperation(
  operation: ManagementOperation,
  input: OperationInput,
  path: string,
  services: Services,
): Promise<Outcome> {
  const key = readKey(operation, input);
  const handle = operation.handle as unknown as (...args: unknown[]) => Promise<Answer>;
  if (operation.scope === "own") return handle(input, services);
  const before = operation.before as ((...args: unknown[]) => Promise<void>) | undefined;
  await before?.(input, services);
  const caller = input.caller as Caller;
  const run = (transaction: TenantTransaction) => handle(input, transaction, services);
  if (key === null) return transact(operation, caller, services, run);
  const request: IdempotentRequest = {
    userId: caller.userId,
    method: operation.method,
    path,
    key,
    bodyDigest: digestRequest(operation, caller, input.rawBody),
    now: services.now(),
  };
  return transact(operation, caller, services, async (transaction) => {
    const replay = await claimIdempotencyKey(transaction, request);
    if (replay.kind === "replay") return { status: replay.status, replayed: replay.body };
    if (replay.kind !== "first") throw refuseReuse(replay.kind);
    const answer = await run(transaction);
    // A refused request had no effect, so the client may retry it.
    if (answer.status < 400)
      await saveIdempotentResponse(transaction, request, {
        status: answer.status,
        body: toKeptText(operation, answer),
      });
    return answer;
  });
}

/** Hashes the request including its organization, so that a response is never replayed in a different organization. */
function digestRequest(operation: ManagementOperation, caller: Caller, rawBody: Buffer): Buffer {
  const organizationId = operation.scope === "organization" ? (caller.organization?.id ?? "") : "";
  return createHash("sha256").update(`${organizationId}\n`).update(rawBody).digest();
}

/** Serializes the body of a response with the schema for its status. */
export function toText(operation: ManagementOperation, answer: Answer, body: unknown = answer.body): string {
  const schema = operation.answers[answer.status]?.schema;
  return schema === undefined || body === undefined ? "" : writeAnswer(schema, body);
}

function toKeptText(operation: ManagementOperation, answer: Answer): string {
  return toText(operation, answer, answer.replayBody ?? answer.body);
}

function transact(operation: ManagementOperation, caller: Caller, services: Services, work: Work): Promise<Outcome> {
  const { db } = services;
  if (operation.scope === "administrator") return runAsAdministrator(db, work, caller.userId);
  if (operation.scope === "user") return runAsUser(db, caller.userId, work);
  if (caller.organization === null) {
    throw new Failure(
      "NO_ACTIVE_ORGANIZATION",
      "You are not a member of any organization. Create one, or ask for an invitation.",
    );
  }
  return runInOrganization(db, caller.organization.id, work, caller.userId);
}

/** Returns the request's idempotency key, if the operation accepts one. */
function readKey(operation: ManagementOperation, input: OperationInput): string | null {
  if (operation.idempotency === "none") return null;
  const sent = input.headers["idempotency-key"];
  if (sent === undefined) {
    if (operation.idempotency === "honored") return null;
    throw new Failure(
      "IDEMPOTENCY_KEY_REQUIRED",
      "The Idempotency-Key header is required so that a retry never moves money twice.",
    );
  }
  if (typeof sent !== "string" || sent.length < 1 || sent.length > 255) {
    throw new Failure("INVALID_FIELD", "Idempotency-Key must have 1 to 255 characters.", {
      publicDetails: { fields: { "Idempotency-Key": "length" } },
    });
  }
  return sent;
}

function refuseReuse(kind: "other_body" | "in_progress"): Failure {
  if (kind === "other_body") {
    return new Failure(
      "IDEMPOTENCY_KEY_REUSED",
      "This Idempotency-Key was already used with a different request body.",
    );
  }
  return new Failure("IDEMPOTENCY_IN_PROGRESS", "The first request with this Idempotency-Key is still in progress.", {
    retryAfterMs: 1_000,
  });
}
