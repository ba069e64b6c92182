import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../../api/client.ts";
import type { Call } from "../../components/logged-call.ts";
import type { TailQuery } from "./log-query.ts";

/** Maximum number of rows held by the live tail. */
const MAX_ROWS = 500;
const RETRY_MS = 5_000;
const OPEN_AFTER_MS = 1_500;

interface Tail {
  /** Newest first. */
  readonly rows: readonly Call[];
  /** Number of requests that finished while the page was paused. */
  readonly heldCount: number;
  /** Number of requests skipped because they arrived faster than the stream can send them. */
  readonly skippedCount: number;
  readonly isConnected: boolean;
  readonly release: () => void;
}

interface TailOptions {
  readonly query: TailQuery;
  readonly isOn: boolean;
  readonly isHeld: () => boolean;
  /** Called when a stream opens. Requests that finished earlier are only in the list, which must be refetched. */
  readonly onOpened: () => void;
}

const nothing = { rows: [] as readonly Call[], held: [] as readonly Call[], skippedCount: 0 };

/**
 * Streams new requests as they finish. While the page is paused, new requests are only counted. They are inserted when
 * the pause ends.
 */
export function useLiveTail({ query, isOn, isHeld, onOpened }: TailOptions): Tail {
  const [state, setState] = useState(nothing);
  const [isConnected, setConnected] = useState(false);
  const holds = useRef(isHeld);
  holds.current = isHeld;
  const opened = useRef(onOpened);
  opened.current = onOpened;
  const asked = JSON.stringify(query, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  useEffect(() => {
    setState(nothing);
    if (!isOn) return;
    const stop = new AbortController();
    const onCall = (call: Call) =>
      setState((before) => {
        if (holds.current()) return { ...before, held: [call, ...before.held].slice(0, MAX_ROWS) };
        return { ...before, rows: [call, ...before.held, ...before.rows].slice(0, MAX_ROWS), held: [] };
      });
    const onSkipped = (count: number) =>
      setState((before) => ({ ...before, skippedCount: before.skippedCount + count }));
    const onConnected = (is: boolean) => {
      setConnected(is);
      if (is) opened.current();
    };
    void watch(JSON.parse(asked) as TailQuery, stop.signal, { onCall, onSkipped, onConnected });
    return () => stop.abort();
  }, [asked, isOn]);
  const release = useCallback(
    () => setState((before) => ({ ...before, rows: [...before.held, ...before.rows].slice(0, MAX_ROWS), held: [] })),
    [],
  );
  return { rows: state.rows, heldCount: state.held.length, skippedCount: state.skippedCount, isConnected, release };
}

interface Listener {
  readonly onCall: (call: Call) => void;
  readonly onSkipped: (count: number) => void;
  readonly onConnected: (isConnected: boolean) => void;
}

async function watch(query: TailQuery, signal: AbortSignal, listener: Listener): Promise<void> {
  while (!signal.aborted) {
    // The stream sends nothing until the first request finishes, so assume that it is open if it isn't refused within
    // this time.
    const opening = setTimeout(() => signal.aborted || listener.onConnected(true), OPEN_AFTER_MS);
    try {
      for await (const { event, data } of client.events("streamLogs", { query, signal })) {
        if (event === "call") listener.onCall(data as Call);
        if (event === "skipped") listener.onSkipped((data as { count: number }).count);
        // The server ends streams after a while, so open a new stream.
        if (event === "end") break;
      }
    } catch {
      clearTimeout(opening);
      if (signal.aborted) return;
      listener.onConnected(false);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
