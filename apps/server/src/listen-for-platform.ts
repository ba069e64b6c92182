import { Failure } from "@tollgate/contracts/failures.ts";
import { createAddressCheck } from "@tollgate/domain/client-address.ts";
import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import { answerFailure } from "@tollgate/gateway/http/answer-failure.ts";
import { docsUrlOn } from "@tollgate/gateway/http/docs-url.ts";
import { HttpServer } from "@tollgate/gateway/http/http-server.ts";
import { type ListenTarget, listenOn } from "@tollgate/gateway/http/listen-on.ts";
import { underRootPath } from "@tollgate/gateway/http/mounted-handler.ts";
import { createHostCheck } from "@tollgate/gateway/http/request-headers.ts";
import { RouteTable } from "@tollgate/gateway/http/route-table.ts";
import type { TlsIdentity } from "@tollgate/gateway/http/tls-identity.ts";
import { UnattendedCalls } from "@tollgate/gateway/limits/live-calls.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { processClock } from "@tollgate/runtime/process-clock.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { RunningPlatform } from "./start-platform.ts";

interface PlatformServer {
  readonly port: number;
  reload(settings: Settings, certificate: TlsIdentity | null): void;
  /** Makes each subsequent response close its connection. */
  announceLeaving(): void;
  /** Waits for running requests to finish, then closes. */
  stop(drainTimeoutMs: number): Promise<void>;
}

interface PlatformListening {
  readonly settings: Settings;
  readonly target: ListenTarget;
  /** TLS certificate; null for plain HTTP. */
  readonly certificate: TlsIdentity | null;
  readonly logger: Logger;
}

/**
 * Starts a server for the platform alone, for processes without a gateway. It performs the same checks as the gateway's
 * server.
 */
export async function listenForPlatform(
  platform: RunningPlatform,
  { settings, target, certificate, logger }: PlatformListening,
): Promise<PlatformServer> {
  let current = settings;
  let { general } = settings;
  let hostCheck = createHostCheck(general.allowedHosts);
  let isProxy = createAddressCheck(general.trustedProxies);
  const newEventId = createUuidV7Source(Date.now);
  const docsUrlOf = (host: string | null) => docsUrlOn(host, current, certificate !== null);
  const http = new HttpServer({
    routes: new RouteTable([], settings.general.serverRootPath),
    mounted: underRootPath(platform.mounted, settings.general.serverRootPath),
    rest: (request, response) =>
      answerFailure(
        response,
        new Failure("not_found", "This process serves only the management API (/api) and the console (/ui)."),
        {
          requestId: newEventId(),
          docsUrl: docsUrlOf(request.headers.host ?? null),
          codeStyle: "semantic",
          mustClose: false,
          hasOrigin: false,
        },
      ),
    tls: certificate,
    hostCheck: () => hostCheck,
    keyHeaders: () => [],
    usesNodeParser: true,
    maxConnectionsPerAddress: () => general.maxConnectionsPerAddress,
    isProxy: (address) => isProxy(address),
    codeStyle: () => "semantic",
    docsUrl: docsUrlOf,
    newEventId,
    now: processClock.monotonicMs,
    unattended: new UnattendedCalls(),
    onUnexpected: (error, callId) => logger.error("request failed unexpectedly", { error, callId }),
  });
  const port = await listenOn(http.server, target);
  return {
    port,
    reload: (next, renewed) => {
      current = next;
      general = next.general;
      if (renewed !== null) http.renewTls(renewed);
      hostCheck = createHostCheck(general.allowedHosts);
      isProxy = createAddressCheck(general.trustedProxies);
    },
    announceLeaving: () => http.announceLeaving(),
    stop: async (drainTimeoutMs) => {
      await http.drain(drainTimeoutMs, false);
      await http.close();
    },
  };
}
