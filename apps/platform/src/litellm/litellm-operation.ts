import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ModelServices } from "./manage-models.ts";
import { type ManagementParts, type Manager, type OwnerContext, runAsKeyCreator } from "./run-as-key-creator.ts";

/** The key behind a call. The gateway authenticates and admits it before the operation runs. */
export interface KeyCaller {
  readonly keyId: string;
  readonly userId: string | null;
  readonly teamId: string | null;
  readonly organizationId: string | null;
  /** Paths and operation groups that the key may use; null means the inference and information groups. */
  readonly allowedRoutes: readonly string[] | null;
}

interface LitellmInput<Query, Body> {
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly caller: KeyCaller;
  readonly callId: string;
}

/** State of the gateway that serves the operations. */
interface ServingGateway {
  readonly current: () => { readonly settings: Settings; readonly models: ServedModels };
  /** All operations of the gateway. */
  readonly operations: () => readonly OperationDescription[];
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
}

interface ServedModels {
  readonly list: { readonly groups: { readonly byId: ReadonlyMap<string, { readonly isFromDatabase: boolean }> } };
}

/** Dependencies of the operations. */
export interface LitellmServices extends ManagementParts {
  /** Separate connections for reports, so that they never delay other operations. */
  readonly reportDb: Database;
  readonly models: ModelServices;
}

export interface LitellmContext extends ServingGateway {
  readonly services: LitellmServices;
}

export interface LitellmAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

/** One of LiteLLM's management calls: parses the request, applies the platform's rule, and renders the response. */
export interface LitellmOperation<Query = unknown, Body = unknown> extends OperationDescription {
  readonly auth: "key";
  handle(input: LitellmInput<Query, Body>, context: LitellmContext): LitellmAnswer | Promise<LitellmAnswer>;
}

/** An operation that a gateway can serve. */
export interface MountedOperation extends OperationDescription {
  readonly auth: "key";
  handle(input: LitellmInput<unknown, unknown>, gateway: ServingGateway): LitellmAnswer | Promise<LitellmAnswer>;
}

export function answerJson(value: unknown): LitellmAnswer {
  return { status: 200, headers: { "content-type": "application/json" }, content: Buffer.from(JSON.stringify(value)) };
}

/** Runs work with the permissions of the creator of the caller's key. */
export function runFor<T>(
  { caller, callId }: Pick<LitellmInput<unknown, unknown>, "caller" | "callId">,
  { services }: LitellmContext,
  work: (acting: OwnerContext) => Promise<T>,
): Promise<T> {
  return runAsKeyCreator(services, managerOf(caller, callId), work);
}

/** Like `runFor`, with the connections for reports. */
export function runReportFor<T>(
  { caller, callId }: Pick<LitellmInput<unknown, unknown>, "caller" | "callId">,
  { services }: LitellmContext,
  work: (acting: OwnerContext) => Promise<T>,
): Promise<T> {
  return runAsKeyCreator({ ...services, db: services.reportDb }, managerOf(caller, callId), work);
}

/** Returns the manager behind a caller's key. */
export function managerOf(caller: KeyCaller, requestId: string): Manager {
  const { keyId, userId, teamId, organizationId, allowedRoutes } = caller;
  const isMaster = keyId === MASTER_KEY_ID;
  return {
    keyId,
    isMaster,
    userId: isMaster || userId === null ? null : Number(userId),
    teamId,
    organizationId,
    allowedRoutes,
    requestId,
  };
}
