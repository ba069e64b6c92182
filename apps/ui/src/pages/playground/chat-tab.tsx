import { useQuery } from "@tanstack/react-query";
import type { CostQuote } from "@tollgate/sdk/gateway";
import { Link2, Plus, Trash2 } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { client } from "../../api/client.ts";
import { makeIdempotencyKey } from "../../api/idempotency-key.ts";
import { Button } from "../../components/button.tsx";
import { classes } from "../../components/classes.ts";
import { copyText } from "../../components/copy-text.ts";
import { useModels } from "../../components/model-picker.tsx";
import { useToast } from "../../components/toast.tsx";
import { useSearchState } from "../../router-search.ts";
import { ChatColumn } from "./chat-column.tsx";
import { ChatComposer, type Question } from "./chat-composer.tsx";
import { areParametersValid } from "./chat-parameters.ts";
import { type ChatState, type Column, emptyChat, MAX_COLUMNS, parametersOf, type Turn, turnsOf } from "./chat-state.ts";
import { readShared, saveDraft, writeShared } from "./drafts.ts";
import { DraftsMenu } from "./drafts-menu.tsx";
import { ParametersPanel } from "./parameters-panel.tsx";
import { PlaygroundFrame, playgroundAddress, useKeyId } from "./playground-frame.tsx";
import { readLoggedRequest } from "./read-logged-request.ts";
import { useChat } from "./use-chat.ts";
import { useQuotes } from "./use-quotes.ts";
import { useSupportedParams } from "./use-supported-params.ts";
import { useTypicalCosts } from "./use-typical-costs.ts";
import { ViewCode } from "./view-code.tsx";

const UNNAMED = "Last conversation";
const nothing: Question = { text: "", images: [] };

/** Up to four models that answer the same questions side by side. */
export function ChatTab() {
  const [address, set] = useSearchState(playgroundAddress);
  const toast = useToast();
  const models = useModels("chat");
  const keyId = useKeyId();
  const [question, setQuestion] = useState(nothing);
  const [draftName, setDraftName] = useState("");
  const [first] = useState(() => firstState(address.model, models[0]?.id ?? "sim/echo"));
  const [names, setNames] = useState(() => first.columns.map(({ model }) => model));
  const supported = useSupportedParams(keyId, names);
  const chat = useChat(
    () => first,
    keyId,
    () => supported,
  );
  const { state, change, isRunning } = chat;
  const { columns } = state;
  const asked: Turn = { id: "next", ...question, answer: null };
  const bodies = columns.map((column) => chat.bodyOf(column, [...turnsOf(column), asked]));
  const quotes = useQuotes(keyId, "chat.completions", bodies);
  const typicalOf = useTypicalCosts();
  const written = columns.map(({ model }) => model).join("\n");
  useEffect(() => {
    setNames(written.split("\n"));
    set({ model: written.split("\n") }, { replace: true });
  }, [written, set]);
  const replay = useCallback(
    (next: ChatState, key: string) => {
      change({ kind: "load", state: next });
      set({ replay: "", key }, { replace: true });
    },
    [change, set],
  );
  useReplay(address.replay, replay);
  const hasTurns = columns.some((column) => turnsOf(column).length > 0);
  useEffect(() => {
    if (!isRunning && hasTurns) saveQuietly(draftName === "" ? UNNAMED : draftName, state);
  }, [isRunning, hasTurns, draftName, state]);
  const share = () => {
    const text = writeShared(state);
    if (text === null)
      return toast.failed(new Error("The conversation is too long for a link."), "Sharing the conversation");
    const link = new URL(window.location.href);
    link.search = "";
    link.hash = `chat=${text}`;
    copyText(link.href).then(
      () => toast.done("Link copied. It contains the conversation but no API key."),
      (error: unknown) => toast.failed(error, "Copying the link"),
    );
  };
  const edit = (turnId: string) => {
    const turn = columns.flatMap(turnsOf).find(({ id }) => id === turnId);
    if (turn === undefined) return;
    setQuestion({ text: turn.text, images: turn.images });
    change({ kind: "branch_before", turnId });
  };
  const unsighted = columns.filter(
    ({ model }) => models.find(({ id }) => id === model)?.inputModalities.includes("image") === false,
  );
  return (
    <PlaygroundFrame
      note={draftName === "" ? undefined : `${draftName}, draft saved in this browser`}
      actions={
        <>
          {hasTurns && (
            <Button
              variant="ghost"
              icon={<Trash2 size={14} strokeWidth={1.5} />}
              onClick={() => {
                change({ kind: "clear" });
                setDraftName("");
              }}
            >
              Clear
            </Button>
          )}
          <DraftsMenu
            state={state}
            onSaved={setDraftName}
            onLoad={(next, name) => {
              change({ kind: "load", state: next });
              setDraftName(name);
            }}
          />
          <Button icon={<Link2 size={14} strokeWidth={1.5} />} onClick={share}>
            Share
          </Button>
          <ViewCode
            calls={columns.map((column, index) => ({
              title: column.model,
              path: "chat/completions",
              body: (question.text === "" && hasTurns
                ? chat.bodyOf(column, turnsOf(column))
                : bodies[index]) as unknown as Record<string, unknown>,
            }))}
          />
        </>
      }
      beside={
        <Button
          icon={<Plus size={14} strokeWidth={1.5} />}
          size="md"
          className="sm:h-[30px]!"
          disabledReason={columns.length >= MAX_COLUMNS ? "Maximum of four columns reached" : null}
          onClick={() =>
            change({
              kind: "add_column",
              id: makeIdempotencyKey(),
              model: nextModel(
                models.map(({ id }) => id),
                written,
              ),
            })
          }
        >
          Add column
        </Button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_280px]">
        <div className="grid min-w-0 gap-4">
          <div className={classes("grid grid-cols-[minmax(0,1fr)] gap-4", grids[columns.length])}>
            {columns.map((column) => (
              <ChatColumn
                key={column.id}
                column={column}
                isOnly={columns.length === 1}
                onModel={(model) => change({ kind: "choose_model", id: column.id, model })}
                onAgain={() => chat.again(column)}
                onStop={() => chat.stop(column.id)}
                onRemove={() => change({ kind: "remove_column", id: column.id })}
                onEdit={edit}
                onBranch={(branch) => change({ kind: "choose_branch", columnId: column.id, branch })}
              />
            ))}
          </div>
          <ChatComposer
            question={question}
            onQuestion={setQuestion}
            columns={columns.length}
            quotes={question.text.trim() === "" ? [] : quotes}
            typical={columns.map(({ model }) => typicalOf(model))}
            noImagesBecause={
              unsighted.length === columns.length ? `${unsighted[0]?.model} doesn't support image input` : null
            }
            heldBecause={
              isRunning
                ? "Wait for the response, or stop it"
                : columns.every((column) => areParametersValid(parametersOf(state, column)))
                  ? refusalOf(columns, quotes)
                  : "Fix the parameters first"
            }
            onSend={() => {
              chat.send(question);
              setQuestion(nothing);
            }}
          />
        </div>
        <ParametersPanel
          state={state}
          supported={supported}
          onChange={(columnId, next) => change({ kind: "set", columnId, change: next })}
          onReset={(columnId) => change({ kind: "unset", columnId })}
        />
      </div>
    </PlaygroundFrame>
  );
}

