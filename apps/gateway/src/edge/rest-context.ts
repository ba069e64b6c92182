import type { Catalog } from "@tollgate/catalogue/catalogue.ts";
import type { ErrorCodeStyle } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { DatabaseState } from "@tollgate/contracts/health.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { AssistantStore } from "../assistants/assistant-store.ts";
import type { ManagedStore } from "../cache/answer-store.ts";
import type { GuardrailSet } from "../guardrails/guardrail-set.ts";
import type { HealthChecks } from "../health/health-checks.ts";
import type { Management } from "../management/management.ts";
import type { ModelLookup } from "../model-list/model-lookup.ts";
import type { KeyDirectory } from "../pipeline/authenticate.ts";
import type { InternalCallers } from "../pipeline/authenticate-internal.ts";
import type { Provider } from "../providers/provider.ts";
import type { ResponseStore } from "../responses/response-store.ts";
import type { LiveStreams } from "./live-streams.ts";

/** How this instance is, as the health routes tell it. */
export interface HealthState {
  /** `Not connected` means that no database is configured. */
  readonly database: () => Promise<DatabaseState>;
  readonly isDraining: () => boolean;
  readonly hasStarted: () => boolean;
  /** Says from now on that it leaves, and tells how many calls are under way. */
  readonly leave: () => number;
  /** Null where nothing is logged. */
  readonly logLevel: string | null;
}

/** What the operations off the fast path need from outside. */
export interface ApiContext {
  readonly current: () => { readonly settings: Settings; readonly models: ModelLookup };
  readonly keys: KeyDirectory;
  /** For what another process of this installation hands on; null when there is none. */
  readonly internalCallers: InternalCallers | null;
  readonly catalogue: Catalog;
  readonly findProvider: (name: string) => Provider | undefined;
  readonly findTeam: (id: string) => Promise<{ readonly id: string; readonly models: readonly string[] } | null>;
  /** Whether whoever made the key leads its organization, one of its teams, or the platform. */
  readonly isKeyOfLeader: (keyId: string) => Promise<boolean>;
  /** Null where assistants cannot be kept. */
  readonly assistants: AssistantStore | null;
  /** Null where responses cannot be kept. */
  readonly responses: ResponseStore | null;
  /** Null where there are no records to manage. */
  readonly management: Management | null;
  /** Those that are configured; null where calls are not looked at. */
  readonly guardrails: () => GuardrailSet | null;
  /** Where answers of earlier calls are kept; null while none are. */
  readonly keptAnswers: () => ManagedStore | null;
  readonly health: HealthState;
  readonly healthChecks: HealthChecks;
  readonly streams: LiveStreams;
  /** Why there is no time for what is only looked at; null when there is. */
  readonly refuseRead: () => Failure | null;
  /** What was counted, as text. */
  readonly writeMetrics: () => Promise<string>;
  /** What is to be watched of the books, as text; null where there is no database. */
  readonly writeBookMetrics: (() => Promise<string>) | null;
  readonly newEventId: () => string;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
  /** A bug: logged with what is known, never shown. */
  readonly onUnexpected: (error: unknown, callId: string) => void;
  readonly codeStyle: () => ErrorCodeStyle;
  /** Every operation of this gateway, for the published description. */
  readonly operations: () => readonly OperationDescription[];
}
