import type { IncomingMessage } from "node:http";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { VERSION } from "../version.ts";
import type { PageAnswer } from "./page-answer.ts";

/** What the console must know of its installation besides the platform's own settings. */
export interface ConsoleFacts {
  readonly isDisabled: boolean;
  readonly hasPublicHub: boolean;
  /** The header in which clients should send their keys. */
  readonly keyHeader: string;
  readonly hasTraining: boolean;
  readonly isDevelopment: boolean;
}

/** What the console reads before anything else. Anybody may: nothing in it is secret. */
export function answerConfig(request: IncomingMessage, settings: PlatformSettings, facts: ConsoleFacts): PageAnswer {
  const apiUrl = chooseBaseUrl(settings, request.headers.host);
  const config = {
    basePath: settings.rootPath,
    apiUrl,
    instanceName: new URL(apiUrl).host,
    version: VERSION,
    keyHeader: facts.keyHeader,
    signUp: settings.signUp.mode === "open",
    publicHub: facts.hasPublicHub,
    payments: settings.billing.provider,
    // As text: a number of JSON would lose digits of large amounts.
    purchaseNanoUsd: {
      least: String(settings.billing.minPurchaseNanoUsd),
      most: String(settings.billing.maxPurchaseNanoUsd),
    },
    training: facts.hasTraining,
    isDevelopment: facts.isDevelopment,
    timezone: "UTC",
    docsUrl: `${settings.rootPath}/docs`,
  };
  const headers = { "content-type": "application/json", "cache-control": "no-cache" };
  return { status: 200, headers, content: JSON.stringify(config) };
}
