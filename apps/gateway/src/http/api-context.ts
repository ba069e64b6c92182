import type { Catalog } from "@tollgate/catalog/catalog.ts";
import type { ErrorCodeStyle } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { DatabaseState } from "@tollgate/contracts/health.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { AssistantStore } from "../assistants/assistant-store.ts";
import type { RunListeners } from "../assistants/run-listeners.ts";
import type { ManagedStore } from "../cache/answer-store.ts";
import type { Provider } from "../call/provider.ts";
import type { GuardrailSet } from "../guardrails/guardrail-set.ts";
import type { HealthChecks } from "../health/health-checks.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import type { InternalCallers, KeyDirectory } from "../pipeline/authenticate.ts";
import type { ResponseStore } from "../responses/response-store.ts";
import type { LiveStreams } from "./live-streams.ts";

/** State of this instance for the health routes. */
export interface HealthState {
  /** `Not connected` means that no database is configured. */
  readonly database: () => Promise<DatabaseState>;
  readonly isDraining: () => boolean;
  readonly hasStarted: () => boolean;
  /** Announces the shutdown and returns the number of calls in progress. */
  readonly leave: () => number;
  /** Null if logging is off. */
  readonly logLevel: string | null;
}

/** Dependencies of the operations off the fast path. */
export interface ApiContext {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly keys: KeyDirectory;
  /** Authenticates requests from other processes of this Tollgate instance; null if there are no other processes. */
  readonly internalCallers: InternalCallers | null;
  readonly catalog: Catalog;
  readonly findProvider: (name: string) => Provider | undefined;
  readonly findTeam: (id: string) => Promise<{ readonly id: string; readonly models: readonly string[] } | null>;
  /**
   * Reports whether the key's creator is an administrator of the key's organization, of one of its teams, or of the
   * platform.
   */
  readonly isKeyOfLeader: (keyId: string) => Promise<boolean>;
  /** Reports whether the key's creator is a member of the team, or an administrator of the team's organization. */
  readonly isKeyOfTeamMember: (keyId: string, teamId: string) => Promise<boolean>;
  /** Null if assistants can't be stored. */
  readonly assistants: AssistantStore | null;
  /** Null if responses can't be stored. */
  readonly responses: ResponseStore | null;
  /** The configured guardrails; null if there are none. */
  readonly guardrails: () => GuardrailSet | null;
  /** Response cache store; null while caching is off. */
  readonly keptAnswers: () => ManagedStore | null;
  readonly health: HealthState;
  readonly healthChecks: HealthChecks;
  readonly streams: LiveStreams;
  /** Open streams of run events. */
  readonly listeners: RunListeners;
  /** Returns the refusal for read requests under overload; otherwise null. */
  readonly refuseRead: () => Failure | null;
  /** Returns the metrics as text. */
  readonly writeMetrics: () => Promise<string>;
  /** Returns the ledger metrics as text; null without a database. */
  readonly writeBookMetrics: (() => Promise<string>) | null;
  readonly newEventId: () => string;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
  /**
   * Called for an unexpected error, which is a bug. The error is logged with its context and never sent to a client.
   */
  readonly onUnexpected: (error: unknown, callId: string) => void;
  readonly codeStyle: () => ErrorCodeStyle;
  /** Returns the URL of the documentation on a host; a path if the host is null. */
  readonly docsUrl: (host: string | null) => string;
  /** All operations of this gateway, for the API description. */
  readonly operations: () => readonly OperationDescription[];
}
