import type { Catalog } from "@tollgate/catalogue/catalogue.ts";
import type { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import type { CooldownListener } from "@tollgate/domain/routing/target-state.ts";
import type { ChooseProxy } from "@tollgate/runtime/outbound-proxy.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { AssistantStore } from "./assistants/assistant-store.ts";
import type { MountedHandler } from "./edge/http-server.ts";
import type { ApiContext, HealthState } from "./edge/rest-context.ts";
import type { TlsIdentity } from "./edge/tls-identity.ts";
import type { Management } from "./management/management.ts";
import type { ProcessSources } from "./metrics/write-process.ts";
import type { Accounting } from "./pipeline/account/accounting.ts";
import type { ServedModelContext } from "./pipeline/account/charge-served-model.ts";
import type { UsageRecorder } from "./pipeline/account/record-usage.ts";
import type { AnswerCache } from "./pipeline/answer/answer-cache.ts";
import type { ContentLog } from "./pipeline/answer/content-log.ts";
import type { IdempotencyClaims } from "./pipeline/answer/repeat-claims.ts";
import type { KeyDirectory } from "./pipeline/authenticate.ts";
import type { InternalCallers } from "./pipeline/authenticate-internal.ts";
import type { RefusalLog } from "./pipeline/note-refusal.ts";
import type { ResponseStore } from "./responses/response-store.ts";
import type { UtilityContext } from "./routes/utility-operation.ts";
import type { Collector } from "./telemetry/telemetry.ts";

/** What a gateway needs from outside: where keys are, who hears of usage, and how the database is. */
export interface GatewayParts {
  readonly settings: Settings;
  readonly catalogue: Catalog;
  readonly keys: KeyDirectory;
  /** Who may call for a key without its secret; null when no other process of this installation does. */
  readonly internalCallers?: InternalCallers | null;
  /** What it proves itself with to clients; null where they speak plain HTTP to it. */
  readonly tls?: TlsIdentity | null;
  /** Whoever else lives on this server; the gateway knows nothing of it. */
  readonly mounted?: MountedHandler | null;
  readonly findTeam: ApiContext["findTeam"];
  readonly isKeyOfLeader: ApiContext["isKeyOfLeader"];
  readonly accounting: Accounting;
  /** Tells other replicas which deployments rest and how busy they are; null where this process is alone. */
  readonly sharedRouting?: RoutingShare | null;
  /** Hears of each call besides; null when nobody looks. */
  readonly recorder: UsageRecorder | null;
  /** Keeps what was asked and answered, for organizations that want that. */
  readonly contents?: ContentLog | null;
  /** Hears of calls that were refused before they cost anything. */
  readonly refusals?: RefusalLog | null;
  /** Answers of earlier calls; null when none are kept. */
  readonly cache?: AnswerCache | null;
  /** Makes retries with an Idempotency-Key safe; null where nothing can be kept. */
  readonly repeats?: IdempotencyClaims | null;
  /** What other gateway processes of this instance counted, each as text. */
  readonly peerMetrics?: () => Promise<readonly string[]>;
  /** How many records of usage the ledger does not have yet. */
  readonly unsettled?: () => number;
  /** What is to be watched of the books, as text; null where there is no database. */
  readonly bookMetrics?: ApiContext["writeBookMetrics"];
  /** How much room the journal's disk has. */
  readonly journalDisk?: ProcessSources["journalDisk"];
  /** How many rows for the logs of calls are not written yet. */
  readonly logQueue?: ProcessSources["logQueue"];
  /** Until when the listener's certificate is good; absent without one. */
  readonly certificateExpiry?: ProcessSources["certificateExpiry"];
  /** How long answers were lately; nobody knows where there is no database. */
  readonly meanOutput?: UtilityContext["meanOutput"];
  /** Where responses are kept; null where nothing can be kept, or not sealed. */
  readonly responses?: ResponseStore | null;
  /** Called when a response names a model other than the one that was priced. */
  readonly onOtherModel?: ServedModelContext["onOtherModel"];
  /** A response that should have been kept was not; its caller has it all the same. */
  readonly onLostResponse?: (id: string, reason: unknown) => void;
  /** Where assistants, threads and runs are kept; null where nothing can be kept, or not sealed. */
  readonly assistants?: AssistantStore | null;
  /** Where keys, teams, spending and models are; null where there is no database. */
  readonly management?: Management | null;
  readonly database: HealthState["database"];
  readonly onUnexpected: (error: unknown, callId: string) => void;
  /** From which level on this process logs; null when it does not. */
  readonly logLevel?: string | null;
  /** Who is told of calls as the settings say; null when nobody is. */
  readonly collector?: Collector | null;
  /** Somebody asked this instance to say that it leaves: the other processes of it should, too. */
  readonly onLeaving?: () => void;
  /** The memory is nearly full: this process should end its calls and leave. */
  readonly onExhausted?: () => void;
  /** Which addresses models of the database may be at; the open internet where nobody says otherwise. */
  readonly isAllowedUpstream?: (address: string, url: URL) => boolean;
  /** Which proxy leads to an upstream; left out where none does. */
  readonly chooseProxy?: ChooseProxy;
  /** A model of the database that cannot be served. */
  readonly onUnusableModel?: (name: string, reason: unknown) => void;
}

/** Shares what the router knows with other replicas. */
export interface RoutingShare extends CooldownListener {
  start(states: RouteStates): void;
  close(): void;
}
