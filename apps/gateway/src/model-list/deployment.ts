import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { GroupMember } from "@tollgate/domain/routing/resolve-model.ts";
import type { RouteTarget } from "@tollgate/domain/routing/route-types.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { UnknownParams } from "@tollgate/runtime/settings/settings.ts";
import type { OperationName } from "../operations/operation-kind.ts";
import type { PreparedTarget, Provider, Translation, Transport, UpstreamTarget } from "../providers/provider.ts";
import type { FieldRules } from "../providers/request-fields.ts";
import type { ModelFacts } from "./model-facts.ts";

/** An operation as a deployment offers it. */
export interface OfferedOperation {
  readonly translation: Translation;
  readonly supportedParams: ReadonlySet<string>;
  /** Nothing has to be left out or refused for it, so calls need not be looked through. */
  readonly takesEveryParam: boolean;
  /** What the fields of a request can do to the provider's bill. */
  readonly fieldRules: FieldRules;
  /** The same of `extra_body`, whose fields are merged into what is sent: that may be another operation's request. */
  readonly extraRules: FieldRules;
}

/**
 * `finish` reads the response to its end, so that its usage is known. `abort` stops the upstream. `abort_streams` stops
 * streams only: nothing of a response that is not streamed can be counted, and the provider may well finish it.
 */
export type DisconnectPolicy = "finish" | "abort" | "abort_streams";

/** One way to serve a group: an upstream model behind an address and a credential. */
export interface Deployment extends GroupMember, UpstreamTarget, RouteTarget {
  readonly id: string;
  /** The same as a header may hold it. */
  readonly headerId: string;
  readonly groupName: string;
  readonly provider: Provider;
  readonly transport: Transport;
  /** `<provider>/<model>`; a pattern's model has stars that each call fills in. */
  readonly model: string;
  readonly upstreamModel: string;
  /** The same as JSON bytes, and the headers of every call, made once because each call sends them. */
  readonly prepared: PreparedTarget;
  readonly apiBase: string | null;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
  /** Null means unpriced, which is not the same as free. */
  readonly price: Price | null;
  /** What the ledger knows the price by; null with it. */
  readonly priceVersionId: string | null;
  readonly facts: ModelFacts;
  readonly isFromDatabase: boolean;
  readonly accessGroups: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly streamTimeoutSeconds: number | null;
  /** What becomes of an upstream response after the client has disconnected. */
  readonly onDisconnect: DisconnectPolicy;
  /** Whether parameters the model does not support are left out instead of refused. */
  readonly dropsParams: boolean;
  /** What it can be asked for. */
  readonly offers: Readonly<Partial<Record<OperationName, OfferedOperation>>>;
  readonly allowedParams: readonly string[];
  readonly additionalDropParams: readonly string[];
  /** What becomes of fields and headers that are not on the provider's lists. */
  readonly unknownParams: UnknownParams;
  /** Fields that the operator lets callers send besides those lists; `tools.<type>` is a tool. */
  readonly allowedFields: ReadonlySet<string>;
  /** Headers likewise, in lower case. */
  readonly allowedHeaders: ReadonlySet<string>;
  /** The model that a health check of a pattern calls; a pattern without one is not checked. */
  readonly healthCheckModel: string | null;
  readonly healthCheckTimeoutSeconds: number | null;
  /** The parameters as configured, without secrets: what `/model/info` prints. */
  readonly shownParams: Readonly<Record<string, unknown>>;
  readonly shownInfo: Readonly<Record<string, unknown>>;
}
