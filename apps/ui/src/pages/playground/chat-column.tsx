import { ChevronLeft, ChevronRight, Copy, RefreshCw, Square, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { copyText } from "../../components/copy-text.ts";
import { ModelPicker } from "../../components/model-picker.tsx";
import { useToast } from "../../components/toast.tsx";
import { CallFigures } from "./call-figures.tsx";
import { type Column, turnsOf } from "./chat-state.ts";
import { ChatTurn } from "./chat-turn.tsx";

interface ChatColumnProps {
  readonly column: Column;
  readonly isOnly: boolean;
  readonly onModel: (model: string) => void;
  readonly onAgain: () => void;
  readonly onStop: () => void;
  readonly onRemove: () => void;
  readonly onEdit: (turnId: string) => void;
  readonly onBranch: (branch: number) => void;
}

/** One model with its conversation. */
export function ChatColumn(props: ChatColumnProps) {
  const { column } = props;
  const turns = turnsOf(column);
  const last = turns.at(-1);
  const answer = last?.answer ?? null;
  const isRunning = answer?.state === "running";
  const end = useRef<HTMLDivElement>(null);
  useFollow(end, answer?.text.length ?? 0, isRunning);
  return (
    <section
      aria-label={column.model}
      className="flex min-h-[360px] min-w-0 flex-col rounded-panel border border-border bg-surface"
    >
      <ColumnHead {...props} isRunning={isRunning} />
      <div
        ref={end}
        className="min-h-0 flex-1 overflow-y-auto p-4 lg:max-h-[calc(100dvh-420px)] lg:min-h-[calc(100dvh-480px)]"
      >
        {turns.length === 0 ? (
          <p className="text-table text-muted">Send a message below. Every column receives the same message.</p>
        ) : (
          <ol aria-live="off" className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {turns.map((turn) => (
              <ChatTurn key={turn.id} turn={turn} onEdit={() => props.onEdit(turn.id)} />
            ))}
          </ol>
        )}
      </div>
      <p role="status" className="sr-only">
        {isRunning ? `${column.model} is responding` : answer === null ? "" : `${column.model} responded`}
      </p>
      {answer !== null && !isRunning && answer.facts?.callId && (
        <footer className="border-t border-hairline px-4 py-3">
          <CallFigures callId={answer.facts.callId} />
        </footer>
      )}
    </section>
  );
}

function ColumnHead(props: ChatColumnProps & { readonly isRunning: boolean }) {
  const { column, isRunning } = props;
  const toast = useToast();
  const answer = turnsOf(column).at(-1)?.answer ?? null;
  const served = answer?.facts?.modelGroup ?? null;
  const copy = () => {
    copyText(answer?.text ?? "").then(
      () => toast.done("Response copied"),
      (error: unknown) => toast.failed(error, "Copying the response"),
    );
  };
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-2 border-b border-hairline px-4 py-1.5">
      <div className="w-[260px] max-w-[calc(100%-112px)] min-w-0 max-sm:w-[190px]">
        <ModelPicker
          mode="chat"
          value={column.model}
          onValue={props.onModel}
          className="sm:h-[30px]! border-outline-soft! font-medium sm:text-table!"
        />
      </div>
      {served !== null && served !== column.model && (
        <span className="truncate text-meta text-muted">served by {served}</span>
      )}
      <div className="ml-auto flex items-center">
        {column.branches.length > 1 && <Branches column={column} onBranch={props.onBranch} />}
        {isRunning ? (
          <Button size="sm" icon={<Square size={12} strokeWidth={2} />} onClick={props.onStop}>
            Stop
          </Button>
        ) : (
          <>
            <IconButton
              label="Run again"
              size="sm"
              icon={<RefreshCw size={14} strokeWidth={1.5} />}
              disabledReason={turnsOf(column).length === 0 ? "No message sent yet" : null}
              onClick={props.onAgain}
            />
            <IconButton
              label="Copy response"
              size="sm"
              icon={<Copy size={14} strokeWidth={1.5} />}
              disabledReason={answer === null || answer.text === "" ? "No response yet" : null}
              onClick={copy}
            />
          </>
        )}
        {!props.isOnly && (
          <IconButton
            label={`Close column ${column.model}`}
            size="sm"
            icon={<X size={14} strokeWidth={1.5} />}
            onClick={props.onRemove}
          />
        )}
      </div>
    </header>
  );
}

function Branches({ column, onBranch }: { readonly column: Column; readonly onBranch: (branch: number) => void }) {
  const { branches, branch } = column;
  return (
    <span className="flex items-center text-meta text-muted">
      <IconButton
        label="Previous branch"
        size="sm"
        icon={<ChevronLeft size={14} strokeWidth={1.5} />}
        disabledReason={branch === 0 ? "This is the first branch" : null}
        onClick={() => onBranch(branch - 1)}
      />
      {branch + 1} of {branches.length}
      <IconButton
        label="Next branch"
        size="sm"
        icon={<ChevronRight size={14} strokeWidth={1.5} />}
        disabledReason={branch === branches.length - 1 ? "This is the last branch" : null}
        onClick={() => onBranch(branch + 1)}
      />
    </span>
  );
}

/** Scrolls with a growing response, unless the user has scrolled up. */
function useFollow(box: { readonly current: HTMLElement | null }, length: number, isRunning: boolean): void {
  useEffect(() => {
    const element = box.current;
    if (element === null || !isRunning || length === 0) return;
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PIXELS;
    if (isNear) element.scrollTop = element.scrollHeight;
  }, [box, length, isRunning]);
}

const NEAR_PIXELS = 120;
