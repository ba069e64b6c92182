import { connect } from "@tollgate/db/connect.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { createDatabaseSigningKeys } from "@tollgate/platform/adapters/database-signing-keys.ts";
import { createGatewayCaller } from "@tollgate/platform/adapters/http-gateway-caller.ts";
import { createTokenIssuer } from "@tollgate/platform/adapters/jose-token-issuer.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { ModelCaller } from "@tollgate/worker/runs/model-caller.ts";

interface ModelCallerStart {
  readonly settings: () => Pick<Settings, "platform"> & { readonly general: Pick<Settings["general"], "allowedHosts"> };
  readonly connectionString: string;
  /** Secret keys. The first key encrypts and decrypts; all other keys only decrypt. */
  readonly secretKeys: readonly Secret[];
  /** Returns the URL of one of this instance's gateways. Called for each request. */
  readonly gatewayUrl: () => string;
  /** Returns the gateways' TLS certificate; omitted if they don't use TLS. */
  readonly gatewayCertificate?: () => string | null;
}

export interface OpenModelCaller extends ModelCaller {
  close(): Promise<void>;
}

// One connection is enough, because the signing keys are read once a minute.
const POOL_SIZE = 1;

/** Creates a worker's model caller, which uses one internal token per gateway call. */
export function openModelCaller(start: ModelCallerStart): OpenModelCaller {
  const db = connect({
    connectionString: start.connectionString,
    role: "tollgate_platform",
    poolSize: POOL_SIZE,
    applicationName: "tollgate runs",
  });
  const keys = createDatabaseSigningKeys(db, createSecretBox(start.secretKeys), processClock.monotonicMs);
  const tokens = createTokenIssuer(
    keys,
    () => start.settings().platform.auth.tokenTtlSeconds,
    () => new Date(),
  );
  const gateway = createGatewayCaller(
    () => ({
      url: start.gatewayUrl(),
      host: start.settings().general.allowedHosts[0] ?? null,
      certificate: start.gatewayCertificate?.() ?? null,
    }),
    (keyId, purpose) => tokens.issueInternal({ audience: "gateway", keyId, purpose }),
  );
  return {
    call: ({ keyId, label, body, signal }) =>
      gateway.call({
        keyId,
        endpoint: "assistants.run",
        method: "POST",
        path: "/v1/chat/completions",
        body: { contentType: "application/json", bytes: Buffer.from(body) },
        requestId: label,
        signal,
      }),
    close: () => db.destroy(),
  };
}
