import { type ManagementOperationDescription, SMALL_BODY } from "@tollgate/contracts/management/operation.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Static, TSchema } from "typebox";
import type { Caller, Origin } from "./caller.ts";
import type { Services } from "./services.ts";

/** A handler's response. The body is serialized with the schema for its status. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Content to send instead of `body`: text with a different content type, bytes, or a stream. */
  readonly raw?: { readonly contentType: string; readonly content: string | Buffer | AsyncIterable<Buffer | string> };
  /**
   * Body to store for replays with the same idempotency key. It omits the secrets in `body`, which are never stored.
   */
  readonly replayBody?: unknown;
}

interface Input<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly origin: Origin;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The unparsed body, for signature checks. */
  readonly rawBody: Buffer;
  /** The unparsed query with its question mark, for forwarding; empty if there is no query. */
  readonly search: string;
  /** Signal that is aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** A request from a signed-in user. */
export interface SignedInInput<Params, Query, Body> extends Input<Params, Query, Body> {
  readonly caller: Caller;
}

/** A request within an organization, whose transaction sees only that organization's rows. */
interface OrganizationInput<Params, Query, Body> extends SignedInInput<Params, Query, Body> {
  readonly caller: Caller & { readonly organization: NonNullable<Caller["organization"]> };
}

/**
 * Rows that the operation's transaction can see:
 * - `organization`: rows of the caller's active organization, which is required
 * - `user`: the caller's rows in all organizations
 * - `administrator`: all rows; requires `auth: administrator`
 * - `own`: no transaction. The handler opens transactions itself, because it does slow work outside them or has no
 *   caller yet.
 */
type Scope = "organization" | "user" | "administrator" | "own";

type Handler<S extends Scope, Auth extends string, Params, Query, Body> = S extends "organization"
  ? (
      input: OrganizationInput<Params, Query, Body>,
      transaction: TenantTransaction,
      services: Services,
    ) => Promise<Answer>
  : S extends "own"
    ? (
        input: Auth extends "none" | "signature" ? Input<Params, Query, Body> : SignedInInput<Params, Query, Body>,
        services: Services,
      ) => Promise<Answer>
    : (
        input: SignedInInput<Params, Query, Body>,
        transaction: TenantTransaction,
        services: Services,
      ) => Promise<Answer>;

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : Record<string, never>;

/** An operation in the table, without its schema types. */
export interface ManagementOperation extends ManagementOperationDescription {
  readonly scope: Scope;
  readonly before?: (...args: never[]) => Promise<void>;
  readonly handle: (...args: never[]) => Promise<Answer>;
}

/** Declares an operation. The handler's types come from the operation's schemas. */
export function operation<
  const S extends Scope,
  const Auth extends ManagementOperationDescription["auth"],
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  described: Omit<ManagementOperationDescription, "auth" | "paths" | "params" | "query" | "body"> & {
    readonly auth: Auth;
    readonly scope: S;
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    /** Runs checks that wait for external services, such as DNS, before the transaction takes a connection. */
    readonly before?: (
      input: SignedInInput<StaticOf<Params>, StaticOf<Query>, StaticOf<Body>>,
      services: Services,
    ) => Promise<void>;
    readonly handle: Handler<S, Auth, StaticOf<Params>, StaticOf<Query>, StaticOf<Body>>;
  },
): ManagementOperation {
  return { ...described, paths: [described.path] } as unknown as ManagementOperation;
}

/** Default values for a read operation, to spread into its declaration. */
export const read = {
  method: "GET",
  rate: "read",
  idempotency: "none",
  recentAuthentication: false,
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
} as const;

/** Default values for a write operation. */
export const write = {
  method: "POST",
  rate: "write",
  idempotency: "honored",
  recentAuthentication: false,
  bodyLimitBytes: SMALL_BODY,
  timeoutMs: 10_000,
} as const;
