import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { useState } from "react";
import { gatewayOf } from "../../api/gateway-of.ts";
import { useKeys } from "../../api/use-keys.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Figures } from "../../components/figure-row.tsx";
import { KeyPicker } from "../../components/key-picker.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { useToast } from "../../components/toast.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { type Assistant, isOver, type Listed, type ThreadMessage, type ThreadRun } from "./assistant-objects.ts";
import { ThreadComposer } from "./thread-composer.tsx";
import { ThreadMessages } from "./thread-messages.tsx";
import { ThreadRuns } from "./thread-runs.tsx";
import { ToolOutputs } from "./tool-outputs.tsx";
import { useGateway } from "./use-gateway.ts";
import { useRunCosts } from "./use-run-costs.ts";
import { useRunStream } from "./use-run-stream.ts";

const EVERY_MS = 10_000;

/** A thread with its messages, runs, usage, and cost. */
export function ThreadPage() {
  const { threadId } = useParams({ strict: false }) as { readonly threadId: string };
  const [state, set] = useSearchState({ key: "", run: "" });
  const { query: keyQuery, keys } = useKeys();
  const keyId = keys.some(({ id }) => id === state.key) ? state.key : (keys[0]?.id ?? "");
  return (
    <Page
      title="Thread"
      wide
      note={
        <span className="flex min-w-0 items-center gap-1 font-mono text-meta">
          <span className="truncate">{threadId}</span>
          <CopyButton text={threadId} label="Copy ID" iconOnly />
        </span>
      }
      action={
        <>
          <span className="w-64 max-sm:w-56">
            <KeyPicker keys={keys} value={keyId} onValue={(key) => set({ key })} />
          </span>
          {keyId !== "" && <DeleteThread keyId={keyId} threadId={threadId} />}
        </>
      }
    >
      <Loaded query={keyQuery} what="Your keys">
        {() =>
          keyId === "" ? (
            <Panel flush>
              <EmptyState
                title="Threads need an API key"
                action={
                  <ButtonLink to="/keys" variant="primary">
                    Go to API keys
                  </ButtonLink>
                }
              >
                To read a thread, use a key from the team that owns it.
              </EmptyState>
            </Panel>
          ) : (
            <Thread
              key={`${keyId} ${threadId}`}
              keyId={keyId}
              threadId={threadId}
              openRun={state.run}
              onOpenRun={(run) => set({ run }, { replace: true })}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

interface ThreadProps {
  readonly keyId: string;
  readonly threadId: string;
  readonly openRun: string;
  readonly onOpenRun: (runId: string) => void;
}

function Thread({ keyId, threadId, openRun, onOpenRun }: ThreadProps) {
  const base = `/v1/threads/${encodeURIComponent(threadId)}`;
  const [isWaiting, setWaiting] = useState(false);
  const refetchMs = isWaiting ? EVERY_MS : false;
  const runs = useGateway<Listed<ThreadRun>>(keyId, `${base}/runs?limit=100`, { refetchMs });
  const messages = useGateway<Listed<ThreadMessage>>(keyId, `${base}/messages?limit=100`, { refetchMs });
  const assistants = useGateway<Listed<Assistant>>(keyId, "/v1/assistants?limit=100");
  const { text: live, send } = useRunStream(keyId);
  const cancel = useCancel(keyId, base);
  const toast = useToast();
  const list = runs.data?.data ?? [];
  const costs = useRunCosts(keyId, list);
  const current = list.find((run) => !isOver(run)) ?? null;
  const isGoingOn = current !== null && current.status !== "requires_action";
  if (isGoingOn !== isWaiting) setWaiting(isGoingOn);
  const say = async (text: string, assistantId: string) => {
    try {
      await gatewayOf(keyId).request("POST", `${base}/messages`, { body: { role: "user", content: text } });
    } catch (error) {
      toast.failed(error, "Sending the message");
      return false;
    }
    await messages.refetch();
    await send(`${base}/runs`, { assistant_id: assistantId });
    return true;
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Totals runs={list} messages={messages.data?.data.length ?? 0} costs={costs} />
      <div className="grid grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)] items-start gap-4 max-lg:grid-cols-[minmax(0,1fr)]">
        <Panel title="Messages" note={messages.data?.has_more === true ? "latest 100" : undefined} flush>
          <Loaded query={messages} what="Messages">
            {({ data }) => (
              <>
                {data.length === 0 && live === null ? (
                  <p className="px-4 py-6 text-table text-muted">No messages yet.</p>
                ) : (
                  <ThreadMessages messages={data.toReversed()} live={live} />
                )}
                {current?.status === "requires_action" && current.required_action !== null && (
                  <div className="px-4 pb-4">
                    <ToolOutputs
                      key={current.id}
                      calls={current.required_action.submit_tool_outputs.tool_calls}
                      isBusy={live !== null}
                      onSubmit={(outputs) =>
                        void send(`${base}/runs/${current.id}/submit_tool_outputs`, { tool_outputs: outputs })
                      }
                    />
                  </div>
                )}
                <ThreadComposer
                  assistants={assistants.data?.data ?? []}
                  assistantId={list[0]?.assistant_id ?? ""}
                  isBusy={live !== null}
                  heldBy={current === null ? null : `A run is ${current.status.replaceAll("_", " ")}`}
                  onSend={say}
                />
              </>
            )}
          </Loaded>
        </Panel>
        <Panel title="Runs" note={runs.data && plural(list.length, "run")} flush>
          <Loaded query={runs} what="Runs">
            {() => (
              <ThreadRuns
                keyId={keyId}
                threadId={threadId}
                runs={list}
                costs={costs}
                openId={openRun}
                onOpen={onOpenRun}
                onCancel={(runId) => cancel.mutate(runId)}
              />
            )}
          </Loaded>
        </Panel>
      </div>
    </div>
  );
}

interface TotalsProps {
  readonly runs: readonly ThreadRun[];
  readonly messages: number;
  readonly costs: ReadonlyMap<string, bigint>;
}

function Totals({ runs, messages, costs }: TotalsProps) {
  const tokens = runs.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
  const priced = runs.filter(({ id }) => costs.has(id));
  const cost = priced.reduce((sum, { id }) => sum + (costs.get(id) ?? 0n), 0n);
  return (
    <Figures
      items={[
        { label: "Messages", value: formatCount(messages) },
        { label: "Runs", value: formatCount(runs.length) },
        { label: "Tokens", value: formatCount(tokens) },
        {
          label: "Cost",
          value: priced.length === 0 ? "None" : <Money nano={cost} />,
          note:
            priced.length > 0 && priced.length < runs.length
              ? `for ${priced.length} of ${plural(runs.length, "run")}`
              : undefined,
        },
      ]}
    />
  );
}

function useCancel(keyId: string, base: string) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (runId: string) => gatewayOf(keyId).request("POST", `${base}/runs/${runId}/cancel`, { body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["relay", keyId] }),
    onError: (error) => toast.failed(error, "Canceling the run"),
  });
}

function DeleteThread({ keyId, threadId }: { readonly keyId: string; readonly threadId: string }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => gatewayOf(keyId).request("DELETE", `/v1/threads/${encodeURIComponent(threadId)}`),
    onSuccess: () => {
      toast.done("Thread deleted");
      return navigate({ to: "/assistants", search: { key: keyId } });
    },
    onError: (error) => toast.failed(error, "Deleting the thread"),
  });
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        open={isOpen}
        title="Delete this thread?"
        consequence="The thread's messages and runs are permanently deleted. Costs remain in the logs and the ledger."
        confirmLabel="Delete thread"
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => setOpen(false)}
      />
    </>
  );
}
