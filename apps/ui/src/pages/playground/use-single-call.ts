import type { CallFacts } from "@tollgate/sdk/gateway";
import { useEffect, useRef, useState } from "react";

interface Made<Data> {
  readonly data: Data;
  readonly facts: CallFacts;
}

export interface SingleCall<Data> {
  readonly state: "idle" | "running" | "done" | "failed" | "stopped";
  readonly result: Made<Data> | null;
  readonly error: unknown;
  readonly run: (make: (signal: AbortSignal) => Promise<Made<Data>>) => void;
  readonly stop: () => void;
}

/** Runs one request at a time. The user can stop the request, and leaving the page stops it too. */
export function useSingleCall<Data>(): SingleCall<Data> {
  const [held, setHeld] = useState<Pick<SingleCall<Data>, "state" | "result" | "error">>({
    state: "idle",
    result: null,
    error: null,
  });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const run: SingleCall<Data>["run"] = (make) => {
    running.current?.abort();
    const call = new AbortController();
    running.current = call;
    setHeld({ state: "running", result: null, error: null });
    make(call.signal).then(
      (result) => setHeld({ state: "done", result, error: null }),
      (error: unknown) => setHeld({ state: call.signal.aborted ? "stopped" : "failed", result: null, error }),
    );
  };
  return { ...held, run, stop: () => running.current?.abort() };
}
