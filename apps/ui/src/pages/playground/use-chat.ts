import { useEffect, useReducer, useRef } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { makeIdempotencyKey } from "../../api/idempotency-key.ts";
import { chatBody } from "./chat-body.ts";
import type { Question } from "./chat-composer.tsx";
import { type ChatState, type Column, changeChat, parametersOf, type Turn, turnsOf } from "./chat-state.ts";
import { runTurn } from "./run-turn.ts";

/**
 * Returns the chat state and its actions. Requests run until they finish or are stopped. Leaving the page stops them.
 */
export function useChat(
  first: () => ChatState,
  keyId: string,
  supported: (state: ChatState) => ReadonlyMap<string, readonly string[] | null>,
) {
  const [state, change] = useReducer(changeChat, undefined, first);
  const running = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const calls = running.current;
    return () => {
      for (const call of calls.values()) call.abort();
    };
  }, []);
  const bodyOf = (column: Column, turns: readonly Turn[]) =>
    chatBody({
      model: column.model,
      parameters: parametersOf(state, column),
      turns,
      supported: supported(state).get(column.model) ?? null,
    });
  const run = (column: Column, turns: readonly Turn[]) => {
    const asked = turns.at(-1);
    if (asked === undefined) return;
    const call = new AbortController();
    running.current.get(column.id)?.abort();
    running.current.set(column.id, call);
    void runTurn(gatewayOf(keyId), bodyOf(column, turns), call.signal, (answer) =>
      change({ kind: "answer", columnId: column.id, turnId: asked.id, answer }),
    );
  };
  return {
    state,
    change,
    bodyOf,
    isRunning: state.columns.some((column) => turnsOf(column).at(-1)?.answer?.state === "running"),
    /** Sends the same question to every column. */
    send(question: Question) {
      const turn = { id: makeIdempotencyKey(), ...question };
      change({ kind: "ask", turn });
      for (const column of state.columns) run(column, [...turnsOf(column), { ...turn, answer: null }]);
    },
    again: (column: Column) => run(column, turnsOf(column)),
    stop: (columnId: string) => running.current.get(columnId)?.abort(),
  };
}
