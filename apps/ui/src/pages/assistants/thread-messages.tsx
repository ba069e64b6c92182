import { Badge } from "../../components/badge.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Time } from "../../components/time.tsx";
import { webAddress } from "../../components/web-address.ts";
import { type ContentPart, momentOf, type ThreadMessage } from "./assistant-objects.ts";

interface ThreadMessagesProps {
  readonly messages: readonly ThreadMessage[];
  /** Text streamed so far; null if no response is streaming. */
  readonly live: string | null;
}

/** Messages of a thread from the start, with the streaming response. */
export function ThreadMessages({ messages, live }: ThreadMessagesProps) {
  return (
    <ol className="grid grid-cols-[minmax(0,1fr)]" aria-label="Messages">
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {live !== null && (
        <li className="grid gap-1 px-4 py-3" aria-live="polite" aria-busy="true">
          <span className="text-meta font-medium">Assistant</span>
          {live === "" ? <span className="text-table text-muted">Working…</span> : <Markdown text={live} />}
        </li>
      )}
    </ol>
  );
}

function Message({ message }: { readonly message: ThreadMessage }) {
  const { role, created_at: createdAt, content, status, incomplete_details: details } = message;
  return (
    <li className="grid gap-1 border-b border-hairline px-4 py-3 last:border-0">
      <span className="flex items-center gap-2 text-meta">
        <span className="font-medium">{role === "user" ? "User" : "Assistant"}</span>
        <span className="text-muted">
          <Time at={momentOf(createdAt)} form="second" />
        </span>
        {status === "incomplete" && <Badge tone="warning">incomplete{details && `: ${words(details.reason)}`}</Badge>}
      </span>
      {content.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change order.
        <Part key={index} part={part} />
      ))}
      {content.length === 0 && <span className="text-table text-muted">Empty message.</span>}
    </li>
  );
}

function Part({ part }: { readonly part: ContentPart }) {
  if (part.text !== undefined) return <Markdown text={part.text.value} />;
  if (part.refusal !== undefined) return <p className="text-table text-warning">Refused: {part.refusal}</p>;
  const address = part.image_url === undefined ? null : webAddress(part.image_url.url);
  if (address !== null) {
    return (
      <a
        href={address}
        rel="noreferrer"
        target="_blank"
        className="text-table wrap-anywhere text-accent hover:underline"
      >
        Image at {URL.canParse(address) ? new URL(address).host : address}
      </a>
    );
  }
  return (
    <p className="text-table text-muted">{part.image_file ? `Image ${part.image_file.file_id}` : words(part.type)}</p>
  );
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
