import { ParticipantClient } from "@tollgate/participant/client/participant-client.ts";
import { checkParticipant, type Finding } from "./check-participant.ts";
import { compareShapes } from "./compare-shapes.ts";
import type { CheckTarget } from "./find-targets.ts";

interface CheckOptions {
  /** Folder in which large responses are spooled. */
  readonly folder: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** Checks participants concurrently, then checks whether their parameters are compatible. */
export async function checkTargets(targets: readonly CheckTarget[], options: CheckOptions): Promise<Finding[]> {
  const checks = await Promise.all(
    targets.map(async ({ participant, url, token, isPlainAllowed, tls }) => {
      const client = new ParticipantClient({
        url,
        folder: options.folder,
        allowPlainHttp: isPlainAllowed,
        ...(tls === undefined ? {} : { tls }),
        ...(token === null ? {} : { token }),
      });
      try {
        return { id: participant.id, ...(await checkParticipant(client, participant, options)) };
      } finally {
        client.close();
      }
    }),
  );
  return [...checks.flatMap(({ findings }) => findings), ...compareShapes(checks)];
}
