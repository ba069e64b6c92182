import { useSuspenseQuery } from "@tanstack/react-query";
import { consolePath } from "../base-path.ts";

/** What this installation tells its pages before anybody has signed in. */
export interface ConsoleConfig {
  readonly basePath: string;
  /** Where models are called, as others reach it; snippets begin with it. */
  readonly apiUrl: string;
  readonly instanceName: string;
  readonly version: string;
  /** The header a key goes in. */
  readonly keyHeader: string;
  readonly signUp: boolean;
  readonly publicHub: boolean;
  readonly payments: "stripe" | "fake" | "manual" | "off";
  /** The smallest and the largest purchase, as digits. */
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

/** What the installation is and offers. */
export function useConfig(): ConsoleConfig {
  return useSuspenseQuery(configQuery).data;
}
