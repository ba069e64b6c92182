import { useSuspenseQuery } from "@tanstack/react-query";
import { consolePath } from "../base-path.ts";

/** Public server configuration, available before sign-in. */
export interface ConsoleConfig {
  readonly basePath: string;
  /** Public base URL of the model API, used in code snippets. */
  readonly apiUrl: string;
  readonly instanceName: string;
  readonly version: string;
  /** Name of the HTTP header in which clients send the API key. */
  readonly keyHeader: string;
  readonly signUp: boolean;
  readonly publicHub: boolean;
  readonly payments: "stripe" | "fake" | "manual" | "off";
  /** Minimum and maximum purchase amounts, as decimal strings. */
  readonly purchaseNanoUsd: { readonly least: string; readonly most: string };
  readonly training: boolean;
  readonly isDevelopment: boolean;
  readonly timezone: string;
  readonly docsUrl: string;
}

export const configQuery = {
  queryKey: ["config"],
  queryFn: async (): Promise<ConsoleConfig> => {
    const answer = await fetch(`${consolePath}/config.json`);
    if (!answer.ok) throw new Error(`Could not load the console settings (HTTP ${answer.status}).`);
    return (await answer.json()) as ConsoleConfig;
  },
  staleTime: Number.POSITIVE_INFINITY,
} as const;

/** Returns the configuration of this server. */
export function useConfig(): ConsoleConfig {
  return useSuspenseQuery(configQuery).data;
}
