import type { IncomingMessage } from "node:http";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { chooseBaseUrl } from "../choose-base-url.ts";
import { VERSION } from "../version.ts";
import type { PageAnswer } from "./page-answer.ts";

/** Data that the console needs in addition to the platform settings. */
export interface ConsoleFacts {
  readonly isDisabled: boolean;
  readonly hasPublicHub: boolean;
  /** Name of the header in which clients should send their keys. */
  readonly keyHeader: string;
  readonly hasTraining: boolean;
  readonly isDevelopment: boolean;
}

/** Returns the console's configuration. It is public and contains no secrets. */
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
    // Amounts are strings, because JSON numbers would lose digits of large amounts.
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
