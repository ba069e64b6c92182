import { Pencil } from "lucide-react";
import { IconButton } from "../../components/button.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { CallFailure } from "./call-failure.tsx";
import type { Answer, Turn } from "./chat-state.ts";

/** One question and its response. */
export function ChatTurn({ turn, onEdit }: { readonly turn: Turn; readonly onEdit: () => void }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="group relative rounded-control bg-sunken px-3 py-2.5 text-table">
        <p className="whitespace-pre-wrap wrap-anywhere pr-7">{turn.text}</p>
        {turn.images.length > 0 && (
          <ul className="mt-2 flex flex-wrap gap-2">
            {turn.images.map((url, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: images in a sent message never change.
              <li key={index}>
                <img src={url} alt={`Attachment ${index + 1}`} className="h-16 rounded-[4px] border border-border" />
              </li>
            ))}
          </ul>
        )}
        <span className="absolute top-1.5 right-1.5">
          <IconButton
            label="Edit and continue from here"
            size="sm"
            icon={<Pencil size={14} strokeWidth={1.5} />}
            onClick={onEdit}
          />
        </span>
      </div>
      {turn.answer === null ? (
        <p className="text-table text-muted">
          This message hasn't been sent to this model yet. To send it, select Run again.
        </p>
      ) : (
        <AnswerView answer={turn.answer} />
      )}
    </li>
  );
}

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { text, reasoning, toolCalls, state, finishReason } = answer;
  return (
    <div aria-busy={state === "running"} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {reasoning !== "" && (
        <details className="text-table text-muted">
          <summary className="cursor-pointer">Reasoning</summary>
          <p className="mt-1 whitespace-pre-wrap wrap-anywhere">{reasoning}</p>
        </details>
      )}
      {text !== "" && <Markdown text={text} />}
      {toolCalls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tool calls are only appended and never change order.
        <div key={index} className="rounded-control border border-border bg-sunken px-3 py-2 font-mono text-meta">
          <span className="font-medium">{call.name}</span>
          <span className="wrap-anywhere">({call.arguments})</span>
        </div>
      ))}
      {state === "running" && text === "" && reasoning === "" && (
        <p className="text-table text-muted motion-safe:animate-pulse">Waiting for the first token…</p>
      )}
      {state === "stopped" && (
        <p className="text-meta text-muted">
          Stopped. Depending on the model, you are charged for this part or for the whole response.
        </p>
      )}
      {state === "done" && finishReason === "length" && (
        <p className="text-meta text-warning">Response truncated at the max output token limit.</p>
      )}
      {state === "done" && finishReason === "content_filter" && (
        <p className="text-meta text-warning">Response truncated by the provider's content filter.</p>
      )}
      {state === "failed" && <CallFailure error={answer.error} />}
    </div>
  );
}
