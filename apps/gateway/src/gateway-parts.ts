import type { Catalog } from "@tollgate/catalog/catalog.ts";
import type { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import type { SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import type { CooldownListener } from "@tollgate/domain/routing/target-state.ts";
import type { ChooseProxy } from "@tollgate/runtime/outbound-proxy.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Accounting, ContentLog } from "./accounting/accounting.ts";
import type { ServedModelContext, UsageRecorder } from "./accounting/record-usage.ts";
import type { AssistantStore } from "./assistants/assistant-store.ts";
import type { OnRunStreams } from "./assistants/run-listeners.ts";
import type { AnswerStoreSource } from "./cache/response-cache.ts";
import type { IdempotencyClaims } from "./call/idempotency-claims.ts";
import type { ApiContext, HealthState } from "./http/api-context.ts";
import type { PageOperation } from "./http/api-operation.ts";
import type { MountedHandler } from "./http/mounted-handler.ts";
import type { UtilityContext } from "./http/routes/utility-operation.ts";
import type { TlsIdentity } from "./http/tls-identity.ts";
import type { ProcessSources } from "./metrics/write-process.ts";
import type { InternalCallers, KeyDirectory } from "./pipeline/authenticate.ts";
import type { UnadmittedCallLog } from "./pipeline/log-unadmitted.ts";
import type { ResponseStore } from "./responses/response-store.ts";
import type { Collector } from "./telemetry/collector.ts";

/** External dependencies of a gateway: key directory, usage recording, database state, and so on. */
export interface GatewayParts {
  readonly settings: Settings;
  readonly catalog: Catalog;
  readonly keys: KeyDirectory;
  /** Internal processes that can make calls on behalf of a key without its secret; null if there are none. */
  readonly internalCallers?: InternalCallers | null;
  /** TLS identity for clients; null for plain HTTP. */
  readonly tls?: TlsIdentity | null;
  /** Handler for other applications mounted on this server. */
  readonly mounted?: MountedHandler | null;
  /** False without the platform, which serves the documentation. A link to this server's host would be dead then. */
  readonly servesDocs?: boolean;
  readonly findTeam: ApiContext["findTeam"];
  readonly isKeyOfLeader: ApiContext["isKeyOfLeader"];
  readonly isKeyOfTeamMember: ApiContext["isKeyOfTeamMember"];
  readonly accounting: Accounting;
  /** Shares cooldowns, load, and the deployments of sessions with other replicas; null if routing state isn't shared. */
  readonly sharedRouting?: RoutingShare | null;
  /** Receives a record of each call for display; null if calls aren't displayed. */
  readonly recorder: UsageRecorder | null;
  /** Stores request and response contents for organizations that enable content storage. */
  readonly contents?: ContentLog | null;
  /** Records calls that ended before they had an account. */
  readonly unadmitted?: UnadmittedCallLog | null;
  /** Opens the store of the response cache; null if responses can't be cached. */
  readonly answers?: AnswerStoreSource | null;
  /** Makes retries with an Idempotency-Key safe; null without storage. */
  readonly repeats?: IdempotencyClaims | null;
  /** Returns the metrics text from each of this instance's other gateway processes. */
  readonly peerMetrics?: () => Promise<readonly string[]>;
  /** Returns the number of usage records that are not in the ledger yet. */
  readonly unsettled?: () => number;
  /** Writes the ledger metrics as text; null without a database. */
  readonly bookMetrics?: ApiContext["writeBookMetrics"];
  /** Free space on the journal's disk. */
  readonly journalDisk?: ProcessSources["journalDisk"];
  /** Number of call log rows that are not written yet. */
  readonly logQueue?: ProcessSources["logQueue"];
  /** Expiry of the listener's certificate; absent without a certificate. */
  readonly certificateExpiry?: ProcessSources["certificateExpiry"];
  /** Mean length of recent outputs; absent without a database. */
  readonly meanOutput?: UtilityContext["meanOutput"];
  /** Stores responses; null without a database or an encryption key. */
  readonly responses?: ResponseStore | null;
  /** Called when a response names a model other than the one that was priced. */
  readonly onOtherModel?: ServedModelContext["onOtherModel"];
  /** Called when a response could not be stored. The client has still received the response. */
  readonly onLostResponse?: (id: string, reason: unknown) => void;
  /** Stores assistants, threads, and runs; null without a database or an encryption key. */
  readonly assistants?: AssistantStore | null;
  /** Called when a stream of run events opens or closes; absent if no other process shows them. */
  readonly onRunStreams?: OnRunStreams;
  /** Operations on keys, teams, spend, and models, which another app implements; absent if there are none. */
  readonly managementOperations?: readonly PageOperation[];
  readonly database: HealthState["database"];
  readonly onUnexpected: (error: unknown, callId: string) => void;
  /** Minimum log level of this process; null if it does not log. */
  readonly logLevel?: string | null;
  /** Telemetry collector from the settings; null if no collector is configured. */
  readonly collector?: Collector | null;
  /** Called when this instance must announce its shutdown, so that its other processes do the same. */
  readonly onLeaving?: () => void;
  /** Called when memory is nearly exhausted. This process should finish its calls and exit. */
  readonly onExhausted?: () => void;
  /** Reports whether a model from the database may use an upstream address. Defaults to public addresses only. */
  readonly isAllowedUpstream?: (address: string, url: URL) => boolean;
  /** Chooses the proxy for an upstream; absent if no proxy is configured. */
  readonly chooseProxy?: ChooseProxy;
  /** Called for a model from the database that cannot be served. */
  readonly onUnusableModel?: (name: string, reason: unknown) => void;
}

/** Shares routing state with other replicas. */
interface RoutingShare extends CooldownListener {
  start(states: RouteStates, pins: SessionPins): void;
  /** Called when a call enters and no other call is in flight. */
  wake(): void;
  close(): void;
}
