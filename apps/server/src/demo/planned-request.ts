import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { DemoKey } from "./demo-cast.ts";
import type { DemoModel } from "./demo-models.ts";
import type { PlannedRefusal } from "./plan-refusal.ts";

/** A request that reached a model. */
export interface PlannedCall {
  readonly kind: "call";
  readonly id: string;
  readonly atMs: number;
  readonly key: DemoKey;
  /** Model that served the request, or that was tried last. */
  readonly model: DemoModel;
  /** The requested model, if another one served the request. */
  readonly fallbackFrom: string | null;
  readonly isStream: boolean;
  readonly status: "success" | "failure" | "client_disconnect";
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  readonly attempts: number;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  readonly gatewayBeforeUs: number;
  readonly queueUs: number;
  readonly failedUs: number;
  readonly gatewayAfterUs: number;
  readonly endUser: string | null;
  /** The session that the agent names; null for other programs. */
  readonly session: string | null;
}

export type PlannedRequest = PlannedCall | PlannedRefusal;
