import type { Operations } from "@tollgate/sdk/platform";
import { useEffect, useState } from "react";
import { client } from "../api/client.ts";

export type SeenCall = Operations["listLogs"]["answer"]["data"][number];

interface NextCall {
  readonly call: SeenCall | null;
  /** False while the stream is disconnected and being retried. */
  readonly isWatching: boolean;
}

const RETRY_MS = 10_000;

/** Waits for the next request from the organization or from one key, then stops. */
export function useNextCall(isWanted: boolean, apiKeyId: string | null = null): NextCall {
  const [call, setCall] = useState<SeenCall | null>(null);
  const [isWatching, setIsWatching] = useState(true);
  useEffect(() => {
    if (!isWanted || call !== null) return;
    const stop = new AbortController();
    void watch(apiKeyId, stop.signal, setCall, setIsWatching);
    return () => stop.abort();
  }, [isWanted, apiKeyId, call]);
  return { call, isWatching };
}

async function watch(
  apiKeyId: string | null,
  signal: AbortSignal,
  onCall: (call: SeenCall) => void,
  onWatching: (isWatching: boolean) => void,
): Promise<void> {
  const query = apiKeyId === null ? {} : { apiKey: [apiKeyId] };
  while (!signal.aborted) {
    try {
      onWatching(true);
      for await (const { event, data } of client.events("streamLogs", { query, signal })) {
        if (event === "call") return onCall(data as SeenCall);
        if (event === "end") break;
      }
    } catch {
      // Retry after any error. The snippet above works even without the stream.
      if (signal.aborted) return;
      onWatching(false);
      await pause(RETRY_MS, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}
