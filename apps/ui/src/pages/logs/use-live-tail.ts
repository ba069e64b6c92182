import { useCallback, useEffect, useRef, useState } from "react";
import { client } from "../../api/client.ts";
import type { Call } from "../../components/logged-call.ts";
import type { TailQuery } from "./log-query.ts";

/** As many as are kept on the page while it watches. */
const MAX_ROWS = 500;
const RETRY_MS = 5_000;
const OPEN_AFTER_MS = 1_500;

interface Tail {
  /** Newest first. */
  readonly rows: readonly Call[];
  /** Calls that ended while the page was held still. */
  readonly heldCount: number;
  /** Calls that came faster than they are told. */
  readonly skippedCount: number;
  readonly isConnected: boolean;
  readonly release: () => void;
}

interface TailOptions {
  readonly query: TailQuery;
  readonly isOn: boolean;
  readonly isHeld: () => boolean;
  /** A stream is open: what ended before it was is in the list, which has to be read again. */
  readonly onOpened: () => void;
}

const nothing = { rows: [] as readonly Call[], held: [] as readonly Call[], skippedCount: 0 };

/** New calls as they end. While the page is held they are counted, and come in when it is released. */
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
    // The stream says nothing until the first call ends; one that was not refused by then is open.
    const opening = setTimeout(() => signal.aborted || listener.onConnected(true), OPEN_AFTER_MS);
    try {
      for await (const { event, data } of client.events("streamLogs", { query, signal })) {
        if (event === "call") listener.onCall(data as Call);
        if (event === "skipped") listener.onSkipped((data as { count: number }).count);
        // A stream has an end of its own, after which the next one begins.
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
