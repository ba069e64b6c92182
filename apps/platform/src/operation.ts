import { type ManagementOperationDescription, SMALL_BODY } from "@tollgate/contracts/management/operation.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { Static, TSchema } from "typebox";
import type { Caller, Origin } from "./caller.ts";
import type { Services } from "./services.ts";

/** What a handler answers. The body is written by the schema of its status. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** In place of a body: text of another type, bytes, or a stream. */
  readonly raw?: { readonly contentType: string; readonly content: string | Buffer | AsyncIterable<Buffer | string> };
  /** What a replay of the same idempotency key answers instead: a secret is never stored. */
  readonly replayBody?: unknown;
}

interface Input<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly origin: Origin;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it came, for signatures. */
  readonly rawBody: Buffer;
  /** The query as it came, with its question mark, for whoever hands it on; empty without one. */
  readonly search: string;
  /** Ends when the client has gone. */
  readonly signal: AbortSignal;
}

/** A request by somebody who is signed in. */
export interface SignedInInput<Params, Query, Body> extends Input<Params, Query, Body> {
  readonly caller: Caller;
}

/** The same inside an organization: the transaction sees that organization's rows and no others. */
export interface OrganizationInput<Params, Query, Body> extends SignedInInput<Params, Query, Body> {
  readonly caller: Caller & { readonly organization: NonNullable<Caller["organization"]> };
}

/**
 * Whose rows the operation's one transaction sees:
 * - `organization`: those of the caller's active organization; there must be one
 * - `user`: the caller's own, across organizations
 * - `administrator`: everything; for `auth: administrator` only
 * - `own`: it opens its transactions itself, because it must do slow work outside of them or acts for nobody yet
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

/** An operation as the table holds it, its types forgotten. */
export interface ManagementOperation extends ManagementOperationDescription {
  readonly scope: Scope;
  readonly before?: (...args: never[]) => Promise<void>;
  readonly handle: (...args: never[]) => Promise<Answer>;
}

/** Declares an operation; its handler sees the types of its schemas. */
export function operation<
  const S extends Scope,
  const Auth extends ManagementOperationDescription["auth"],
  Params extends TSchema | undefined = undefined,
  Query extends TSchema | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(
  described: Omit<ManagementOperationDescription, "auth" | "params" | "query" | "body"> & {
    readonly auth: Auth;
    readonly scope: S;
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    /** Checks that wait for somebody else, such as a name server: made before the transaction holds a connection. */
    readonly before?: (
      input: SignedInInput<StaticOf<Params>, StaticOf<Query>, StaticOf<Body>>,
      services: Services,
    ) => Promise<void>;
    readonly handle: Handler<S, Auth, StaticOf<Params>, StaticOf<Query>, StaticOf<Body>>;
  },
): ManagementOperation {
  return described as unknown as ManagementOperation;
}

/** The usual values of a read, to be spread into its declaration. */
export const read = {
  method: "GET",
  rate: "read",
  idempotency: "none",
  recentAuthentication: false,
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
} as const;

/** The usual values of a change. */
export const write = {
  method: "POST",
  rate: "write",
  idempotency: "honoured",
  recentAuthentication: false,
  bodyLimitBytes: SMALL_BODY,
  timeoutMs: 10_000,
} as const;
