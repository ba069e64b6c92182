import type { StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import type { AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { ServerEnvironment } from "@tollgate/runtime/environment.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import type { AssistantsSettings, Settings } from "@tollgate/runtime/settings/settings.ts";
import { storageLimitsOf } from "@tollgate/runtime/settings/storage-limits.ts";

/** The part of the environment that a worker needs. */
export interface WorkerStart {
  readonly connectionString: string;
  readonly natsUrl: string | null;
  readonly reclaimAfterSeconds: number;
  /** URL of a gateway for Assistants runs; null if none is known. */
  readonly gatewayUrl: string | null;
  /** Empty if no secret key is configured. */
  readonly secretKeys: readonly Secret[];
  readonly caFile: string | null;
  readonly logLevel: string;
}

/** The part of the settings that a worker needs. It changes when the settings are reloaded. */
export interface WorkerSettings {
  readonly platform: PlatformSettings;
  readonly admission: AdmissionRule;
  readonly assistants: Pick<AssistantsSettings, "slots" | "organizationWeights" | "retentionDays">;
  readonly storageLimits: StorageLimits;
  readonly general: Pick<Settings["general"], "allowedHosts">;
  /** The gateways' TLS certificate; null if they don't use TLS. */
  readonly gatewayCertificate: string | null;
}

export function readWorkerStart(environment: ServerEnvironment, secretKeys: readonly Secret[]): WorkerStart {
  return {
    connectionString: environment.DATABASE_URL as string,
    natsUrl: environment.NATS_URL ?? null,
    reclaimAfterSeconds: environment.TOLLGATE_LEASE_RECLAIM_AFTER,
    gatewayUrl: environment.TOLLGATE_GATEWAY_URL ?? null,
    secretKeys,
    caFile: environment.TOLLGATE_CA_FILE ?? null,
    logLevel: environment.TOLLGATE_LOG_LEVEL,
  };
}

export function readWorkerSettings(
  { platform, billing, assistants, general }: Settings,
  gatewayCertificate: string | null,
): WorkerSettings {
  return {
    platform,
    admission: billing.admission,
    assistants: {
      slots: assistants.slots,
      organizationWeights: assistants.organizationWeights,
      retentionDays: assistants.retentionDays,
    },
    storageLimits: storageLimitsOf({ assistants, billing }),
    general: { allowedHosts: general.allowedHosts },
    gatewayCertificate,
  };
}