const grids: Readonly<Record<number, string>> = {
  2: "sm:grid-cols-2",
  3: "sm:grid-cols-2 xl:grid-cols-3",
  4: "sm:grid-cols-2",
};

/** Returns the initial state: from a shared link, or with the models from the URL. */
function firstState(models: readonly string[], usual: string): ChatState {
  const shared = /^#chat=([\w-]+)$/.exec(window.location.hash)?.[1];
  const named = models.filter((model) => model !== "").slice(0, MAX_COLUMNS);
  return (shared === undefined ? null : readShared(shared)) ?? emptyChat(named.length === 0 ? [usual] : named);
}

/**
 * Returns the reason if a request would be refused for insufficient credit. Other refusals don't prevent sending, so
 * that users see the error.
 */
function refusalOf(columns: readonly Column[], quotes: readonly (CostQuote | null)[]): string | null {
  const reasons = quotes.map((quote) => (quote?.admitted === false ? quote.reason : undefined));
  if (reasons.includes("TEAM_BLOCKED"))
    return "The key's team is blocked because its organization's balance is negative";
  const at = reasons.indexOf("QUOTA_EXCEEDED");
  return at === -1 ? null : `Not enough credit for ${columns[at]?.model}. Free models such as sim/echo still work`;
}

function nextModel(models: readonly string[], shown: string): string {
  return models.find((model) => !shown.split("\n").includes(model)) ?? models[0] ?? "sim/echo";
}

/** Loads a logged request to replay it. */
function useReplay(id: string, onRead: (state: ChatState, keyId: string) => void): void {
  const { failed } = useToast();
  const log = useQuery({
    queryKey: ["getLog", { params: { id } }],
    queryFn: ({ signal }) => client.call("getLog", { params: { id }, signal }),
    enabled: id !== "",
  });
  const read = log.data?.log;
  useEffect(() => {
    if (id === "" || read === undefined) return;
    const state = read.content === null ? null : readLoggedRequest(read.content.request);
    if (state === null)
      failed(new Error("The content was not stored, or the request is not a chat request."), "Replaying the request");
    onRead(state ?? emptyChat([read.model]), read.apiKeyId);
  }, [id, read, failed, onRead]);
}

function saveQuietly(name: string, state: ChatState): void {
  try {
    saveDraft(name, state, new Date());
  } catch {
    // If browser storage is full, the draft isn't saved, but the conversation continues.
  }
}
