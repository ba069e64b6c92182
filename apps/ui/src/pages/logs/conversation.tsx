import { Link } from "@tanstack/react-router";
import { type Message, type Piece, readConversation } from "@tollgate/domain/contents/read-conversation.ts";
import { Paperclip, Wrench } from "lucide-react";
import { useState } from "react";
import { useConfig } from "../../api/config.ts";
import { useMe } from "../../api/me.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { copyText } from "../../components/copy-text.ts";
import { DetailSection } from "../../components/detail-panel.tsx";
import { type CallDetail, isOnItsWay } from "../../components/logged-call.ts";
import { Menu } from "../../components/menu.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { useToast } from "../../components/toast.tsx";
import { plural } from "../../format/plural.ts";
import { callCode } from "./call-code.ts";

/** Contents of a request, rendered or raw, or the reason why they are missing. */
export function Conversation({ log }: { readonly log: CallDetail }) {
  const [form, setForm] = useState<"rendered" | "raw">("rendered");
  const { content } = log;
  if (content === null) {
    return (
      <DetailSection title="Conversation">
        <AbsentPayload log={log} />
      </DetailSection>
    );
  }
  const messages = readConversation(content);
  const isRaw = form === "raw" || messages === null;
  return (
    <DetailSection
      title="Conversation"
      note={content.truncated ? "truncated: longer than the storage limit" : undefined}
      actions={
        <>
          {messages !== null && (
            <Segmented
              label="Format"
              value={form}
              onValue={setForm}
              options={[
                { value: "rendered", label: "Rendered" },
                { value: "raw", label: "Raw JSON" },
              ]}
            />
          )}
          <CopyCall log={log} request={content.request} />
        </>
      }
    >
      {isRaw ? (
        <CodeBlock
          tabs={[
            { label: "Request", code: pretty(content.request) },
            { label: "Response", code: pretty(content.answer) },
          ]}
        />
      ) : (
        <ol className="grid gap-3 text-table">
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message is identified by its position
            <MessageRow key={index} message={message} />
          ))}
        </ol>
      )}
    </DetailSection>
  );
}

function MessageRow({ message }: { readonly message: Message }) {
  return (
    <li className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[72px_minmax(0,1fr)]">
      <span className="text-meta leading-5 text-muted">{message.role}</span>
      <div className="grid min-w-0 gap-1.5">
        {message.pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a piece is identified by its position
          <PieceText key={index} piece={piece} />
        ))}
        {message.pieces.length === 0 && <span className="text-faint">Empty</span>}
      </div>
    </li>
  );
}

function PieceText({ piece }: { readonly piece: Piece }) {
  if (piece.kind === "text") return <p className="whitespace-pre-wrap wrap-anywhere">{piece.text}</p>;
  if (piece.kind === "attachment") {
    return (
      <span className="inline-flex items-center gap-1.5 text-muted">
        <Paperclip size={14} strokeWidth={1.5} aria-hidden />
        {piece.label}
      </span>
    );
  }
  return (
    <div className="grid gap-1">
      <span className="inline-flex items-center gap-1.5 font-medium">
        <Wrench size={14} strokeWidth={1.5} aria-label="Tool call" />
        <span className="wrap-anywhere">{piece.name}</span>
      </span>
      <code className="rounded-control bg-sunken px-2 py-1 font-mono text-meta whitespace-pre-wrap wrap-anywhere">
        {piece.input}
      </code>
    </div>
  );
}

function CopyCall({ log, request }: { readonly log: CallDetail; readonly request: string }) {
  const { apiUrl, keyHeader } = useConfig();
  const toast = useToast();
  const code = callCode({ apiUrl, keyHeader, endpoint: log.endpoint, request });
  return (
    <Menu
      label="Copy as code"
      trigger={<Button size="sm">Copy as code</Button>}
      items={(Object.keys(code) as (keyof typeof code)[]).map((language) => ({
        label: `Copy as ${language}`,
        onSelect: () =>
          void copyText(code[language]).then(
            () => toast.done(`Request copied as ${language}`),
            (error: unknown) => toast.failed(error, "Copying"),
          ),
      }))}
    />
  );
}

/** Explains why the contents are missing. */
function AbsentPayload({ log }: { readonly log: CallDetail }) {
  const { organization, leads } = useMe();
  if (log.contentState === "off") {
    return (
      <p className="text-table text-muted">
        No payload. Prompt and response storage was off when this request was made.{" "}
        {leads ? (
          <Link to="/settings" className="text-accent underline">
            Turn on storage
          </Link>
        ) : (
          "Organization owners and admins can turn on storage."
        )}
      </p>
    );
  }
  if (log.contentState === "expired") {
    const days = organization?.settings.logRetentionDays;
    return (
      <p className="text-table text-muted">
        No payload. It was deleted{days === undefined ? "" : ` after ${plural(days, "day")}`}.
      </p>
    );
  }
  if (isOnItsWay(log)) {
    return (
      <p role="status" className="text-table text-muted">
        The payload is being stored and will appear here.
      </p>
    );
  }
  if (log.class === "succeeded") return <p className="text-table text-muted">The payload was not captured.</p>;
  return (
    <p className="text-table text-muted">
      No payload:{" "}
      {log.class === "refused" || log.class === "rejected" ? `the request was ${log.class}` : "the request failed"}{" "}
      before it was captured.
      {organization?.settings.logPrompts === true && " Prompt and response storage is on."}
    </p>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
